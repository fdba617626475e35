// Steps of multigrid that the rows of a node do together, some of them a thread. Internal to
// kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/cycle_steps.hpp"

namespace quadrille::multigrid::device {

// The nodes of a line that a block does: where they are in the grid is known but for x, which leaves a thread
// little to count.
struct PartsOfLines {
  int nodes, parts;  // of a block; of a line
  int threads_of_node;
  Divisor by_parts, by_threads_of_node;
  int threads, blocks;
};
// Of each plane, or of so many together.
inline PartsOfLines parts_of_lines(const Couplings& s, int kinds, int planes = 1) {
  const int of_node = s.dof / kinds, most = cuda::threads_per_block / of_node,
            parts = (s.line + most - 1) / most, nodes = (s.line + parts - 1) / parts;
  return {nodes,
          parts,
          of_node,
          divisor(parts),
          divisor(of_node),
          (nodes * of_node + 31) / 32 * 32,
          parts * s.n[1] * ((s.n[2] + planes - 1) / planes)};
}

// Where a thread is: its node, one of a block's, in a plane or a group of these, and the first of its kinds.
struct PlaceInLine {
  int x, y, z, kind;
  int own, of_node;  // where its numbers are in shared memory, and the node's
  bool there;
};
// Numbers of a block's nodes there. Behind each node is a word more, so that a warp's nodes are in different
// banks; nodes that are one word need none.
template <int Kinds>
constexpr int shared_numbers = (cuda::threads_per_block + cuda::threads_per_block / 2) * Kinds;
template <int Kinds>
__device__ PlaceInLine place_in_line(const Couplings& s, const PartsOfLines& lines) {
  const int line = divide(static_cast<int>(blockIdx.x), lines.by_parts), z = divide(line, s.by_n1),
            part = static_cast<int>(blockIdx.x) - line * lines.parts, i = threadIdx.x,
            of_block = divide(i, lines.by_threads_of_node), x = part * lines.nodes + of_block;
  const bool there = of_block < lines.nodes && x < s.line;
  const int more = lines.threads_of_node > 1 ? 1 : 0;
  return {there ? x : 0,
          line - z * s.n[1],
          z,
          (i - of_block * lines.threads_of_node) * Kinds,
          (i + more * of_block) * Kinds,
          of_block * (lines.threads_of_node + more) * Kinds,
          there};
}

// Of the rows from `row` on: what the node's block multiplies, and what is made of the products.
template <class F, class T, int Kinds>
__device__ void put_factors(const F& f, std::int64_t row, const T (&sum)[Kinds], T* of_nodes) {
  if constexpr (requires { F::of_difference; }) {
    T difference[Kinds];
    f.difference(row, difference);
    store(of_nodes, difference);
  } else {
    store(of_nodes, sum);
  }
}
template <class F, class T, int Kinds>
__device__ void finish_rows(const F& f, std::int64_t row, T (&times)[Kinds], const T (&sum)[Kinds]) {
  if constexpr (requires { F::of_difference; })
    f.finish(row, times, sum);
  else
    f.finish(row, times, nullptr);
}

// A step by nodes: what a node's block multiplies goes through shared memory.
template <class F>
__device__ void do_rows(const F& f, const PlaceInLine& at, int z, typename F::Number* of_nodes) {
  const auto node = f.node_at({at.x, at.y, z});
  typename F::Number sum[F::rows], times[F::rows];
  if (at.there) {
    f.own_sums(f.source(), node, at.kind, sum);
    put_factors(f, node.first_row + at.kind, sum, of_nodes + at.own);
  }
  __syncthreads();
  if (!at.there) return;
  f.times(f.block(), of_nodes + at.of_node, node, at.kind, times);
  finish_rows(f, node.first_row + at.kind, times, sum);
}
template <class F>
__global__ void __launch_bounds__(cuda::threads_per_block)
    node_rows_kernel(const __grid_constant__ F f, const __grid_constant__ PartsOfLines lines) {
  using T = typename F::Number;
  __shared__ alignas(4 * sizeof(T)) T of_nodes[shared_numbers<F::rows>];
  const PlaceInLine at = place_in_line<F::rows>(f.s, lines);
  do_rows(f, at, at.z, of_nodes);
}

// The same of few rows: a thread has nodes one above the other, and asks once for what all of them multiply.
inline constexpr int planes_of_nodes = 4;
struct GroupOfPlanes {
  int first;
  bool alike;  // whether rows are the same in all of them
};
__device__ inline GroupOfPlanes group_of_planes(const Couplings& s, int number) {
  const int first = min(number * planes_of_nodes, s.n[2] - planes_of_nodes);
  return {first, s.stored.along(2, first) == s.stored.along(2, first + planes_of_nodes - 1)};
}
template <class F>
__global__ void __launch_bounds__(cuda::threads_per_block)
    node_planes_kernel(const __grid_constant__ F f, const __grid_constant__ PartsOfLines lines) {
  using T = typename F::Number;
  constexpr int kinds = F::rows, planes = planes_of_nodes, apart = shared_numbers<kinds>;
  __shared__ alignas(4 * sizeof(T)) T of_nodes[planes * apart];
  const Couplings& s = f.s;
  const PlaceInLine at = place_in_line<kinds>(s, lines);
  const GroupOfPlanes group = group_of_planes(s, at.z);
  if (!group.alike) {
    for (int p = 0; p < planes; ++p) {
      do_rows(f, at, group.first + p, of_nodes);
      __syncthreads();
    }
    return;
  }
  const auto node = f.node_at({at.x, at.y, group.first});
  const int of_plane = s.line * s.n[1] * s.dof;
  const std::int64_t row = node.first_row + at.kind;
  T sum[planes][kinds], times[planes][kinds];
  if (at.there) {
    int plane[planes + 2];  // how far, with the ones before and behind
#pragma unroll
    for (int k = 0; k < planes + 2; ++k) {
      const int z = group.first - 1 + k;
      plane[k] = (k - 1 + (z < 0 ? s.n[2] : z >= s.n[2] ? -s.n[2] : 0)) * of_plane;
    }
    f.template own_sums<planes>(f.source(), node, plane, at.kind, sum);
#pragma unroll
    for (int p = 0; p < planes; ++p)
      put_factors(f, row + p * of_plane, sum[p], of_nodes + p * apart + at.own);
  }
  __syncthreads();
  if (!at.there) return;
  f.template times<planes>(f.block(), of_nodes + at.of_node, apart, node, at.kind, times);
#pragma unroll
  for (int p = 0; p < planes; ++p) finish_rows(f, row + p * of_plane, times[p], sum[p]);
}

// And products with blocks alone.
template <class F>
__global__ void __launch_bounds__(cuda::threads_per_block)
    block_planes_kernel(const __grid_constant__ F f, const __grid_constant__ PartsOfLines lines) {
  const Couplings& s = f.s;
  const PlaceInLine at = place_in_line<F::rows>(s, lines);
  const GroupOfPlanes group = group_of_planes(s, at.z);
  if (!at.there) return;
  const int of_plane = s.line * s.n[1], node = s.index({at.x, at.y, group.first});
  if (group.alike) return f.template multiply<planes_of_nodes>(node, at.kind, of_plane);
  for (int p = 0; p < planes_of_nodes; ++p) f.template multiply<1>(node + p * of_plane, at.kind, 0);
}

}  // namespace quadrille::multigrid::device
