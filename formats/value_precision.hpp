// Values that are stored with fewer bits than the vectors they are multiplied with: half or a quarter of the
// bytes, and a product that is off by the rounding of each value. Sums and vectors keep their precision.
//
//   fp32   a float: each value is off by at most 2^-24 of itself
//   bf16   the upper half of a float, of eight significant bits: 2^-8 of itself
//
// Rounding is to the nearest, and to even between two.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace quadrille {

enum class ValuePrecision { own, fp32, bf16 };  // own: that of the vectors

struct Bf16 {
  std::uint16_t upper = 0;
  constexpr explicit operator float() const { return __builtin_bit_cast(float, std::uint32_t{upper} << 16); }
  constexpr explicit operator double() const { return static_cast<float>(*this); }
};

inline const char* to_string(ValuePrecision precision) {
  return precision == ValuePrecision::fp32 ? "fp32" : precision == ValuePrecision::bf16 ? "bf16" : "own";
}
// Of a value with so many bytes at `own`.
constexpr std::int64_t bytes_of(ValuePrecision precision, std::int64_t own) {
  return precision == ValuePrecision::fp32 ? 4 : precision == ValuePrecision::bf16 ? 2 : own;  // never more
}
// By how much of itself a value is off at most. Both roundings of a double to bf16 are counted.
constexpr double rounding_of(ValuePrecision precision, std::int64_t own) {
  return precision == ValuePrecision::bf16               ? 0x1p-8 + 0x1p-24
         : precision == ValuePrecision::fp32 && own == 8 ? 0x1p-24
                                                         : 0;
}

// `value` as a V. On the CPU and, compiled by nvcc with --expt-relaxed-constexpr, on the GPU.
template <class V, class T>
constexpr V rounded(T value) {
  if constexpr (std::is_same_v<V, Bf16>) {
    const auto bits = __builtin_bit_cast(std::uint32_t, static_cast<float>(value));
    if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>(bits >> 16 | 0x40u)};  // NaN
    return {static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
  } else {
    return static_cast<V>(value);
  }
}
// Whether the bound above holds: not of finite numbers beyond the largest, nor of those below the smallest
// normal one but 0.
template <class V, class T>
constexpr bool rounds_well(T value) {
  const T size = value < 0 ? -value : value;
  if (std::is_same_v<V, T> || size == 0 || !(value - value == 0)) return true;
  const auto back = static_cast<T>(static_cast<float>(rounded<V>(value)));
  return size >= static_cast<T>(0x1p-126f) && back - back == 0;
}

}  // namespace quadrille
