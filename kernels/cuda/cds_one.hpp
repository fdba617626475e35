// CDS of one unknown per node: kernels for boxes and for small operators. Internal to kernels/cuda.
#pragma once

#include "formats/cds.hpp"
#include "kernels/cuda/scratch.hpp"
#include "kernels/output.hpp"

namespace quadrille::cuda {

// The product where one of these kernels is the faster one; else false, and nothing is done.
template <class T>
bool spmv_of_one(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, const Output<T>& y);

}  // namespace quadrille::cuda
