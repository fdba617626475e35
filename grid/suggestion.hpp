// What somebody may have meant by a word that is none of those there are.
#pragma once

#include <string>
#include <vector>

namespace quadrille {

std::string lower(std::string text);  // in lower case

// The known word nearest to `word` (edit distance), or "" when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

// "; did you mean 'csr'?", or "" when nothing known is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& prefix = "");

}  // namespace quadrille
