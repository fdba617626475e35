// A x for ELL, shared with HYB. Internal to kernels/cuda.
#pragma once

#include "formats/ell.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

// One thread owns one row: consecutive threads read consecutive entries of a column of ELL. Eight entries are
// in flight at once; padding (column -1) is read but neither multiplied nor looked up in x.
template <class T>
__global__ void __launch_bounds__(threads_per_block)
    ell_kernel(std::int64_t rows, std::int64_t pitch, std::int64_t width,
               const std::int32_t* __restrict__ column, const T* __restrict__ value, const T* __restrict__ x,
               Output<T> y) {
  constexpr int together = 8;
  const std::int64_t row = global_thread();
  if (row >= rows) return;
  T sum = 0;
  for (std::int64_t k = 0; k < width; k += together) {
    std::int32_t at[together];
    T a[together];
#pragma unroll
    for (int j = 0; j < together; ++j) {
      const bool there = k + j < width;
      at[j] = there ? __ldcs(column + (k + j) * pitch + row) : -1;
      a[j] = there ? __ldcs(value + (k + j) * pitch + row) : T(0);
    }
#pragma unroll
    for (int j = 0; j < together; ++j)
      if (at[j] >= 0) sum += a[j] * __ldg(x + at[j]);
  }
  y.put(row, sum);
}

template <class T>
void ell_rows(const Execution& on, const Ell<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows == 0) return;
  ell_kernel<<<blocks_for(a.rows), threads_per_block, 0, stream_of(on)>>>(
      a.rows, a.pitch, a.width, a.column.data(), a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("ell");
}

}  // namespace quadrille::cuda
