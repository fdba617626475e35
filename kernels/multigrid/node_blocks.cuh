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
inline PartsOfLines parts_of_lines(const Couplings& s, int kinds) {
  const int of_node = s.dof / kinds, most = cuda::threads_per_block / of_node,
            parts = (s.line + most - 1) / most, nodes = (s.line + parts - 1) / parts;
  return {nodes,
          parts,
          of_node,
          divisor(parts),
          divisor(of_node),
          (nodes * of_node + 31) / 32 * 32,
          parts * s.n[1] * s.n[2]};
}

// A step by nodes: what a node's block multiplies goes through shared memory.
template <class F>
__global__ void __launch_bounds__(cuda::threads_per_block)
    node_rows_kernel(const __grid_constant__ F f, const __grid_constant__ PartsOfLines lines) {
  using T = typename F::Number;
  constexpr int kinds = F::rows;
  __shared__ alignas(4 * sizeof(T)) T of_nodes[cuda::threads_per_block * kinds];
  const int line = divide(static_cast<int>(blockIdx.x), lines.by_parts), z = divide(line, f.s.by_n1),
            part = static_cast<int>(blockIdx.x) - line * lines.parts, i = threadIdx.x,
            of_block = divide(i, lines.by_threads_of_node),
            kind = (i - of_block * lines.threads_of_node) * kinds, x = part * lines.nodes + of_block;
  const bool there = of_block < lines.nodes && x < f.s.line;
  const auto node = f.node_at({there ? x : 0, line - z * f.s.n[1], z});
  T sum[kinds], times[kinds];
  if (there) {
    f.own_sums(f.source(), node, kind, sum);
    if constexpr (requires { F::of_difference; }) {
      f.difference(node.first_row + kind, times);
      store(of_nodes + i * kinds, times);
    } else {
      store(of_nodes + i * kinds, sum);
    }
  }
  __syncthreads();
  if (!there) return;
  const T* const of_node = of_nodes + of_block * f.s.dof;
  if constexpr (requires { F::of_difference; }) {
    f.times(f.diagonal, of_node, node, kind, times);
    f.finish(node.first_row + kind, times, sum);
  } else {
    f.times(f.inverse, of_node, node, kind, times);
    f.finish(node.first_row + kind, times, nullptr);
  }
}

}  // namespace quadrille::multigrid::device
