// DIA on the GPU: one thread owns one row, so that every diagonal is read and y is written with unit stride.
// Eight diagonals are in flight at once. The transposed product gathers: the thread of column j reads entry
// (j - offset, j) of every diagonal, again with unit stride.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

// Row i of the result is the sum over diagonals of value[d*pitch + at] * x[from], where `at` is the stored
// row and `from` the element of x: i and i + offset, or both i - offset for the transpose.
template <bool Transposed, class T>
__global__ void __launch_bounds__(threads_per_block)
    dia_kernel(std::int64_t rows, std::int64_t size_y, std::int64_t size_x, std::int64_t diagonals,
               const std::int64_t* __restrict__ offset, const T* __restrict__ value, const T* __restrict__ x,
               T* __restrict__ y) {
  constexpr int together = 8;
  const std::int64_t i = global_thread();
  if (i >= size_y) return;
  T sum = 0;
  for (std::int64_t d = 0; d < diagonals; d += together) {
    T a[together], b[together];
#pragma unroll
    for (int j = 0; j < together; ++j) {
      a[j] = b[j] = 0;
      if (d + j >= diagonals) continue;
      const std::int64_t from = Transposed ? i - __ldg(offset + d + j) : i + __ldg(offset + d + j);
      if (from < 0 || from >= size_x) continue;
      a[j] = __ldcs(value + (d + j) * rows + (Transposed ? from : i));
      b[j] = __ldg(x + from);
    }
#pragma unroll
    for (int j = 0; j < together; ++j) sum += a[j] * b[j];
  }
  y[i] = sum;
}

template <bool Transposed, class T>
void multiply(const Dia<T, Device>& a, const T* x, T* y) {
  const std::int64_t size_y = Transposed ? a.columns : a.rows, size_x = Transposed ? a.rows : a.columns;
  if (size_y == 0) return;
  dia_kernel<Transposed><<<blocks_for(size_y), threads_per_block>>>(a.rows, size_y, size_x, a.diagonals(),
                                                                    a.offset.data(), a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("dia");
}

}  // namespace

template <class T>
void spmv(const Dia<T, Device>& a, const T* x, T* y) {
  multiply<false>(a, x, y);
}

template <class T>
void spmv_transpose(const Dia<T, Device>& a, const T* x, T* y) {
  multiply<true>(a, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                           \
  template void spmv(const Dia<T, Device>&, const T*, T*); \
  template void spmv_transpose(const Dia<T, Device>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
