// Steps of multigrid that the rows of a node do together, a thread each. Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/setup_steps.hpp"

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

// InvertBlocks with a block in shared memory, [row][column], whose columns begin in different banks.
constexpr int bytes_of_blocks(int dof, int nodes) {
  return nodes * dof * ((dof + 1) * static_cast<int>(sizeof(double)) + static_cast<int>(sizeof(int)));
}
constexpr int nodes_of_block(int dof) {
  constexpr int most_threads = 128, most_bytes = 48 << 10;
  return std::max(1, std::min(most_threads / dof, most_bytes / bytes_of_blocks(dof, 1)));
}
static __global__ void __launch_bounds__(128)
    invert_blocks_kernel(const __grid_constant__ InvertBlocks f, std::int64_t nodes) {
  extern __shared__ double blocks[];
  const int dof = f.dof, stride = dof + 1, here = blockDim.x / dof, own = threadIdx.x / dof,
            i = threadIdx.x - own * dof;
  double* const a = blocks + own * dof * stride;
  int* const swapped = reinterpret_cast<int*>(blocks + here * dof * stride) + own * dof;
  const std::int64_t node = static_cast<std::int64_t>(blockIdx.x) * here + own, row = node * dof + i;
  for (int c = 0; c < dof; ++c) a[i * stride + c] = node < nodes ? f.blocks[c * f.rows + row] : 0;
  __syncthreads();
  for (int k = 0; k < dof; ++k) {
    int pivot = k;
    for (int r = k + 1; r < dof; ++r)
      if (absolute(a[r * stride + k]) > absolute(a[pivot * stride + k])) pivot = r;
    const double of_pivot = a[pivot * stride + k];
    __syncthreads();
    if (of_pivot == 0) pivot = k;
    if (i == 0) swapped[k] = pivot;
    if (const double v = a[k * stride + i]; pivot != k) {
      a[k * stride + i] = a[pivot * stride + i];
      a[pivot * stride + i] = v;
    }
    __syncthreads();
    if (of_pivot == 0)
      a[k * stride + i] = 0;
    else
      a[k * stride + i] = (i == k ? 1 : a[k * stride + i]) * (1 / of_pivot);
    __syncthreads();
    if (i != k) {
      const double factor = of_pivot == 0 ? 0 : a[i * stride + k];
      a[i * stride + k] = 0;
      for (int c = 0; c < dof; ++c) a[i * stride + c] -= factor * a[k * stride + c];
    }
    __syncthreads();
  }
  for (int k = dof - 1; k >= 0; --k) {
    const int other = swapped[k];
    const double v = a[i * stride + k];
    a[i * stride + k] = a[i * stride + other];
    a[i * stride + other] = v;
  }
  for (int c = 0; c < dof && node < nodes; ++c) f.inverse[c * f.rows + row] = a[i * stride + c];
}

}  // namespace quadrille::multigrid::device
