#include "kernels/cusparse/check.hpp"
#include "kernels/cusparse/compressed.hpp"
#include "kernels/cusparse/operators.hpp"

namespace quadrille::cusparse {
namespace {

template <class T>
Matrix describe(const Csr<T, Device>& a) {
  cusparseConstSpMatDescr_t matrix = nullptr;
  check(cusparseCreateConstCsr(&matrix, a.rows, a.columns, a.nnz(), a.row_ptr.data(), a.column.data(),
                               a.value.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, value_type<T>),
        "cusparseCreateConstCsr");
  return Matrix(matrix);
}

}  // namespace

template <class T>
std::unique_ptr<SpmvOperator<T>> make_csr_operator(const Csr<T>& csr) {
  return std::make_unique<CompressedOperator<Csr<T, Device>, T>>(copy_to<Device>(csr), describe<T>);
}

template std::unique_ptr<SpmvOperator<float>> make_csr_operator(const Csr<float>&);
template std::unique_ptr<SpmvOperator<double>> make_csr_operator(const Csr<double>&);

}  // namespace quadrille::cusparse
