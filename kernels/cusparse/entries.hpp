// cuSPARSE's lines of the registry. No CUDA header is needed to include this.
#pragma once

#include <string>
#include <vector>

#include "kernels/registry.hpp"

namespace quadrille::cusparse {

// None in a build without cuSPARSE.
std::vector<FormatEntry> entries();

// "12.6.3", of the library that is loaded, or "not built in".
std::string version();

}  // namespace quadrille::cusparse
