// Steps of multigrid that the rows of a node do together, a thread each. Internal to kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/cycle_steps.hpp"

namespace quadrille::multigrid::device {

// The nodes of a line that a block does: where they are in the grid is known but for x, which leaves a thread
// little to count.
struct PartsOfLines {
  int nodes, parts;  // of a block; of a line
  Divisor by_parts;
  int threads, blocks;
};
inline PartsOfLines parts_of_lines(const Couplings& s) {
  const int most = cuda::threads_per_block / s.dof, parts = (s.line + most - 1) / most,
            nodes = (s.line + parts - 1) / parts;
  return {nodes, parts, divisor(parts), (nodes * s.dof + 31) / 32 * 32, parts * s.n[1] * s.n[2]};
}

// A step by nodes: the rows' own sums go through shared memory.
template <class F>
__global__ void __launch_bounds__(cuda::threads_per_block)
    node_rows_kernel(const __grid_constant__ F f, const __grid_constant__ PartsOfLines lines) {
  using T = typename F::Number;
  __shared__ T sums[cuda::threads_per_block];
  const int line = divide(static_cast<int>(blockIdx.x), lines.by_parts), z = divide(line, f.s.by_n1),
            part = static_cast<int>(blockIdx.x) - line * lines.parts, i = threadIdx.x,
            of_block = divide(i, f.s.by_dof), kind = i - of_block * f.s.dof,
            x = part * lines.nodes + of_block;
  const bool there = of_block < lines.nodes && x < f.s.line;
  const auto node = f.node_at({there ? x : 0, line - z * f.s.n[1], z});
  if (there) sums[i] = f.own_sum(f.source(), node, kind);
  __syncthreads();
  if (!there) return;
  T sum[1] = {f.times_inverse(sums + of_block * f.s.dof, node, kind)};
  f.finish(node.first_row + kind, sum, nullptr);
}

}  // namespace quadrille::multigrid::device
