// Whole planes of a grid, which one rank owns.
#pragma once

#include <array>
#include <cstdint>

namespace quadrille {

// Whole planes of one axis, one rank's after the other's.
struct Planes {
  std::int64_t first = 0, count = 0;
};

// The slowest axis that has more than one node, whose planes are consecutive nodes: 2, or 1 where there is one node along z.
constexpr int slab_axis(const std::array<std::int64_t, 3>& extents) {
  return extents[2] > 1 ? 2 : 1;
}

// Those of `rank`, shared as even_cuts() does; none for the last ranks where there are more ranks than planes.
Planes owned_planes(std::int64_t planes, int ranks, int rank);

}  // namespace quadrille
