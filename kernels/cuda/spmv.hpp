// The CUDA products: A x, and A^T x where it is offered, to an Output, queued. x and y are device memory and
// never overlap; every element of y is written. Throw CudaError when a launch fails.
#pragma once

#include "formats/all.hpp"
#include "kernels/cuda/scratch.hpp"
#include "kernels/output.hpp"

namespace quadrille::cuda {

// clang-format off
template <class T> void spmv(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y);
// Atomics: last bits vary.
template <class T> void spmv(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y); 
template <class T> void spmv(const Execution& on, const Coo<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const Bcsr<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const Dia<T, Device>& a, const T* x, Output<T> y);
// CDS.
template <class T> void spmv(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const Ell<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const EllrT<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const RgCsr<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const Cmrs<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const Hyb<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv(const Execution& on, const StencilTable<T, Device>& a, const T* x, Output<T> y);

// Atomics: last bits vary.
template <class T> void spmv_transpose(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y); 
template <class T> void spmv_transpose(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv_transpose(const Execution& on, const Dia<T, Device>& a, const T* x, Output<T> y);
// CDS.
template <class T> void spmv_transpose(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv_transpose(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv_transpose(const Execution& on, const StencilTable<T, Device>& a, const T* x, Output<T> y);

// Y = A X for `count` vectors, column-major without gaps, as SpmvOperator::apply_multiple() says.
// CDS.
template <class T> void spmv_multiple(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y, int count);
template <class T> void spmv_multiple(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y, int count);
template <class T> void spmv_multiple(const Execution& on, const StencilTable<T, Device>& a, const T* x, Output<T> y, int count);

// With x . A x, as SpmvOperator::multiply_with_dot() has it, by the kernel that with_dot() has beside that of
// the product or, where gives_dot() is true and Prepared::dot_by_any says so, by the one for all operators.
template <class T> Specialised with_dot(const Compact<T, Device>& a, const Specialised& product);
template <class T> bool gives_dot(const Compact<T, Device>& a);
template <class T> bool spmv_with_dot(const Execution& on, const Compact<T, Device>& a, const T* x, T* y, double* dots);
// clang-format on

}  // namespace quadrille::cuda
