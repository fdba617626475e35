// y += A x for COO, shared with HYB. Internal to kernels/cuda.
#pragma once

#include "formats/coo.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

// One thread looks at one entry; the thread that finds the first entry of a row owns the row, so that no sum
// is shared and the result is the same every time. What a row has beyond 64 entries is found by bisection and
// summed by the whole warp.
template <class T>
__global__ void __launch_bounds__(threads_per_block)
    coo_add_kernel(std::int64_t nnz, const std::int32_t* __restrict__ row,
                   const std::int32_t* __restrict__ column, const T* __restrict__ value,
                   const T* __restrict__ x, T* __restrict__ y) {
  constexpr int own = 64;
  const std::int64_t k = global_thread();
  const int my_row = k < nnz ? row[k] : -1;
  const bool first = k < nnz && (k == 0 || row[k - 1] != my_row);
  T sum = 0;
  std::int64_t at = k;
  if (first)
    for (; at < nnz && at < k + own && row[at] == my_row; ++at) sum += value[at] * __ldg(x + column[at]);
  unsigned longer = __ballot_sync(full_warp, first && at < nnz && at == k + own && row[at] == my_row);
  while (longer != 0) {
    const int owner = __ffs(longer) - 1;
    longer &= longer - 1;
    const std::int64_t from = __shfl_sync(full_warp, at, owner);
    const int its_row = __shfl_sync(full_warp, my_row, owner);
    std::int64_t low = from, high = nnz;  // the end of the row lies in (low, high]
    while (low + 1 < high) {
      const std::int64_t middle = (low + high) / 2;
      (row[middle] == its_row ? low : high) = middle;
    }
    const T rest = __shfl_sync(
        full_warp, sum_lanes<32>(sparse_dot(column, value, x, from + threadIdx.x % 32, high, 32)), 0);
    if (static_cast<int>(threadIdx.x % 32) == owner) sum += rest;
  }
  if (first) y[my_row] += sum;
}

template <class T>
void coo_add(const Coo<T, Device>& a, const T* x, T* y) {
  if (a.nnz() == 0) return;
  coo_add_kernel<<<blocks_for(a.nnz()), threads_per_block>>>(a.nnz(), a.row.data(), a.column.data(),
                                                             a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("coo");
}

}  // namespace quadrille::cuda
