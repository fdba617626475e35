// What the CDS kernels know of an operator, passed by value, and how they find the node at a block diagonal.
// Internal to kernels/cuda.
//
// Almost every node has all its neighbours at a constant distance, the same for all nodes; only near a face
// that wraps, and near both ends of the node numbering, one must look. So a thread asks once, in
// `careful_axes()`, near what it is, and per block diagonal tests one bit; the integer arithmetic of the
// general case would cost more time than the memory.
#pragma once

#include <algorithm>

#include "formats/cds.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/divisor.hpp"

namespace quadrille::cuda {

inline constexpr int max_diagonals = 128;  // of one launch, more than the 125 points of a 5x5x5 box
inline constexpr int few_diagonals = 16;   // of a launch whose parameters stay small

// `Count` numbers as one aligned word of 4, 8 or 16 bytes.
template <class T, int Count>
struct VectorTypes;
template <class T>
struct VectorTypes<T, 1> {
  using type = T;
};
template <>
struct VectorTypes<float, 2> {
  using type = float2;
};
template <>
struct VectorTypes<float, 4> {
  using type = float4;
};
template <>
struct VectorTypes<double, 2> {
  using type = double2;
};
template <class T, int Count>
using VectorOf = typename VectorTypes<T, Count>::type;

template <class T>
__device__ void unpack(const T& from, T* v) {
  v[0] = from;
}
__device__ inline void unpack(const float2& from, float* v) {
  v[0] = from.x, v[1] = from.y;
}
__device__ inline void unpack(const float4& from, float* v) {
  v[0] = from.x, v[1] = from.y, v[2] = from.z, v[3] = from.w;
}
__device__ inline void unpack(const double2& from, double* v) {
  v[0] = from.x, v[1] = from.y;
}
__device__ inline float2 pack(const float (&v)[2]) {
  return {v[0], v[1]};
}
__device__ inline float4 pack(const float (&v)[4]) {
  return {v[0], v[1], v[2], v[3]};
}
__device__ inline double2 pack(const double (&v)[2]) {
  return {v[0], v[1]};
}

// One load of the matrix, past the caches.
template <int Rows, class T>
__device__ void load_rows(const T* from, T (&v)[Rows]) {
  unpack(__ldcs(reinterpret_cast<const VectorOf<T, Rows>*>(from)), v);
}

enum NearFace : unsigned { near_x = 1, near_y = 2, near_ends = 4 };

// Capacity: of diagonals. What a launch passes by value takes time: 2.7 KB about 0.6 us, 0.5 KB nothing that
// one can see.
template <int Capacity>
struct CdsStructure {
  std::int64_t nodes, rows;
  int nx, ny, nz;
  bool wraps_x, wraps_y, wraps_z;
  bool looks;  // beside faces along x and y
  Divisor by_nx, by_ny;
  int dof, diagonals;
  std::int64_t lowest, highest;  // distances, in nodes
  int reach_x[2], reach_y[2];    // nodes towards either face, as numbers >= 0
  std::int64_t step[Capacity];   // distance in elements of a vector, where nothing wraps
  NodeOffset offset[Capacity];   // along a periodic axis in [0, n)
  unsigned char axes[Capacity];  // NearFace bits: where the distance is not `step`
};

// Of diagonals [first, first + Capacity). `transposed`: to the nodes that couple to this one.
template <int Capacity = max_diagonals>
CdsStructure<Capacity> structure_of(const BlockStructure& a, std::int64_t first, bool transposed) {
  CdsStructure<Capacity> s{};
  s.nodes = to_index32(a.nodes(), "nodes");
  s.rows = a.rows();
  s.nx = static_cast<int>(a.extents[0]);
  s.ny = static_cast<int>(a.extents[1]);
  s.nz = static_cast<int>(a.extents[2]);
  s.wraps_x = a.periodic[0];
  s.wraps_y = a.periodic[1];
  s.wraps_z = a.periodic[2];
  s.looks = s.wraps_x || s.wraps_y;
  s.by_nx = divisor(s.nx);
  s.by_ny = divisor(s.ny);
  s.dof = a.dof;
  s.diagonals = static_cast<int>(std::min<std::int64_t>(Capacity, a.diagonals() - first));
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

// The same nodes in the same order, with the last axis of more than one node as z.
template <int Structure>
void turn_to_z(CdsStructure<Structure>& s) {
  if (s.nz > 1) return;
  const bool y = s.ny > 1;
  std::swap(y ? s.ny : s.nx, s.nz);
  std::swap(y ? s.wraps_y : s.wraps_x, s.wraps_z);
  (y ? s.by_ny : s.by_nx) = divisor(1);
  for (int d = 0; d < s.diagonals; ++d) std::swap(y ? s.offset[d].y : s.offset[d].x, s.offset[d].z);
}

// i + d on an axis of n nodes; along a periodic one 0 <= d < n.
__device__ inline int step_along(int i, int d, int n, bool wraps) {
  const int j = i + d;
  return wraps && j >= n ? j - n : j;
}

// The node at block diagonal d, or -1.
template <int Capacity>
__device__ std::int64_t neighbour(const CdsStructure<Capacity>& s, int node, int d) {
  const int line = divide(node, s.by_nx), plane = divide(line, s.by_ny);
  const int x = step_along(node - line * s.nx, s.offset[d].x, s.nx, s.wraps_x);
  const int y = step_along(line - plane * s.ny, s.offset[d].y, s.ny, s.wraps_y);
  const int z = step_along(plane, s.offset[d].z, s.nz, s.wraps_z);
  const bool inside = static_cast<unsigned>(x) < static_cast<unsigned>(s.nx) &&
                      static_cast<unsigned>(y) < static_cast<unsigned>(s.ny) &&
                      static_cast<unsigned>(z) < static_cast<unsigned>(s.nz);
  return inside ? (static_cast<std::int64_t>(z) * s.ny + y) * s.nx + x : -1;
}

// The NearFace bits of nodes node, node + apart, ... (Count of them). Where `axes[d]` has none of them, the
// nodes at diagonal d are `step[d]` elements away: beyond a side face that does not wrap that is some other
// node, where the stored values are zero.
template <int Count, int Capacity>
__device__ unsigned careful_axes(const CdsStructure<Capacity>& s, int node, int apart) {
  const std::int64_t last = node + static_cast<std::int64_t>(Count - 1) * apart;
  unsigned near = node + s.lowest < 0 || last + s.highest >= s.nodes || last >= s.nodes ? near_ends : 0;
  if (s.looks) {
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
