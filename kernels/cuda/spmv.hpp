// The CUDA products: y = A x on the default stream. x and y are device memory and never overlap.
#pragma once

#include "formats/cds.hpp"

namespace quadrille::cuda {

// Throws CudaError when the launch fails.
template <class T>
void spmv(const BlockDiagonals<T, Device>& a, const T* x, T* y);  // CDS

}  // namespace quadrille::cuda
