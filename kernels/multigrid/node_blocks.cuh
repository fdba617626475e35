// Steps of multigrid that the rows of a node do together, a thread each. Internal to kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/cycle_steps.hpp"

namespace quadrille::multigrid::device {

// A step by nodes: the rows' own sums go through shared memory.
template <class F>
__global__ void __launch_bounds__(cuda::threads_per_block)
    node_rows_kernel(const __grid_constant__ F f, int rows_of_block) {
  using T = typename F::Number;
  __shared__ T sums[cuda::threads_per_block];
  const int i = threadIdx.x;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * rows_of_block + i;
  const bool there = i < rows_of_block && row < f.s.rows;
  if (there) sums[i] = f.own_sum(f.source(), row);
  __syncthreads();
  if (!there) return;
  T sum[1] = {f.times_inverse(sums + i / f.s.dof * f.s.dof, row)};
  f.finish(row, sum, nullptr);
}

}  // namespace quadrille::multigrid::device
