// Products of interpolations, in the memory where they are.
#pragma once

#include <vector>

#include "kernels/grid_transfer.hpp"

namespace quadrille {

// What `before` becomes by y = alpha P x + beta y, or with P^T; in host memory.
template <class T>
std::vector<T> run(const GridTransfer<T>& p, const std::vector<T>& x, const std::vector<T>& before,
                   bool transposed, T alpha, T beta) {
  const auto product = [&](const T* in, T* out) {
    if (transposed)
      p.apply_transpose({}, alpha, in, beta, out);
    else
      p.apply({}, alpha, in, beta, out);
  };
  std::vector<T> y = before;
  if (p.space() == SpaceKind::cpu) {
    product(x.data(), y.data());
    return y;
  }
  Array<T, Device> in(static_cast<std::int64_t>(x.size())), out(static_cast<std::int64_t>(y.size()));
  memory::copy_to_device(in.data(), x.data(), in.bytes());
  memory::copy_to_device(out.data(), y.data(), out.bytes());
  product(in.data(), out.data());
  memory::copy_to_host(y.data(), out.data(), out.bytes());
  return y;
}

}  // namespace quadrille
