// Where the numbers of a Jacobian stand. Internal to assembly.
#pragma once

#include <array>
#include <cstdint>

#include "formats/block_diagonals.hpp"
#include "grid/grid.hpp"

namespace quadrille {

// The block diagonals of a Jacobian on a whole grid, as a kernel reads them. The stencil is of radius 1.
struct JacobianShape {
  std::array<std::int64_t, 3> extents{1, 1, 1};
  std::array<bool, 3> periodic{};
  int dof = 1, diagonals = 0;
  std::array<NodeOffset, 27> offset{};    // [diagonal]
  std::array<std::int8_t, 27> of_cube{};  // [Seed::place_in_cube] the diagonal that leads there, or -1
  bool centre_has_beside = false;         // the centre's blocks have what couples beside it, too
  bool star = true;                       // no diagonal leads to a diagonal neighbour

  // Whether diagonal d leads from a node to one, and to which.
  constexpr bool neighbour(const Position& at, int d, Position& to) const {
    std::array<std::int64_t, 3> p{at.x + offset[d].x, at.y + offset[d].y, at.z + offset[d].z};
    for (int axis = 0; axis < 3; ++axis) {
      if (periodic[axis] && p[axis] < 0) p[axis] += extents[axis];
      if (periodic[axis] && p[axis] >= extents[axis]) p[axis] -= extents[axis];
      if (p[axis] < 0 || p[axis] >= extents[axis]) return false;
    }
    to = {p[0], p[1], p[2]};
    return true;
  }
};

// Throws FormatError for a stencil that reaches further than neighbours.
JacobianShape jacobian_shape(const BlockStructure& structure);

}  // namespace quadrille
