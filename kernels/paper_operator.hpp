// Binds a format in GPU memory to the kernel of its paper (formats/gpu_kernel.hpp) as an SpmvOperator. A
// paper without a transposed product, or one of several vectors, has none here.
#pragma once

#include "kernels/cuda/spmv_paper.hpp"
#include "kernels/format_operator.hpp"

namespace quadrille {

template <class Format, class T>
class PaperOperator final : public SpmvOperator<T> {
 public:
  PaperOperator(std::shared_ptr<const Format> format, CachePath x_cache)
      : format_(std::move(format)), ours_(format_), x_cache_(x_cache) {}

  std::int64_t rows() const override { return ours_.rows(); }
  std::int64_t columns() const override { return ours_.columns(); }
  SpaceKind space() const override { return SpaceKind::cuda; }
  Traffic traffic() const override { return ours_.traffic(); }
  std::int64_t entries() const override { return ours_.entries(); }
  void multiply(Queue queue, const T* x, const Output<T>& y) const override {
    if constexpr (reads_x_as_told)
      cuda::spmv_paper({queue, scratch_}, *format_, x_cache_, x, y);
    else
      cuda::spmv_paper({queue, scratch_}, *format_, x, y);
  }
  bool has_transpose() const override { return transposes; }
  void multiply_transposed(Queue queue, const T* x, const Output<T>& y) const override {
    if constexpr (transposes)
      cuda::spmv_transpose_paper({queue, scratch_}, *format_, x, y);
    else
      SpmvOperator<T>::multiply_transposed(queue, x, y);
  }
  Csr<T> to_csr() const override { return ours_.to_csr(); }
  Array<T> diagonal_blocks(int size) const override { return ours_.diagonal_blocks(size); }

 private:
  static constexpr bool reads_x_as_told =
      requires(const cuda::Execution& on, const Format& f, const T* x, Output<T> y) {
    cuda::spmv_paper(on, f, CachePath::l1, x, y);
  };
  static constexpr bool transposes =
      requires(const cuda::Execution& on, const Format& f, const T* x, Output<T> y) {
    cuda::spmv_transpose_paper(on, f, x, y);
  };

  std::shared_ptr<const Format> format_;
  FormatOperator<Format, T, Device> ours_;
  CachePath x_cache_;
  mutable cuda::Scratch scratch_;
};

}  // namespace quadrille
