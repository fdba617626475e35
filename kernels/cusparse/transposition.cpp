#include "kernels/cusparse/transposition.hpp"

#include "kernels/cusparse/check.hpp"
#include "kernels/cusparse/product.hpp"

namespace quadrille::cusparse {
namespace {

template <class T>
class CuSparseTransposition final : public Transposition<T> {
 public:
  explicit CuSparseTransposition(const Csr<T, Device>& csr)
      : from_(csr),
        to_{csr.columns, csr.rows, Array<std::int32_t, Device>(csr.columns + 1),
            Array<std::int32_t, Device>(csr.nnz()), Array<T, Device>(csr.nnz())},
        handle_(make_handle()) {}

  void run() override {
    const int rows = to_index32(from_.rows, "rows"), columns = to_index32(from_.columns, "columns"),
              nnz = to_index32(from_.nnz(), "non-zeros");
    std::size_t bytes = 0;
    check(cusparseCsr2cscEx2_bufferSize(
              handle_.get(), rows, columns, nnz, from_.value.data(), from_.row_ptr.data(),
              from_.column.data(), to_.value.data(), to_.row_ptr.data(), to_.column.data(), value_type<T>,
              CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes),
          "cusparseCsr2cscEx2_bufferSize");
    if (workspace_.size() < static_cast<std::int64_t>(bytes))
      workspace_ = Array<char, Device>(static_cast<std::int64_t>(bytes));
    check(cusparseCsr2cscEx2(handle_.get(), rows, columns, nnz, from_.value.data(), from_.row_ptr.data(),
                             from_.column.data(), to_.value.data(), to_.row_ptr.data(), to_.column.data(),
                             value_type<T>, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                             CUSPARSE_CSR2CSC_ALG_DEFAULT, workspace_.data()),
          "cusparseCsr2cscEx2");
  }

  const Csr<T, Device>& result() const override { return to_; }

 private:
  const Csr<T, Device>& from_;
  Csr<T, Device> to_;
  Handle handle_;
  Array<char, Device> workspace_;
};

}  // namespace

template <class T>
std::unique_ptr<Transposition<T>> make_transposition(const Csr<T, Device>& csr) {
  return std::make_unique<CuSparseTransposition<T>>(csr);
}

template std::unique_ptr<Transposition<float>> make_transposition(const Csr<float, Device>&);
template std::unique_ptr<Transposition<double>> make_transposition(const Csr<double, Device>&);

}  // namespace quadrille::cusparse
