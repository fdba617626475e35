// The products by the kernels that the formats' papers describe (kernels/prepared.hpp), to compare ours
// with. As kernels/cuda/spmv.hpp otherwise.
#pragma once

#include "formats/cds.hpp"
#include "formats/cmrs.hpp"
#include "formats/csc.hpp"
#include "formats/csr.hpp"
#include "formats/ellr_t.hpp"
#include "formats/rg_csr.hpp"
#include "kernels/cuda/scratch.hpp"
#include "kernels/output.hpp"

namespace quadrille::cuda {

// clang-format off
template <class T> void spmv_paper(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y);
// Atomics: last bits vary.
template <class T> void spmv_paper(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y);           
// CDS.
template <class T> void spmv_paper(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv_paper(const Execution& on, const EllrT<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv_paper(const Execution& on, const RgCsr<T, Device>& a, const T* x, Output<T> y);
template <class T> void spmv_paper(const Execution& on, const Cmrs<T, Device>& a, const T* x, Output<T> y);

// Atomics: last bits vary.
template <class T> void spmv_transpose_paper(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y); 
template <class T> void spmv_transpose_paper(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y);
// clang-format on

}  // namespace quadrille::cuda
