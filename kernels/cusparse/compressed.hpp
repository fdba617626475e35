// cuSPARSE's products of CSR and CSC, A x and A^T x. Internal to kernels/cusparse.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "formats/csc.hpp"
#include "kernels/cusparse/product.hpp"
#include "kernels/set_up.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::cusparse {

// Format: Csr<T, Device> or Csc<T, Device>.
template <class Format, class T>
class CompressedOperator final : public SpmvOperator<T>, public SetUp {
 public:
  template <class Describe>
  CompressedOperator(Format format, const Describe& describe)
      : format_(std::move(format)),
        handle_(make_handle()),
        plain_(
            handle_, [=, this] { return describe(format_); }, format_.columns, format_.rows,
            CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_SPMV_CSR_ALG1),
        transposed_(
            handle_, [=, this] { return describe(format_); }, format_.rows, format_.columns,
            CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_SPMV_CSR_ALG1) {}

  std::int64_t rows() const override { return format_.rows; }
  std::int64_t columns() const override { return format_.columns; }
  SpaceKind space() const override { return SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(format_); }
  void multiply(Queue queue, const T* x, const Output<T>& y) const override { plain_(queue, x, y); }
  bool has_transpose() const override { return true; }
  void multiply_transposed(Queue queue, const T* x, const Output<T>& y) const override {
    transposed_(queue, x, y);
  }
  Csr<T> to_csr() const override {
    if constexpr (std::is_same_v<Format, Csr<T, Device>>)
      return copy_to<Host>(format_);
    else
      return quadrille::to_csr(copy_to<Host>(format_));
  }
  void set_up(bool transposed) override { (transposed ? transposed_ : plain_).set_up(); }

 private:
  Format format_;
  Handle handle_;
  Product<T> plain_, transposed_;
};

}  // namespace quadrille::cusparse
