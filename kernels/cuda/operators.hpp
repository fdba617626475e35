// The CUDA entries of the registry; none in a build without CUDA.
#pragma once

#include <vector>

#include "kernels/registry.hpp"

namespace quadrille::cuda {

std::vector<FormatEntry> formats();

}  // namespace quadrille::cuda
