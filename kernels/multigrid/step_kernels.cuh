// The kernels that do the steps of multigrid, functors, an element a call. Internal to kernels/multigrid.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

namespace device {

using cuda::threads_per_block;

// Steps that load a few numbers for each that they store say so, and a thread does several, for enough loads
// in flight.
template <class F>
constexpr int elements_of_thread() {
  if constexpr (requires { F::light; })
    return 4;
  else
    return 1;
}

// Consecutive threads have consecutive elements, which are consecutive in every array of a step.
template <class F>
__global__ void __launch_bounds__(threads_per_block)
    each_kernel(const __grid_constant__ F f, std::int64_t n) {
  constexpr int each = elements_of_thread<F>();
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * threads_per_block * each + threadIdx.x;
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (first + k * threads_per_block < n) f(first + k * threads_per_block);
}

// A warp for 32 neighbouring rows at one offset along x; those of the other offsets, which read the same rows
// of the fine operator, in the same block.
template <class F>
__global__ void __launch_bounds__(96, 5) column_kernel(const __grid_constant__ F f, int blocks_along_x) {
  const int block = blockIdx.x, line = block / blocks_along_x,
            place = (block - line * blocks_along_x) * 32 + threadIdx.x;
  if (place < f.line()) f.make(place, threadIdx.y, line);
}

// A warp for 32 neighbouring rows, and lines beside each other, which read some of the same fine rows, in a
// block.
inline constexpr int lines_together = 4;
template <class F>
__global__ void __launch_bounds__(32 * lines_together, F::blocks_of_processor)
    whole_columns_kernel(const __grid_constant__ F f, int blocks_along_x) {
  const int block = blockIdx.x, lines = block / blocks_along_x,
            place = (block - lines * blocks_along_x) * 32 + threadIdx.x;
  const std::int64_t line = std::int64_t{lines} * lines_together + threadIdx.y;
  if (place < f.line() && line < f.lines()) f.make(place, line);
}

// Steps that sum over neighbours, of small levels: all warps of a block have the same 32 rows, and each of
// them a part of the couplings.
inline constexpr int most_parts_of_row = 8;
template <class F>
__global__ void __launch_bounds__(32 * most_parts_of_row) parts_kernel(const __grid_constant__ F f) {
  using T = typename F::Number;
  __shared__ T sums[most_parts_of_row][32];
  const std::int64_t rows = f.s.rows;
  const std::int64_t row = std::int64_t{blockIdx.x} * 32 + threadIdx.x;
  if (row < rows) sums[threadIdx.y][threadIdx.x] = f.part_of_sum(f.source(), row, threadIdx.y, blockDim.y);
  __syncthreads();
  if (threadIdx.y > 0 || row >= rows) return;
  T sum[1] = {};
  for (int part = 0; part < static_cast<int>(blockDim.y); ++part) sum[0] += sums[part][threadIdx.x];
  f.finish(row, sum, nullptr);
}

// Of numbers that are not negative; the first thread has the largest.
__device__ inline double largest_of_block(double value) {
  __shared__ double values[threads_per_block];
  values[threadIdx.x] = value;
  for (int half = threads_per_block / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) >= half) continue;
    const double a = values[threadIdx.x], b = values[threadIdx.x + half];
    values[threadIdx.x] = a < b ? b : a;
  }
  return values[0];
}

template <class F>
__global__ void __launch_bounds__(threads_per_block)
    largest_kernel(const __grid_constant__ F f, std::int64_t n, double* of_block) {
  double value = 0;
  for (std::int64_t i = cuda::global_thread(); i < n;
       i += static_cast<std::int64_t>(gridDim.x) * threads_per_block) {
    const double other = f(i);
    value = value < other ? other : value;
  }
  value = largest_of_block(value);
  if (threadIdx.x == 0) of_block[blockIdx.x] = value;
}

// of_block: [sum][block], and behind them the largest of each block where that is asked for
template <class F, bool Largest>
__global__ void __launch_bounds__(threads_per_block, 3)
    sums_kernel(const __grid_constant__ F f, std::int64_t n, double* of_block) {
  double sums[F::count] = {}, value = 0;
  for (std::int64_t i = cuda::global_thread(); i < n;
       i += static_cast<std::int64_t>(gridDim.x) * threads_per_block) {
    if constexpr (Largest)
      f.add(i, sums, value);
    else
      f.add(i, sums);
  }
  if constexpr (has_faces<F>) {
    const std::int64_t at_faces = f.size_at_faces();
    for (std::int64_t i = cuda::global_thread(); i < at_faces;
         i += static_cast<std::int64_t>(gridDim.x) * threads_per_block)
      f.add_at_face(i, sums);
  }
#pragma unroll
  for (int k = 0; k < F::count; ++k) {
    const double sum = cuda::sum_block<threads_per_block>(sums[k]);
    if (threadIdx.x == 0) of_block[k * gridDim.x + blockIdx.x] = sum;
  }
  if constexpr (Largest) {
    value = largest_of_block(value);
    if (threadIdx.x == 0) of_block[F::count * gridDim.x + blockIdx.x] = value;
  }
}

}  // namespace device

}  // namespace quadrille::multigrid
