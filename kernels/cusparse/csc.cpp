#include "formats/csc.hpp"

#include "kernels/cusparse/check.hpp"
#include "kernels/cusparse/compressed.hpp"
#include "kernels/cusparse/operators.hpp"

namespace quadrille::cusparse {
namespace {

template <class T>
Matrix describe(const Csc<T, Device>& a) {
  cusparseConstSpMatDescr_t matrix = nullptr;
  check(cusparseCreateConstCsc(&matrix, a.rows, a.columns, a.nnz(), a.column_ptr.data(), a.row.data(),
                               a.value.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, value_type<T>),
        "cusparseCreateConstCsc");
  return Matrix(matrix);
}

}  // namespace

template <class T>
std::unique_ptr<SpmvOperator<T>> make_csc_operator(const Csr<T>& csr) {
  return std::make_unique<CompressedOperator<Csc<T, Device>, T>>(copy_to<Device>(csc_from_csr(csr)),
                                                                 describe<T>);
}

template std::unique_ptr<SpmvOperator<float>> make_csc_operator(const Csr<float>&);
template std::unique_ptr<SpmvOperator<double>> make_csc_operator(const Csr<double>&);

}  // namespace quadrille::cusparse
