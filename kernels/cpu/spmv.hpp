// The CPU products, OpenMP over rows: A x, and A^T x where it is offered, to an Output. x and y never
// overlap; every element of y is written. The result is the same, bit by bit, every time and for every number
// of threads.
#pragma once

#include "formats/all.hpp"
#include "kernels/output.hpp"

namespace quadrille::cpu {

// clang-format off
template <class T> void spmv(const Csr<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const Csc<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const Coo<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const Bcsr<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const Dia<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const BlockDiagonals<T>& a, const T* x, Output<T> y);  // CDS
template <class T> void spmv(const Ell<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const EllrT<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const RgCsr<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const Cmrs<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const Hyb<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const Compact<T>& a, const T* x, Output<T> y);
template <class T> void spmv(const StencilTable<T>& a, const T* x, Output<T> y);

// Y = A X for `count` vectors, column-major without gaps, as SpmvOperator::apply_multiple() says.
inline constexpr int compact_vectors_at_once = 4;
template <class T> void spmv_multiple(const Compact<T>& a, const T* x, Output<T> y, int count);

template <class T> void spmv_transpose(const Csr<T>& a, const T* x, Output<T> y);
template <class T> void spmv_transpose(const Csc<T>& a, const T* x, Output<T> y);
template <class T> void spmv_transpose(const Dia<T>& a, const T* x, Output<T> y);
template <class T> void spmv_transpose(const BlockDiagonals<T>& a, const T* x, Output<T> y);  // CDS
template <class T> void spmv_transpose(const Compact<T>& a, const T* x, Output<T> y);
template <class T> void spmv_transpose(const StencilTable<T>& a, const T* x, Output<T> y);
// clang-format on

}  // namespace quadrille::cpu
