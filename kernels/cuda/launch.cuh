// What the kernels share: launch shapes, guarded and streamed loads, sums over lanes. Internal to
// kernels/cuda.
#pragma once

#include <cstdint>

#include "kernels/cuda/check.hpp"

namespace quadrille::cuda {

inline constexpr int threads_per_block = 256;
inline constexpr unsigned full_warp = 0xffffffffu;

// Blocks of threads_per_block for so many threads. Throws FormatError when there are too many.
inline unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>(
      to_index32((threads + threads_per_block - 1) / threads_per_block, "blocks of threads"));
}

__device__ inline std::int64_t global_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
}

// The sum over groups of `Lanes` neighbouring lanes, in the same order every time; every lane of the warp
// takes part, and the first lane of each group gets the result.
template <int Lanes, class T>
__device__ T sum_lanes(T value) {
#pragma unroll
  for (int step = Lanes / 2; step > 0; step /= 2) value += __shfl_down_sync(full_warp, value, step, Lanes);
  return value;
}

// Sum of value[k] * x[index[k]] for k = first, first + step, ... below end. Matrix values and indices are
// streamed past the caches, x is read through the read-only path; four entries are in flight at once.
template <class T>
__device__ T sparse_dot(const std::int32_t* __restrict__ index, const T* __restrict__ value,
                        const T* __restrict__ x, std::int64_t first, std::int64_t end, std::int64_t step) {
  constexpr int together = 4;
  T sum = 0;
  for (std::int64_t k = first; k < end; k += together * step) {
    std::int32_t at[together];
    T a[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const bool there = k + i * step < end;
      at[i] = there ? __ldcs(index + k + i * step) : 0;
      a[i] = there ? __ldcs(value + k + i * step) : T(0);
    }
#pragma unroll
    for (int i = 0; i < together; ++i)
      if (k + i * step < end) sum += a[i] * __ldg(x + at[i]);
  }
  return sum;
}

}  // namespace quadrille::cuda
