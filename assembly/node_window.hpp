// The nodes that a rank's box needs, its own and those around them, and where each stands in an array of
// them.
#pragma once

#include <array>
#include <cstdint>

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
  bool is_whole() const { return box.size == extents; }
};

// All nodes that a stencil of radius 1 reaches from a box.
NodeWindow window_around(const Grid& grid, const NodeBox& box);

}  // namespace quadrille
