// Products with vectors in host memory, wherever the operator lives: for checks, not for speed.
#pragma once

#include <vector>

#include "formats/array.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

namespace host_apply_detail {

// Calls product(x, y) with both in the operator's memory; y comes back as `y` was given where nothing was
// written.
template <class T, class Product>
void staged(SpaceKind space, const std::vector<T>& x, std::vector<T>& y, const Product& product) {
  if (space == SpaceKind::cpu) return product(x.data(), y.data());
  Array<T, Device> device_x(static_cast<std::int64_t>(x.size())),
      device_y(static_cast<std::int64_t>(y.size()));
  memory::copy_to_device(device_x.data(), x.data(), device_x.bytes());
  memory::copy_to_device(device_y.data(), y.data(), device_y.bytes());
  product(device_x.data(), device_y.data());
  memory::copy_to_host(y.data(), device_y.data(), device_y.bytes());
}

}  // namespace host_apply_detail

// y = A x. `y` holds rows() elements on entry, for example NaN, to show that every one is written.
template <class T>
void host_apply(const SpmvOperator<T>& op, const std::vector<T>& x, std::vector<T>& y) {
  host_apply_detail::staged(op.space(), x, y, [&](const T* from, T* to) { op.apply(from, to); });
}

// Y = A X, X and Y one vector after the other.
template <class T>
void host_apply_multiple(const SpmvOperator<T>& op, const std::vector<T>& x, std::vector<T>& y, int count) {
  host_apply_detail::staged(op.space(), x, y,
                            [&](const T* from, T* to) { op.apply_multiple(from, to, count); });
}

// y = A^T x, y of columns() elements.
template <class T>
void host_apply_transpose(const SpmvOperator<T>& op, const std::vector<T>& x, std::vector<T>& y) {
  host_apply_detail::staged(op.space(), x, y, [&](const T* from, T* to) { op.apply_transpose(from, to); });
}

}  // namespace quadrille
