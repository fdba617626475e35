// What the CDS kernels know of an operator, passed by value, and how they find the node at a block diagonal.
// Internal to kernels/cuda.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "formats/cds.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

inline constexpr int max_diagonals = 128;  // of one launch, more than the 125 points of a 5x5x5 box

struct CdsStructure {
  std::int64_t nodes, rows;
  int nx, ny, nz;
  bool wraps_x, wraps_y, wraps_z;
  int dof, diagonals;
  bool accumulate;                   // y += instead of y =
  int distance[max_diagonals];       // node index difference, where no axis is periodic
  NodeOffset offset[max_diagonals];  // for the transpose: to the nodes that couple to this one
};

// Of diagonals [first, first + max_diagonals).
template <class T>
CdsStructure structure_of(const BlockDiagonals<T, Device>& a, std::int64_t first, bool transposed) {
  CdsStructure s{};
  s.nodes = to_index32(a.nodes(), "nodes");
  s.rows = a.rows();
  s.nx = static_cast<int>(a.extents[0]);
  s.ny = static_cast<int>(a.extents[1]);
  s.nz = static_cast<int>(a.extents[2]);
  s.wraps_x = a.periodic[0];
  s.wraps_y = a.periodic[1];
  s.wraps_z = a.periodic[2];
  s.dof = a.dof;
  s.diagonals = static_cast<int>(std::min<std::int64_t>(max_diagonals, a.diagonals() - first));
  s.accumulate = first > 0;
  for (int d = 0; d < s.diagonals; ++d) {
    const NodeOffset& o = a.offsets[first + d];
    const NodeOffset from = transposed ? NodeOffset{-o.x, -o.y, -o.z} : o;
    const auto wrapped = [&](std::int32_t step, int axis) {  // to [0, n) along a periodic axis
      const auto n = static_cast<std::int32_t>(a.extents[axis]);
      return a.periodic[axis] ? (step % n + n) % n : step;
    };
    s.offset[d] = {wrapped(from.x, 0), wrapped(from.y, 1), wrapped(from.z, 2)};
    const std::int64_t distance = a.linear(from);
    to_index32(std::abs(distance), "nodes between neighbours");
    s.distance[d] = static_cast<int>(distance);
  }
  return s;
}

// Where a thread's node stands; the position only where an axis is periodic.
struct CdsNode {
  std::int64_t index;
  int x, y, z;
};

template <bool Periodic>
__device__ CdsNode node_at(const CdsStructure& s, int index) {
  if constexpr (!Periodic) return {index, 0, 0, 0};
  const int line = index / s.nx;
  return {index, index - line * s.nx, line % s.ny, line / s.ny};
}

// i + d on an axis of n nodes; along a periodic one 0 <= d < n.
__device__ inline int step_along(int i, int d, int n, bool wraps) {
  const int j = i + d;
  return wraps && j >= n ? j - n : j;
}

// The node at block diagonal d, or -1. Without periodic axes it is a constant distance away: beyond a side
// face that is some other node, where the stored values are zero.
template <bool Periodic>
__device__ std::int64_t neighbour(const CdsStructure& s, const CdsNode& node, int d) {
  if constexpr (Periodic) {
    const int x = step_along(node.x, s.offset[d].x, s.nx, s.wraps_x);
    const int y = step_along(node.y, s.offset[d].y, s.ny, s.wraps_y);
    const int z = step_along(node.z, s.offset[d].z, s.nz, s.wraps_z);
    const bool inside = static_cast<unsigned>(x) < static_cast<unsigned>(s.nx) &&
                        static_cast<unsigned>(y) < static_cast<unsigned>(s.ny) &&
                        static_cast<unsigned>(z) < static_cast<unsigned>(s.nz);
    return inside ? (static_cast<std::int64_t>(z) * s.ny + y) * s.nx + x : -1;
  }
  const std::int64_t to = node.index + s.distance[d];
  return 0 <= to && to < s.nodes ? to : -1;
}

}  // namespace quadrille::cuda
