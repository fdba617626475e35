// What the kernels share: launch shapes, guarded and streamed loads, sums over lanes. Internal to
// kernels/cuda.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/stream.hpp"
#include "kernels/output.hpp"

namespace quadrille::cuda {

inline constexpr int threads_per_block = 256;
inline constexpr unsigned full_warp = 0xffffffffu;

// Blocks of `block` threads for so many threads. Throws FormatError when there are too many.
inline unsigned blocks_for(std::int64_t threads, int block = threads_per_block) {
  return static_cast<unsigned>(to_index32((threads + block - 1) / block, "blocks of threads"));
}

__device__ inline std::int64_t global_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
}

// One aligned load of 4, 8 or 16 bytes as a Pack of numbers: past the caches, or through the read-only path.
template <class Pack>
using WordOf = std::conditional_t<sizeof(Pack) == 16, int4, std::conditional_t<sizeof(Pack) == 8, int2, int>>;
template <class Pack, class T>
__device__ Pack load_streamed(const T* p) {
  return __builtin_bit_cast(Pack, __ldcs(reinterpret_cast<const WordOf<Pack>*>(p)));
}
template <class Pack, class T>
__device__ Pack load_cached(const T* p) {
  return __builtin_bit_cast(Pack, __ldg(reinterpret_cast<const WordOf<Pack>*>(p)));
}

// The sum over groups of `Lanes` neighbouring lanes, in the same order every time; every lane of the warp
// takes part, and the first lane of each group gets the result.
template <int Lanes, class T>
__device__ T sum_lanes(T value) {
#pragma unroll
  for (int step = Lanes / 2; step > 0; step /= 2) value += __shfl_down_sync(full_warp, value, step, Lanes);
  return value;
}

// The sum over a block of `Threads`, in the same order every time; the first thread gets it. Every thread
// takes part.
template <int Threads, class T>
__device__ T sum_block(T value) {
  constexpr int warps = Threads / 32;
  __shared__ T of_warp[warps];
  value = sum_lanes<32>(value);
  __syncthreads();  // of_warp may still be read for the sum before
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < warps ? of_warp[threadIdx.x] : T(0);
  return sum_lanes<warps>(value);
}

// Blocks whose sums sum_grid() takes.
inline constexpr unsigned most_summed_blocks = 1024;

// The sums over all blocks of a launch, in the same order every time: true for the one thread that has them.
// Every thread takes part. `done` is 0 before the launch, and again after it; of_block: [sum][block].
template <int Count>
__device__ bool sum_grid(double (&sum)[Count], unsigned* done, double (*of_block)[most_summed_blocks]) {
  __shared__ bool last;
#pragma unroll
  for (int s = 0; s < Count; ++s) sum[s] = sum_block<threads_per_block>(sum[s]);
  if (threadIdx.x == 0) {
#pragma unroll
    for (int s = 0; s < Count; ++s) of_block[s][blockIdx.x] = sum[s];
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
#pragma unroll
  for (int s = 0; s < Count; ++s) {
    sum[s] = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += threads_per_block) sum[s] += __ldcg(&of_block[s][b]);
    sum[s] = sum_block<threads_per_block>(sum[s]);
  }
  if (threadIdx.x != 0) return false;
  *done = 0;
  return true;
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

// The same over `count` entries k = first, first + step, ... for a thread that has a long part of a row to
// itself: eight entries are in flight at once, and there are no branches between their loads.
template <class T>
__device__ T thread_dot(const std::int32_t* __restrict__ index, const T* __restrict__ value,
                        const T* __restrict__ x, std::int64_t first, int count, std::int64_t step) {
  constexpr int together = 8;
  T sum = 0;
  index += first;
  value += first;
  for (; count > 0; count -= together, index += together * step, value += together * step) {
    std::int32_t at[together];
    T a[together];
#pragma unroll
    for (int j = 0; j < together; ++j) {  // beyond the last entry it is read again
      const std::int64_t k = min(j, count - 1) * step;
      at[j] = __ldcs(index + k);
      a[j] = __ldcs(value + k);
    }
#pragma unroll
    for (int j = 0; j < together; ++j) {
      const T product = a[j] * __ldg(x + at[j]);
      if (j < count) sum += product;
    }
  }
  return sum;
}

}  // namespace quadrille::cuda
