// The coarsest grid's solve in GPU memory by a dense inverse, and means (by planes: plane_solve.cuh).
// Internal to kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"

namespace quadrille::multigrid::device {

// A block of threads for a row.
template <class T>
__global__ void __launch_bounds__(128) dense_kernel(std::int64_t rows, const double* __restrict__ a,
                                                    const T* __restrict__ b, T* __restrict__ x) {
  double sum = 0;
  for (std::int64_t c = threadIdx.x; c < rows; c += 128) sum += a[blockIdx.x * rows + c] * b[c];
  sum = cuda::sum_block<128>(sum);
  if (threadIdx.x == 0) x[blockIdx.x] = static_cast<T>(sum);
}

// A block of threads for an unknown of the nodes: the sum of its numbers over that of the nodes.
template <class T>
__global__ void __launch_bounds__(1024)
    mean_kernel(std::int64_t count, std::int64_t nodes, const T* __restrict__ values,
                double* __restrict__ means) {
  double sum = 0;
  for (std::int64_t i = blockIdx.x + std::int64_t{threadIdx.x} * gridDim.x; i < count; i += 1024 * gridDim.x)
    sum += static_cast<double>(values[i]);
  sum = cuda::sum_block<1024>(sum);
  if (threadIdx.x == 0) means[blockIdx.x] = sum / static_cast<double>(nodes);
}

}  // namespace quadrille::multigrid::device
