// The CUDA products: y = A x, and y = A^T x where it is offered, queued on the default stream. x and y are
// device memory and never overlap; every element of y is written. Throw CudaError when a launch fails.
#pragma once

#include "formats/bcsr.hpp"
#include "formats/cds.hpp"
#include "formats/cmrs.hpp"
#include "formats/coo.hpp"
#include "formats/csc.hpp"
#include "formats/csr.hpp"
#include "formats/dia.hpp"
#include "formats/ell.hpp"
#include "formats/ellr_t.hpp"
#include "formats/hyb.hpp"
#include "formats/rg_csr.hpp"

namespace quadrille::cuda {

// clang-format off
template <class T> void spmv(const Csr<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const Csc<T, Device>& a, const T* x, T* y);   // atomics: last bits vary
template <class T> void spmv(const Coo<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const Bcsr<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const Dia<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const BlockDiagonals<T, Device>& a, const T* x, T* y);  // CDS
template <class T> void spmv(const Ell<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const EllrT<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const RgCsr<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const Cmrs<T, Device>& a, const T* x, T* y);
template <class T> void spmv(const Hyb<T, Device>& a, const T* x, T* y);

template <class T> void spmv_transpose(const Csr<T, Device>& a, const T* x, T* y);   // atomics: last bits vary
template <class T> void spmv_transpose(const Csc<T, Device>& a, const T* x, T* y);
template <class T> void spmv_transpose(const Dia<T, Device>& a, const T* x, T* y);
template <class T> void spmv_transpose(const BlockDiagonals<T, Device>& a, const T* x, T* y);  // CDS

// Y = A X for `count` vectors, column-major without gaps, as SpmvOperator::apply_multiple() says.
template <class T> void spmv_multiple(const BlockDiagonals<T, Device>& a, const T* x, T* y, int count);  // CDS
// clang-format on

}  // namespace quadrille::cuda
