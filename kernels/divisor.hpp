// Division by a number that is known before a loop or a launch, for the CPU and the GPU. Internal to kernels.
#pragma once

#include <bit>
#include <cstdint>

namespace quadrille {

// n / divisor for 0 <= n < 2^31, by a multiplication: factor = ceil(2^shift / divisor), shift = 31 +
// ceil(log2 divisor).
struct Divisor {
  unsigned factor = 1u << 31, shift = 31;  // of 1
};

inline Divisor divisor(std::int64_t n) {
  const int shift = 31 + std::bit_width(static_cast<unsigned>(n - 1));
  return {static_cast<unsigned>(((std::uint64_t{1} << shift) + n - 1) / n), static_cast<unsigned>(shift)};
}

constexpr int divide(int n, Divisor d) {
  return static_cast<int>((static_cast<std::uint64_t>(static_cast<unsigned>(n)) * d.factor) >> d.shift);
}

}  // namespace quadrille
