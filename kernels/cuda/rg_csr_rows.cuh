// RgCSR with several threads a row: what one thread a row lacks where rows are long and groups few. Internal
// to kernels/cuda.
#pragma once

#include <cstdint>

#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

struct RgCsrRows {
  int rows;
  const std::int32_t* group_ptr;
  const std::int32_t* row_length;
  const std::int32_t* order;
  const std::int32_t* column;
};

inline constexpr int rg_csr_most = 1024;  // threads of a block
inline constexpr int rg_csr_own = 32;     // entries of a thread before a row counts as long

// A block owns a group; thread (r, s) takes entries s, s + S, ... of row r, so that neighbouring threads read
// neighbouring entries. Where at most a quarter of the group's rows have more than 32 S entries, the whole
// block sums what these have beyond, one such row after the other. Sums meet in shared memory, in the same
// order every time.
template <class T>
__global__ void __launch_bounds__(rg_csr_most, 1)
    rg_csr_rows_kernel(const __grid_constant__ RgCsrRows a, const T* __restrict__ value,
                       const T* __restrict__ x, Output<T> y) {
  __shared__ T partial[rg_csr_most];
  __shared__ std::int32_t length_of[rg_csr_most];
  const int group = static_cast<int>(blockDim.x), slices = static_cast<int>(blockDim.y);
  const int r = static_cast<int>(threadIdx.x), s = static_cast<int>(threadIdx.y);
  const int first = static_cast<int>(blockIdx.x) * group, size = min(group, a.rows - first);
  const bool inside = r < size;
  const int thread = s * group + r, threads = group * slices, most = rg_csr_own * slices;
  const std::int64_t begin = __ldg(a.group_ptr + blockIdx.x);
  const int length = inside ? __ldg(a.row_length + first + r) : 0;
  const int longer = __syncthreads_count(s == 0 && length > most);
  const bool apart = longer > 0 && 4 * longer <= size;
  const int own = apart ? min(length, most) : length;
  T sum = thread_dot(a.column, value, x, begin + r + static_cast<std::int64_t>(s) * size,
                     (own - s + slices - 1) / slices, static_cast<std::int64_t>(slices) * size);
  partial[thread] = sum;
  if (s == 0) length_of[r] = length;
  __syncthreads();
  if (s == 0)
    for (int i = 1; i < slices; ++i) sum += partial[i * group + r];
  if (apart)
    for (int row = 0; row < size; ++row) {
      const int all = length_of[row];
      if (all <= most) continue;
      const int count = (all - most - thread + threads - 1) / threads;
      T rest = thread_dot(a.column, value, x, begin + row + static_cast<std::int64_t>(most + thread) * size,
                          count, static_cast<std::int64_t>(threads) * size);
      __syncthreads();  // partial may still be read
      partial[thread] = rest;
      for (int half = rg_csr_most / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half && thread + half < threads) partial[thread] += partial[thread + half];
      }
      __syncthreads();
      if (s == 0 && r == row) sum += partial[0];
    }
  if (inside && s == 0) y.put(a.order != nullptr ? a.order[first + r] : first + r, sum);
}

}  // namespace quadrille::cuda
