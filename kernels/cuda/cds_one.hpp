// CDS of one unknown per node: kernels for boxes and for small operators. Internal to kernels/cuda.
#pragma once

#include "formats/cds.hpp"

namespace quadrille::cuda {

// y = A x where one of these kernels is the faster one; else false, and nothing is done.
template <class T>
bool spmv_of_one(const BlockDiagonals<T, Device>& a, const T* x, T* y);

}  // namespace quadrille::cuda
