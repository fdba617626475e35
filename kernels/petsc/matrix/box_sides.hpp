// The nodes of a rank's box that may couple to nodes of other ranks. Internal to kernels/petsc/matrix_type.
#pragma once

#include <algorithm>
#include <vector>

#include "grid/partition.hpp"

namespace quadrille::petsc {

// Positions within the box, in the order of their numbers, of the nodes as near as `reach` to a side of the
// box that is not a side of the grid.
inline std::vector<NodePosition> nodes_at_sides(const Partition& p, const NodeBox& box,
                                                const NodePosition& reach) {
  std::vector<NodePosition> nodes;
  NodePosition low{0, 0, 0}, high = box.size;  // of the others
  for (int axis = 0; axis < 3; ++axis) {
    if (box.size[axis] == p.extents[axis]) continue;
    low[axis] = std::min(reach[axis], box.size[axis]);
    high[axis] = std::max(low[axis], box.size[axis] - reach[axis]);
  }
  for (std::int64_t z = 0; z < box.size[2]; ++z)
    for (std::int64_t y = 0; y < box.size[1]; ++y) {
      const bool crosses = y >= low[1] && y < high[1] && z >= low[2] && z < high[2];
      for (std::int64_t x = 0; x < (crosses ? low[0] : box.size[0]); ++x) nodes.push_back({x, y, z});
      for (std::int64_t x = high[0]; crosses && x < box.size[0]; ++x) nodes.push_back({x, y, z});
    }
  return nodes;
}

}  // namespace quadrille::petsc
