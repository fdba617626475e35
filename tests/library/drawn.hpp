// Values for tests of the library.
#pragma once

#include <cstdint>
#include <random>

#include "quadrille/grid_residual.hpp"

namespace quadrille {

// 0.2 to 1, by node and unknown: the same on any ranks.
inline Vector drawn(const GridResidual& f, int seed) {
  Vector v = f.vector();
  return v.fill([=](const Position& p, int unknown) {
    std::mt19937_64 random(
        static_cast<std::uint64_t>(seed + 7 * unknown + 31 * p.x + 1009 * p.y + 77731 * p.z));
    return std::uniform_real_distribution<>(0.2, 1.0)(random);
  });
}

}  // namespace quadrille
