#include "kernels/cusparse/check.hpp"
#include "kernels/cusparse/operators.hpp"
#include "kernels/cusparse/product.hpp"

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

template <class T>
class CsrOperator final : public SpmvOperator<T> {
 public:
  explicit CsrOperator(const Csr<T>& csr)
      : csr_(transfer<Device>(csr)),
        handle_(make_handle()),
        plain_(handle_, describe(csr_), csr_.columns, csr_.rows, CUSPARSE_OPERATION_NON_TRANSPOSE,
               CUSPARSE_SPMV_CSR_ALG1),
        transposed_(handle_, describe(csr_), csr_.rows, csr_.columns, CUSPARSE_OPERATION_TRANSPOSE,
                    CUSPARSE_SPMV_CSR_ALG1) {}

  std::int64_t rows() const override { return csr_.rows; }
  std::int64_t columns() const override { return csr_.columns; }
  SpaceKind space() const override { return SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(csr_); }
  void apply(const T* x, T* y) const override { plain_(x, y); }
  bool has_transpose() const override { return true; }
  void apply_transpose(const T* x, T* y) const override { transposed_(x, y); }
  Csr<T> to_csr() const override { return transfer<Host>(csr_); }

 private:
  Csr<T, Device> csr_;
  Handle handle_;
  Product<T> plain_, transposed_;
};

}  // namespace

template <class T>
std::unique_ptr<SpmvOperator<T>> make_csr_operator(const Csr<T>& csr) {
  return std::make_unique<CsrOperator<T>>(csr);
}

template std::unique_ptr<SpmvOperator<float>> make_csr_operator(const Csr<float>&);
template std::unique_ptr<SpmvOperator<double>> make_csr_operator(const Csr<double>&);

}  // namespace quadrille::cusparse
