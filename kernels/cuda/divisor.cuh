// Division by a number that is known before the launch. Internal to kernels/cuda.
#pragma once

#include <bit>
#include <cstdint>

namespace quadrille::cuda {

// n / divisor for 0 <= n < 2^31, by a multiplication: factor = ceil(2^shift / divisor), shift = 31 +
// ceil(log2 divisor).
struct Divisor {
  unsigned factor, shift;
};

inline Divisor divisor(std::int64_t n) {
  const int shift = 31 + std::bit_width(static_cast<unsigned>(n - 1));
  return {static_cast<unsigned>(((std::uint64_t{1} << shift) + n - 1) / n), static_cast<unsigned>(shift)};
}

__device__ inline int divide(int n, Divisor d) {
  return static_cast<int>((static_cast<std::uint64_t>(static_cast<unsigned>(n)) * d.factor) >> d.shift);
}

}  // namespace quadrille::cuda
