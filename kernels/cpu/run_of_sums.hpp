// Products that sum a run of rows in the first-level cache. Internal to kernels/cpu.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/output.hpp"

namespace quadrille::cpu {

// Zeros for the sums of rows first .. first + count - 1: in y itself where that is not read, else in
// `buffer`.
template <class T>
T* begin_run(std::int64_t first, std::int64_t count, T* buffer, const Output<T>& y) {
  T* const sums = y.beta == 0 ? y.to + first : buffer;
  std::fill(sums, sums + count, T(0));
  return sums;
}

// Then y.put() of these sums.
template <class T>
void end_run(std::int64_t first, std::int64_t count, const T* sums, const Output<T>& y) {
  if (y.beta == 0 && y.alpha == 1) return;
  for (std::int64_t i = 0; i < count; ++i) y.put(first + i, sums[i]);
}

}  // namespace quadrille::cpu
