// DIA on the GPU: one thread owns the rows that 16 bytes hold (two in fp64, four in fp32), so that every
// diagonal is read and y is written with unit stride, 16 bytes a thread. Four diagonals are in flight at
// once. Beside the diagonal before it, as in the blocks of a grid operator, a diagonal needs x one element
// on: the thread keeps what it has and loads one more. The transposed product gathers: the thread of column j
// reads entry (j - offset, j) of every diagonal, also with unit stride but not aligned, so one row a thread
// and eight diagonals in flight.
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

template <class T>
constexpr int rows_of_16_bytes = 16 / sizeof(T);

// y = A x; Width is 1 or rows_of_16_bytes, and then rows is a multiple of it and y.to aligned to 16 bytes.
template <int Width, class T>
__global__ void __launch_bounds__(threads_per_block)
    dia_kernel(std::int64_t rows, std::int64_t columns, std::int64_t diagonals,
               const std::int64_t* __restrict__ offset, const T* __restrict__ value, const T* __restrict__ x,
               Output<T> y) {
  constexpr int together = Width > 1 ? 4 : 8;
  struct alignas(Width * sizeof(T)) Pack {
    T row[Width];
  };
  const std::int64_t i = global_thread() * Width;
  if (i >= rows) return;
  const auto x_at = [&](std::int64_t j) { return 0 <= j && j < columns ? __ldg(x + j) : T(0); };
  Pack sum{};
  for (std::int64_t d = 0; d < diagonals; d += together) {
    Pack a[together];
    T b[together][Width];
#pragma unroll
    for (int j = 0; j < together; ++j)
      if (d + j < diagonals)
        a[j] = load_streamed<Pack>(value + (d + j) * rows + i);
      else
        a[j] = {};
    std::int64_t before = 0;
#pragma unroll
    for (int j = 0; j < together; ++j) {
      const std::int64_t at = d + j < diagonals ? __ldg(offset + d + j) : columns;
      if (Width > 1 && j > 0 && at == before + 1) {
#pragma unroll
        for (int w = 0; w + 1 < Width; ++w) b[j][w] = b[j - 1][w + 1];
        b[j][Width - 1] = x_at(i + at + Width - 1);
      } else {
#pragma unroll
        for (int w = 0; w < Width; ++w) b[j][w] = x_at(i + at + w);
      }
      before = at;
    }
#pragma unroll
    for (int j = 0; j < together; ++j)
#pragma unroll
      for (int w = 0; w < Width; ++w) sum.row[w] += a[j].row[w] * b[j][w];
  }
#pragma unroll
  for (int w = 0; w < Width; ++w) sum.row[w] = y.value(i + w, sum.row[w]);
  *reinterpret_cast<Pack*>(y.to + i) = sum;
}

// y = A^T x.
template <class T>
__global__ void __launch_bounds__(threads_per_block)
    dia_transpose_kernel(std::int64_t rows, std::int64_t columns, std::int64_t diagonals,
                         const std::int64_t* __restrict__ offset, const T* __restrict__ value,
                         const T* __restrict__ x, Output<T> y) {
  constexpr int together = 8;
  const std::int64_t i = global_thread();
  if (i >= columns) return;
  T sum = 0;
  for (std::int64_t d = 0; d < diagonals; d += together) {
    T a[together], b[together];
#pragma unroll
    for (int j = 0; j < together; ++j) {
      a[j] = b[j] = 0;
      if (d + j >= diagonals) continue;
      const std::int64_t from = i - __ldg(offset + d + j);
      if (from < 0 || from >= rows) continue;
      a[j] = __ldcs(value + (d + j) * rows + from);
      b[j] = __ldg(x + from);
    }
#pragma unroll
    for (int j = 0; j < together; ++j) sum += a[j] * b[j];
  }
  y.put(i, sum);
}

template <class T, class Kernel>
void launch(const Execution& on, const Dia<T, Device>& a, Kernel kernel, std::int64_t threads, const T* x,
            Output<T> y) {
  if (threads == 0) return;
  kernel<<<blocks_for(threads), threads_per_block, 0, stream_of(on)>>>(a.rows, a.columns, a.diagonals(),
                                                                       a.offset.data(), a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("dia");
}

}  // namespace

template <class T>
void spmv(const Execution& on, const Dia<T, Device>& a, const T* x, Output<T> y) {
  constexpr int width = rows_of_16_bytes<T>;
  const bool wide = a.rows % width == 0 && reinterpret_cast<std::uintptr_t>(y.to) % 16 == 0;
  launch(on, a, wide ? dia_kernel<width, T> : dia_kernel<1, T>, wide ? a.rows / width : a.rows, x, y);
}

template <class T>
void spmv_transpose(const Execution& on, const Dia<T, Device>& a, const T* x, Output<T> y) {
  launch(on, a, dia_transpose_kernel<T>, a.columns, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                                                    \
  template void spmv(const Execution&, const Dia<T, Device>&, const T*, Output<T>); \
  template void spmv_transpose(const Execution&, const Dia<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
