#include "formats/bcsr.hpp"
#include "kernels/cusparse/check.hpp"
#include "kernels/cusparse/operators.hpp"
#include "kernels/cusparse/product.hpp"

namespace quadrille::cusparse {
namespace {

template <class T>
Matrix describe(const Bcsr<T, Device>& a) {
  cusparseConstSpMatDescr_t matrix = nullptr;
  const std::int64_t b = a.block_size;
  check(cusparseCreateConstBsr(&matrix, a.rows / b, a.columns / b, a.blocks(), b, b, a.block_row_ptr.data(),
                               a.block_column.data(), a.value.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, value_type<T>, CUSPARSE_ORDER_ROW),
        "cusparseCreateConstBsr");
  return Matrix(matrix);
}

// cuSPARSE's vectors are whole blocks, and blocks of 1 it takes without a word until the product.
template <class T>
Bcsr<T> whole_blocks(const Csr<T>& csr, int block_size) {
  if (block_size == 1) throw FormatError("cusparse_bsr: cuSPARSE multiplies no blocks of 1 x 1");
  if (block_size > 0 && (csr.rows % block_size != 0 || csr.columns % block_size != 0))
    throw FormatError("cusparse_bsr: blocks of " + std::to_string(block_size) + " do not divide " +
                      std::to_string(csr.rows) + " x " + std::to_string(csr.columns));
  return bcsr_from_csr(csr, block_size);
}

template <class T>
class BsrOperator final : public SpmvOperator<T> {
 public:
  BsrOperator(const Csr<T>& csr, int block_size)
      : bcsr_(copy_to<Device>(whole_blocks(csr, block_size))),
        handle_(make_handle()),
        product_(
            handle_, [this] { return describe(bcsr_); }, bcsr_.columns, bcsr_.rows,
            CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_SPMV_BSR_ALG1) {}

  std::int64_t rows() const override { return bcsr_.rows; }
  std::int64_t columns() const override { return bcsr_.columns; }
  SpaceKind space() const override { return SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(bcsr_); }
  void multiply(Queue queue, const T* x, const Output<T>& y) const override { product_(queue, x, y); }
  Csr<T> to_csr() const override { return quadrille::to_csr(copy_to<Host>(bcsr_)); }

 private:
  Bcsr<T, Device> bcsr_;
  Handle handle_;
  Product<T> product_;
};

}  // namespace

template <class T>
std::unique_ptr<SpmvOperator<T>> make_bsr_operator(const Csr<T>& csr, int block_size) {
  return std::make_unique<BsrOperator<T>>(csr, block_size);
}

template std::unique_ptr<SpmvOperator<float>> make_bsr_operator(const Csr<float>&, int);
template std::unique_ptr<SpmvOperator<double>> make_bsr_operator(const Csr<double>&, int);

}  // namespace quadrille::cusparse
