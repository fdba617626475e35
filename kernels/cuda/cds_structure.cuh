// What the CDS kernels know of an operator, passed by value, and how they find the node at a block diagonal. Internal to
// kernels/cuda.
//
// Almost every node has all its neighbours at a constant distance, the same for all nodes; only near a face that wraps, and
// near both ends of the node numbering, one must look. So a thread asks once, in `careful_axes()`, near what it is, and per
// block diagonal tests one bit; the integer arithmetic of the general case would cost more time than the memory.
#pragma once

#include <algorithm>

#include "formats/cds.hpp"
#include "kernels/cuda/divisor.cuh"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

inline constexpr int max_diagonals = 128;  // of one launch, more than the 125 points of a 5x5x5 box

enum NearFace : unsigned { near_x = 1, near_y = 2, near_ends = 4 };

struct CdsStructure {
  std::int64_t nodes, rows;
  int nx, ny, nz;
  bool wraps_x, wraps_y, wraps_z;
  Divisor by_nx, by_ny;
  int dof, diagonals;
  bool accumulate;                    // y += instead of y =
  std::int64_t lowest, highest;       // distances, in nodes
  int reach_x[2], reach_y[2];         // nodes towards either face, as numbers >= 0
  std::int64_t step[max_diagonals];   // distance in elements of a vector, where nothing wraps
  NodeOffset offset[max_diagonals];   // along a periodic axis in [0, n)
  unsigned char axes[max_diagonals];  // NearFace bits: where the distance is not `step`
};

// Of diagonals [first, first + max_diagonals). `transposed`: to the nodes that couple to this one.
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
  s.by_nx = divisor(s.nx);
  s.by_ny = divisor(s.ny);
  s.dof = a.dof;
  s.diagonals = static_cast<int>(std::min<std::int64_t>(max_diagonals, a.diagonals() - first));
  s.accumulate = first > 0;
  for (int d = 0; d < s.diagonals; ++d) {
    const NodeOffset& o = a.offsets[first + d];
    const NodeOffset to = transposed ? NodeOffset{-o.x, -o.y, -o.z} : o;
    const auto wrapped = [&](std::int32_t step, int axis) {
      const auto n = static_cast<std::int32_t>(a.extents[axis]);
      return a.periodic[axis] ? (step % n + n) % n : step;
    };
    s.offset[d] = {wrapped(to.x, 0), wrapped(to.y, 1), wrapped(to.z, 2)};
    const std::int64_t distance = a.linear(to);
    s.step[d] = distance * a.dof;
    s.lowest = std::min(s.lowest, distance);
    s.highest = std::max(s.highest, distance);
    for (const int side : {0, 1}) {
      s.reach_x[side] = std::max(s.reach_x[side], side == 0 ? -to.x : to.x);
      s.reach_y[side] = std::max(s.reach_y[side], side == 0 ? -to.y : to.y);
    }
    s.axes[d] = static_cast<unsigned char>(near_ends | (s.wraps_x && to.x != 0 ? near_x : 0) |
                                           (s.wraps_y && to.y != 0 ? near_y : 0));
  }
  return s;
}

// i + d on an axis of n nodes; along a periodic one 0 <= d < n.
__device__ inline int step_along(int i, int d, int n, bool wraps) {
  const int j = i + d;
  return wraps && j >= n ? j - n : j;
}

// The node at block diagonal d, or -1.
__device__ inline std::int64_t neighbour(const CdsStructure& s, int node, int d) {
  const int line = divide(node, s.by_nx), plane = divide(line, s.by_ny);
  const int x = step_along(node - line * s.nx, s.offset[d].x, s.nx, s.wraps_x);
  const int y = step_along(line - plane * s.ny, s.offset[d].y, s.ny, s.wraps_y);
  const int z = step_along(plane, s.offset[d].z, s.nz, s.wraps_z);
  const bool inside = static_cast<unsigned>(x) < static_cast<unsigned>(s.nx) &&
                      static_cast<unsigned>(y) < static_cast<unsigned>(s.ny) &&
                      static_cast<unsigned>(z) < static_cast<unsigned>(s.nz);
  return inside ? (static_cast<std::int64_t>(z) * s.ny + y) * s.nx + x : -1;
}

// The NearFace bits of nodes node, node + apart, ... (Count of them). Where `axes[d]` has none of them, the nodes at
// diagonal d are `step[d]` elements away: beyond a side face that does not wrap that is some other node, where the stored
// values are zero.
template <int Count>
__device__ unsigned careful_axes(const CdsStructure& s, int node, int apart) {
  const std::int64_t last = node + static_cast<std::int64_t>(Count - 1) * apart;
  unsigned near = node + s.lowest < 0 || last + s.highest >= s.nodes || last >= s.nodes ? near_ends : 0;
  if (s.wraps_x || s.wraps_y) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const int n = node + i * apart, line = divide(n, s.by_nx), x = n - line * s.nx,
                y = line - divide(line, s.by_ny) * s.ny;
      if (x < s.reach_x[0] || x + s.reach_x[1] >= s.nx) near |= near_x;
      if (y < s.reach_y[0] || y + s.reach_y[1] >= s.ny) near |= near_y;
    }
  }
  return near;
}

}  // namespace quadrille::cuda
