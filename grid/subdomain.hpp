// The box of nodes that one rank owns.
#pragma once

#include <array>
#include <cstdint>

#include "grid/grid.hpp"

namespace quadrille {

struct Subdomain {
  std::array<std::int64_t, 3> begin{0, 0, 0};    // first owned node along each axis
  std::array<std::int64_t, 3> extents{1, 1, 1};  // owned nodes along each axis

  std::int64_t nodes() const { return extents[0] * extents[1] * extents[2]; }
  bool owns(const Position& p) const;
};

// How many ranks stand along each axis: the factorisation of `ranks` with the smallest surface between boxes.
// Throws InputError when no factorisation leaves every rank a node.
std::array<int, 3> rank_layout(const Grid& grid, int ranks);

// The box of `rank` in that layout, ranks counted x fastest, as PETSc's DMDA does: along an axis of n nodes and p
// ranks, rank i owns n/p nodes, and one more if i < n mod p.
Subdomain owned_box(const Grid& grid, const std::array<int, 3>& layout, int rank);

// Whole planes of one axis, one rank's after the other's.
struct Planes {
  std::int64_t first = 0, count = 0;
};

// The slowest axis that has more than one node, whose planes are consecutive nodes: 2, or 1 where there is one node along z.
constexpr int slab_axis(const std::array<std::int64_t, 3>& extents) {
  return extents[2] > 1 ? 2 : 1;
}

// Those of `rank`, shared as owned_box() does along one axis; none for the last ranks where there are more ranks than planes.
Planes owned_planes(std::int64_t planes, int ranks, int rank);

}  // namespace quadrille
