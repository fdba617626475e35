// ELLR-T on the GPU. Source: Vazquez, Fernandez, Garzon 2011, section 3.2. T neighbouring lanes own a row and
// step through it T entries at a time; the layout puts these, and those of the next row, side by side. Lanes
// stop at the row's own length; the partial sums meet in registers, where the paper used shared memory.
// Blocks have as many threads as Launch::block says: one kernel for all of them, whose bound of registers is
// that of the largest.
#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int most_threads = ellr_t_blocks.back();

__device__ inline std::int64_t thread_of_grid() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Ahead: a thread reads 8 entries of its row at once, or repeats the last of them; without it 4, and none in
// vain.
template <int Threads, bool Ahead, class T>
__global__ void __launch_bounds__(most_threads)
    ellr_t_kernel(std::int64_t rows, std::int64_t pitch, const std::int32_t* __restrict__ row_length,
                  const std::int32_t* __restrict__ column, const T* __restrict__ value,
                  const T* __restrict__ x, Output<T> y) {
  const std::int64_t thread = thread_of_grid(), row = thread / Threads;
  const int lane = static_cast<int>(thread % Threads);
  const bool inside = row < rows;
  const int length = inside ? row_length[row] : 0;
  // entry lane + s*Threads of the row stands at s*pitch*Threads + thread
  const int steps = length > lane ? (length - lane + Threads - 1) / Threads : 0;
  T sum;
  if constexpr (Ahead)
    sum = thread_dot(column, value, x, thread, steps, pitch);
  else
    sum = sum_lanes<Threads>(
        sparse_dot(column, value, x, thread, thread + steps * pitch * Threads, pitch * Threads));
  if (inside && lane == 0) y.put(row, sum);
}

constexpr int eager = 8;  // entries in flight

// One thread a row, in fp32, of rows that mostly have `eager` entries or `width`: the first of them are read
// before the row's length is there, for the layout holds as many of every row; of the others none beyond its
// end, where the last entry is read again. No branch stands between the loads.
template <class T>
__global__ void __launch_bounds__(most_threads)
    ellr_t_eager_kernel(std::int64_t rows, std::int64_t pitch, int width,
                        const std::int32_t* __restrict__ row_length, const std::int32_t* __restrict__ column,
                        const T* __restrict__ value, const T* __restrict__ x, Output<T> y) {
  const std::int64_t row = thread_of_grid();
  if (row >= rows) return;
  int left = __ldcs(row_length + row), last = width - 1;
  column += row;
  value += row;
  T sum = 0;
  do {
    std::int32_t at[eager];
    T a[eager];
#pragma unroll
    for (int j = 0; j < eager; ++j) {
      const std::int64_t k = min(j, last) * pitch;
      at[j] = __ldcs(column + k);
      a[j] = __ldcs(value + k);
    }
#pragma unroll
    for (int j = 0; j < eager; ++j)
      if (j < left) sum += a[j] * __ldg(x + at[j]);
    column += eager * pitch;
    value += eager * pitch;
    left -= eager;
    last = left - 1;
  } while (left > 0);
  y.put(row, sum);
}

}  // namespace

template <class T>
void spmv(const Execution& on, const EllrT<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows == 0) return;
  const int block = on.prepared.block;
  const unsigned blocks = blocks_for(a.rows * a.threads, block);
  const auto launch = [&](auto kernel) {
    kernel<<<blocks, block, 0, stream_of(on)>>>(a.rows, a.pitch, a.row_length.data(), a.column.data(),
                                                a.value.data(), x, y);
    QUADRILLE_CUDA_LAUNCHED("ellr_t");
  };
  if constexpr (sizeof(T) == 4) {
    // at least three quarters of what is read early is used
    const bool full = 4 * a.nnz >= 3 * a.rows * std::min<std::int64_t>(a.width, eager);
    if (a.threads == 1 && a.width > 0 && full) {
      ellr_t_eager_kernel<<<blocks, block, 0, stream_of(on)>>>(a.rows, a.pitch, static_cast<int>(a.width),
                                                               a.row_length.data(), a.column.data(),
                                                               a.value.data(), x, y);
      QUADRILLE_CUDA_LAUNCHED("ellr_t");
      return;
    }
  }
  switch (a.threads) {
    case 1:  // short rows read too much in vain where 8 entries are read at once
      return 2 * a.nnz > 9 * a.rows ? launch(ellr_t_kernel<1, true, T>) : launch(ellr_t_kernel<1, false, T>);
    case 2:
      return launch(ellr_t_kernel<2, false, T>);
    case 4:
      return launch(ellr_t_kernel<4, false, T>);
    case 8:
      return launch(ellr_t_kernel<8, false, T>);
    case 16:
      return launch(ellr_t_kernel<16, false, T>);
    default:
      return launch(ellr_t_kernel<32, false, T>);
  }
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv(const Execution&, const EllrT<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
