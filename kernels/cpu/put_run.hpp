// The end of a product that sums a run of rows in the first-level cache. Internal to kernels/cpu.
#pragma once

#include <cstdint>

#include "kernels/output.hpp"

namespace quadrille::cpu {

// y.put() of rows first .. first + count - 1.
template <class T>
void put_run(std::int64_t first, std::int64_t count, const T* sums, Output<T> y) {
  T* const to = y.to + first;
  if (y.beta != 0) {
    for (std::int64_t i = 0; i < count; ++i) y.put(first + i, sums[i]);
  } else {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) to[i] = y.alpha * sums[i];
  }
}

}  // namespace quadrille::cpu
