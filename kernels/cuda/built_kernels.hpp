// Kernels of operators that many PDEs have, written as those of any other (kernels/cuda/stencil_source.hpp)
// by write_built_kernels.cpp when the library is built, and compiled with it: nothing has to be compiled when
// such an operator comes. No CUDA header is needed to include this.
#pragma once

#include <string>

namespace quadrille::cuda {

// The kernel with this text, or null. To be launched by cudaLaunchKernel().
const void* built_kernel(const std::string& text);

}  // namespace quadrille::cuda
