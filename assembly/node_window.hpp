// The nodes that a rank's box needs, its own and those around them, and where each stands in an array of
// them.
#pragma once

#include <array>
#include <cstdint>

#include "formats/array.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// A box of nodes, around the end of the grid where it goes beyond it. Places are numbered x fastest.
struct NodeWindow {
  NodeBox box;
  std::array<std::int64_t, 3> extents{1, 1, 1};  // of the grid

  constexpr std::int64_t nodes() const { return box.nodes(); }
  constexpr std::int64_t wrapped(std::int64_t at, int axis) const {
    return at < extents[axis] ? at : at - extents[axis];
  }
  constexpr Position position(std::int64_t place) const {
    const NodePosition at = box.first_of_line(place / box.size[0]);
    return {wrapped(at[0] + place % box.size[0], 0), wrapped(at[1], 1), wrapped(at[2], 2)};
  }
  constexpr std::int64_t place(const Position& at) const {
    const auto along = [this](std::int64_t x, int axis) {
      return x < box.first[axis] ? x - box.first[axis] + extents[axis] : x - box.first[axis];
    };
    return (along(at.z, 2) * box.size[1] + along(at.y, 1)) * box.size[0] + along(at.x, 0);
  }
  // How many places further than a node's its neighbour stands, `step` = -1, 0 or 1 along an axis: 0 beyond a
  // face that is not periodic.
  constexpr std::int64_t beside(const Position& at, int axis, int step, bool periodic) const {
    if (step == 0) return 0;
    const std::int64_t along = axis == 0   ? at.x
                               : axis == 1 ? at.y
                                           : at.z,
                       apart = axis == 0   ? 1
                               : axis == 1 ? box.size[0]
                                           : box.size[0] * box.size[1];
    const bool stands = along + step >= 0 && along + step < extents[axis];
    if (stands || (periodic && box.size[axis] < extents[axis])) return step * apart;
    return periodic ? -step * (extents[axis] - 1) * apart : 0;
  }
  bool is_whole() const { return box.size == extents; }
};

// All nodes that a stencil of radius 1 reaches from a box.
NodeWindow window_around(const Grid& grid, const NodeBox& box);

// A field [node] of the grid at the places of a window. Parallel.
void copy_window(const Array<double>& field, const Grid& grid, const NodeWindow& window, double* to);

}  // namespace quadrille
