// Paths through symbolic links.
#pragma once

#include <string>

namespace quadrille {

// Where a chain of links ends, whether there is a file or not; of a circle, a link of it.
std::string final_target(const std::string& path);

// Why there is nothing at a path: `otherwise`, or what is wrong with the link that is there.
std::string why_missing(const std::string& path, const std::string& otherwise = "there is no such file");

}  // namespace quadrille
