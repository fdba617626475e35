// Binds a format to its products as an SpmvOperator, on the CPU or on the GPU by the memory it lives in;
// there by our kernel or the one of its paper, as prepared.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "formats/threads.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cuda/specialise.hpp"
#include "kernels/cuda/spmv.hpp"
#include "kernels/cuda/spmv_paper.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

template <class Format, class T, class Space>
class FormatOperator final : public SpmvOperator<T> {
 public:
  explicit FormatOperator(std::shared_ptr<const Format> format, Prepared prepared = {})
      : format_(std::move(format)), prepared_(std::move(prepared)) {
    if constexpr (requires(const Format& f) { f.entry; }) symmetric_ = is_symmetric(*format_, format_->entry);
    if constexpr (on_cpu) threads_ = threads_worth(traffic().stored_bytes + traffic().written_bytes);
  }

  std::int64_t rows() const override { return shape(*format_).first; }
  std::int64_t columns() const override { return shape(*format_).second; }
  SpaceKind space() const override { return on_cpu ? SpaceKind::cpu : SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(*format_); }
  std::int64_t entries() const override {
    if constexpr (std::is_base_of_v<BlockStructure, Format>)
      return most_non_zeros(*format_);
    else if constexpr (requires(const Format& f) { f.nnz(); })
      return format_->nnz();
    else if constexpr (requires(const Format& f) { f.nnz; })
      return format_->nnz;
    else
      return SpmvOperator<T>::entries();
  }
  double value_error() const override {
    if constexpr (requires(const Format& f) { f.value_error(); })
      return format_->value_error();
    else
      return 0;
  }
  void multiply(Queue queue, const T* x, const Output<T>& y) const override {
    if constexpr (on_cpu) {
      const ThreadLimit limit(threads_);
      cpu::spmv(*format_, x, y);
    } else {
      if constexpr (has_paper_kernel)
        if (by_the_paper()) return cuda::spmv_paper(on(queue), *format_, x, y);
      cuda::spmv(on(queue), *format_, x, y);
    }
  }
  void multiply_several(Queue queue, const T* x, const Output<T>& y, int count) const override {
    if constexpr (multiplies && on_cpu) {
      const ThreadLimit limit(threads_);
      return cpu::spmv_multiple(*format_, x, y, count);
    } else if constexpr (multiplies) {
      if (!by_the_paper()) return cuda::spmv_multiple(on(queue), *format_, x, y, count);
    }
    SpmvOperator<T>::multiply_several(queue, x, y, count);
  }
  bool prepare_dot() const override {
    if constexpr (gives_dot) {
      std::call_once(dot_asked_, [this] {
        if (prepared_.product.kernel != nullptr)
          prepared_.with_dot = cuda::with_dot(*format_, prepared_.product);
        prepared_.dot_by_any =
            !prepared_.by_kind && prepared_.with_dot.kernel == nullptr && cuda::gives_dot(*format_);
        cuda::load_add_up();
      });
      return prepared_.with_dot.kernel != nullptr || prepared_.dot_by_any;
    }
    return false;
  }
  bool multiply_with_dot(Queue queue, const T* x, T* y, double* dots) const override {
    if constexpr (gives_dot) return cuda::spmv_with_dot(on(queue), *format_, x, y, dots);
    return false;
  }
  bool has_transpose() const override { return by_the_paper() ? paper_transposes : transposes; }
  void multiply_transposed(Queue queue, const T* x, const Output<T>& y) const override {
    if (!has_transpose()) return SpmvOperator<T>::multiply_transposed(queue, x, y);
    if (symmetric_) return multiply(queue, x, y);
    if constexpr (paper_transposes)
      if (by_the_paper()) return cuda::spmv_transpose_paper(on(queue), *format_, x, y);
    if constexpr (transposes && on_cpu) {
      const ThreadLimit limit(threads_);
      cpu::spmv_transpose(*format_, x, y);
    } else if constexpr (transposes) {
      cuda::spmv_transpose(on(queue), *format_, x, y);
    }
  }
  Csr<T> to_csr() const override {
    if constexpr (std::is_same_v<Format, Csr<T, Space>>)
      return copy_to<Host>(*format_);
    else if constexpr (on_cpu)
      return quadrille::to_csr(*format_);
    else
      return quadrille::to_csr(copy_to<Host>(*format_));
  }
  Array<T> diagonal_blocks(int size) const override {
    if constexpr (std::is_same_v<Format, BlockDiagonals<T, Space>>)
      if (size > 0 && format_->dof % size == 0) return quadrille::diagonal_blocks(*format_, size);
    if constexpr (requires(const Format& f) { f.entry; })
      if (size > 0 && format_->dof % size == 0 && format_->precision == ValuePrecision::own)
        return quadrille::diagonal_blocks(*format_, size);
    return SpmvOperator<T>::diagonal_blocks(size);
  }

 private:
  static constexpr bool on_cpu = std::is_same_v<Space, Host>;
  static constexpr bool transposes = requires(const Format& f, const T* x, Output<T> y) {
    cpu::spmv_transpose(f, x, y);
  }
  || requires(const cuda::Execution& on, const Format& f, const T* x, Output<T> y) {
    cuda::spmv_transpose(on, f, x, y);
  };
  static constexpr bool multiplies = requires(const Format& f, const T* x, Output<T> y) {
    cpu::spmv_multiple(f, x, y, 1);
  }
  || requires(const cuda::Execution& on, const Format& f, const T* x, Output<T> y) {
    cuda::spmv_multiple(on, f, x, y, 1);
  };
  static constexpr bool gives_dot = requires(const Format& f) { cuda::with_dot(f, Specialised{}); };
  static constexpr bool has_paper_kernel =
      requires(const cuda::Execution& on, const Format& f, const T* x, Output<T> y) {
    cuda::spmv_paper(on, f, x, y);
  };
  static constexpr bool paper_transposes =
      requires(const cuda::Execution& on, const Format& f, const T* x, Output<T> y) {
    cuda::spmv_transpose_paper(on, f, x, y);
  };

  bool by_the_paper() const { return has_paper_kernel && prepared_.kernel == Kernel::paper; }
  cuda::Execution on(Queue queue) const { return {queue, scratch_, prepared_}; }

  template <class F>
  static std::pair<std::int64_t, std::int64_t> shape(const F& f) {
    if constexpr (requires { f.ell; })
      return {f.ell.rows, f.ell.columns};
    else if constexpr (requires { f.columns; })
      return {f.rows, f.columns};
    else
      return {f.rows(), f.rows()};
  }

  std::shared_ptr<const Format> format_;
  mutable Prepared prepared_;  // on the GPU
  mutable std::once_flag dot_asked_;
  bool symmetric_ = false;         // A^T is A, to the last bit
  int threads_ = 1;                // that a product on the CPU is worth
  mutable cuda::Scratch scratch_;  // on the GPU
};

}  // namespace quadrille
