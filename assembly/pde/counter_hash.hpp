// Random numbers by counting: the number of a place depends on (seed, place) only, never on order, threads or
// machine. Source: the output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014; constants as in
// Vigna's splitmix64.c).
#pragma once

#include <cstdint>

namespace quadrille {

constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Number `counter` + 1 of the SplitMix64 sequence that starts at mix64(seed).
constexpr std::uint64_t counter_hash(std::uint64_t seed, std::uint64_t counter) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  return mix64(mix64(seed) + golden * (counter + 1));
}

// An odd multiple of 2^-52 in (-1, 1): uniform, exact in double, never zero.
constexpr double signed_unit(std::uint64_t hash) {
  const std::int64_t odd = static_cast<std::int64_t>(hash >> 12) * 2 + 1 - (std::int64_t{1} << 52);
  return static_cast<double>(odd) * 0x1p-52;
}

}  // namespace quadrille
