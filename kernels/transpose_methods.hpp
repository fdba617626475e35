// The ways to both products of CSR and CSC that are compared with each other and are no formats of their own: the naive
// kernels, and conversion. Source: Steinberger et al. 2016.
#pragma once

#include <vector>

#include "kernels/registry.hpp"

namespace quadrille {

// csr_naive and csc_naive (GPU only): one thread a line, as the paper has it. csr_converted and csc_converted: CSR (CSC) that
// is converted to CSC (CSR) where it is, for the product that it has only by scattering; they are a SetUp (kernels/set_up.hpp).
// All have both products. On the GPU the conversion needs cuSPARSE.
std::vector<FormatEntry> transpose_methods();

// The GPU's half of them; none in a build without CUDA.
std::vector<FormatEntry> cuda_transpose_methods();

}  // namespace quadrille
