// cuSPARSE's own products as SpmvOperators: peers that are timed and checked beside our formats. No CUDA
// header is needed to include this.
#pragma once

#include <memory>

#include "kernels/spmv_operator.hpp"

namespace quadrille::cusparse {

// All throw FormatError where the format or cuSPARSE cannot hold the operator, and CudaError with cuSPARSE's
// own words where a call fails.

// CUSPARSE_SPMV_CSR_ALG1, with its transposed product. The last bits differ from run to run: cuSPARSE
// promises equal ones for CUSPARSE_SPMV_CSR_ALG2 only, the slower of the two.
template <class T>
std::unique_ptr<SpmvOperator<T>> make_csr_operator(const Csr<T>& csr);

// The same of CSC.
template <class T>
std::unique_ptr<SpmvOperator<T>> make_csc_operator(const Csr<T>& csr);

// CUSPARSE_SPMV_SELL_ALG1, in slices of 128 rows, or of 32 where those save padding.
template <class T>
std::unique_ptr<SpmvOperator<T>> make_sell_operator(const Csr<T>& csr);

// CUSPARSE_SPMV_BSR_ALG1. The blocks must be larger than 1 x 1 and divide the matrix.
template <class T>
std::unique_ptr<SpmvOperator<T>> make_bsr_operator(const Csr<T>& csr, int block_size);

}  // namespace quadrille::cusparse
