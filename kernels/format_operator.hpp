// Binds a host format to its CPU products as an SpmvOperator.
#pragma once

#include <memory>
#include <utility>

#include "kernels/cpu/spmv.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

template <class Format, class T>
class CpuOperator final : public SpmvOperator<T> {
 public:
  explicit CpuOperator(std::shared_ptr<const Format> format) : format_(std::move(format)) {}

  std::int64_t rows() const override { return shape(*format_).first; }
  std::int64_t columns() const override { return shape(*format_).second; }
  SpaceKind space() const override { return SpaceKind::cpu; }
  Traffic traffic() const override { return quadrille::traffic(*format_); }
  void apply(const T* x, T* y) const override { cpu::spmv(*format_, x, y); }
  bool has_transpose() const override { return transposes; }
  void apply_transpose(const T* x, T* y) const override {
    if constexpr (transposes)
      cpu::spmv_transpose(*format_, x, y);
    else
      SpmvOperator<T>::apply_transpose(x, y);
  }
  Csr<T> to_csr() const override {
    if constexpr (std::is_same_v<Format, Csr<T>>)
      return copy_of(*format_);
    else
      return quadrille::to_csr(*format_);
  }

 private:
  static constexpr bool transposes = requires(const Format& f, const T* x, T* y) {
    cpu::spmv_transpose(f, x, y);
  };

  template <class F>
  static std::pair<std::int64_t, std::int64_t> shape(const F& f) {
    if constexpr (std::is_same_v<F, BlockDiagonals<T>>)
      return {f.rows(), f.rows()};
    else if constexpr (std::is_same_v<F, Hyb<T>>)
      return {f.ell.rows, f.ell.columns};
    else
      return {f.rows, f.columns};
  }

  std::shared_ptr<const Format> format_;
};

}  // namespace quadrille
