// Products with vectors in host memory, wherever the operator lives: for checks, not for speed.
#pragma once

#include <vector>

#include "formats/array.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

namespace host_apply_detail {

// A vector of the host in the operator's memory, and back.
template <class T>
class Staged {
 public:
  Staged(SpaceKind space, const std::vector<T>& values)
      : host_(const_cast<T*>(values.data())),
        device_(space == SpaceKind::cpu ? 0 : static_cast<std::int64_t>(values.size())),
        on_host_(space == SpaceKind::cpu) {
    if (!on_host_) memory::copy_to_device(device_.data(), host_, device_.bytes());
  }
  T* data() { return on_host_ ? host_ : device_.data(); }
  void fetch() {
    if (!on_host_) memory::copy_to_host(host_, device_.data(), device_.bytes());
  }

 private:
  T* host_;
  Array<T, Device> device_;
  bool on_host_;
};

}  // namespace host_apply_detail

// y = alpha A x + beta y. `y` holds rows() elements on entry, for example NaN, to show that every one is
// written.
template <class T>
void host_apply(const SpmvOperator<T>& op, const std::vector<T>& x, std::vector<T>& y, T alpha = 1,
                T beta = 0) {
  host_apply_detail::Staged<T> from(op.space(), x), to(op.space(), y);
  op.apply({}, alpha, from.data(), beta, to.data());
  to.fetch();
}

// X and Y one vector after the other.
template <class T>
void host_apply_multiple(const SpmvOperator<T>& op, const std::vector<T>& x, std::vector<T>& y, int count,
                         T alpha = 1, T beta = 0) {
  host_apply_detail::Staged<T> from(op.space(), x), to(op.space(), y);
  op.apply_multiple({}, alpha, from.data(), beta, to.data(), count);
  to.fetch();
}

// With A^T, y of columns() elements.
template <class T>
void host_apply_transpose(const SpmvOperator<T>& op, const std::vector<T>& x, std::vector<T>& y, T alpha = 1,
                          T beta = 0) {
  host_apply_detail::Staged<T> from(op.space(), x), to(op.space(), y);
  op.apply_transpose({}, alpha, from.data(), beta, to.data());
  to.fetch();
}

}  // namespace quadrille
