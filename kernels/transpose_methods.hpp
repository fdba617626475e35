// The ways to both products of CSR and CSC that are compared with each other and are no formats of their own.
// Source: Steinberger et al. 2016, whose naive kernels are those of csr and csc with Kernel::paper.
#pragma once

#include <vector>

#include "kernels/registry.hpp"

namespace quadrille {

// csr_converted and csc_converted: CSR (CSC) that is converted to CSC (CSR) where it is, for the product that
// it has only by scattering; they are a SetUp (kernels/set_up.hpp). Both have both products. On the GPU the
// conversion needs cuSPARSE.
std::vector<FormatEntry> transpose_methods();

// The GPU's half of them; none in a build without CUDA.
std::vector<FormatEntry> cuda_transpose_methods();

}  // namespace quadrille
