// A x and A^T x from one CSR by converting it where it is: the product that CSR has only by scattering
// becomes a product of rows. Internal to kernels.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "kernels/cpu/spmv.hpp"
#include "kernels/cuda/spmv.hpp"
#include "kernels/cusparse/transposition.hpp"
#include "kernels/set_up.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

// What was given, CSR of A, or CSR of A^T, which is CSC of A; and the other, made from it by set_up().
template <class T, class Space>
class ConvertedOperator final : public SpmvOperator<T>, public SetUp {
 public:
  ConvertedOperator(std::shared_ptr<const Csr<T, Space>> given, bool given_is_transposed,
                    Prepared prepared = {})
      : given_(std::move(given)), given_is_transposed_(given_is_transposed), prepared_(std::move(prepared)) {
    if constexpr (!on_cpu) transposition_ = cusparse::make_transposition(*given_);
    set_up(!given_is_transposed);
    plan();
  }

  std::int64_t rows() const override { return given_is_transposed_ ? given_->columns : given_->rows; }
  std::int64_t columns() const override { return given_is_transposed_ ? given_->rows : given_->columns; }
  SpaceKind space() const override { return on_cpu ? SpaceKind::cpu : SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(*given_); }
  void multiply(Queue queue, const T* x, const Output<T>& y) const override {
    product(given_is_transposed_, queue, x, y);
  }
  bool has_transpose() const override { return true; }
  void multiply_transposed(Queue queue, const T* x, const Output<T>& y) const override {
    product(!given_is_transposed_, queue, x, y);
  }
  Csr<T> to_csr() const override {
    Csr<T> given = copy_to<Host>(*given_);
    return given_is_transposed_ ? transposed(given) : std::move(given);
  }

  // The conversion, where that product needs it. The products that follow go without a plan of the segments.
  void set_up(bool transposed) override {
    if (transposed == given_is_transposed_) return;
    if constexpr (on_cpu) {
      converted_ = csc_from_csr(*given_);
    } else {
      transposition_->run();
      converted_prepared_ = {};
    }
  }
  void plan() override {
    if constexpr (!on_cpu)
      converted_prepared_.segments = plan_on_device(copy_to<Host>(transposition_->result().row_ptr));
  }

 private:
  static constexpr bool on_cpu = std::is_same_v<Space, Host>;

  void product(bool converted, Queue queue, const T* x, const Output<T>& y) const {
    if constexpr (on_cpu)
      converted ? cpu::spmv_transpose(converted_, x, y) : cpu::spmv(*given_, x, y);
    else
      cuda::spmv({queue, scratch_, converted ? converted_prepared_ : prepared_},
                 converted ? transposition_->result() : *given_, x, y);
  }

  std::shared_ptr<const Csr<T, Space>> given_;
  bool given_is_transposed_;
  Prepared prepared_, converted_prepared_;  // on the GPU
  Csc<T> converted_;                        // on the CPU
  std::unique_ptr<cusparse::Transposition<T>> transposition_;
  mutable cuda::Scratch scratch_;
};

}  // namespace quadrille
