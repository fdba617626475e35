// BCSR on the GPU: one thread owns one row of a block row, or two, and neighbouring threads the rows beside
// it, so that the blocks of a block row are read one after the other. Of 2x2 blocks, two threads share the
// blocks of their rows. Two blocks a thread or more are in flight. Blocks of one entry go the way of CSR.
#include "kernels/cuda/compressed.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

struct Shape {
  std::int64_t rows, columns, block_rows;
  int block_size;
};

// `Count` consecutive values, 16 or 8 bytes a load where their alignment allows it. Whole sectors of 32 bytes
// are nobody else's and go past the caches; of others the neighbours read the rest, from the first-level
// cache.
template <int Count, class T>
__device__ void load_values(const T* p, T (&a)[Count]) {
  constexpr int bytes = Count * static_cast<int>(sizeof(T));
  constexpr int together = (bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4) / static_cast<int>(sizeof(T));
  struct Pack {
    T value[together];
  };
#pragma unroll
  for (int c = 0; c < Count; c += together) {
    const Pack pack = bytes % 32 == 0 ? load_streamed<Pack>(p + c) : load_cached<Pack>(p + c);
#pragma unroll
    for (int i = 0; i < together; ++i) a[c + i] = pack.value[i];
  }
}

// How the threads of a block row divide its work: `rows` rows each; `sharers` of them take turns at the
// blocks; `together` blocks are in flight.
template <int B>
struct Plan {
  static constexpr int rows = B == 2 ? 2 : 1, sharers = B == 2 ? 2 : 1;
  static constexpr int together = B == 2 ? 4 : 2;
  static constexpr int threads = B / rows * sharers, per_warp = 32 / threads;
};

template <int B, class T>
__global__ void __launch_bounds__(threads_per_block)
    bcsr_kernel(Shape shape, const std::int32_t* __restrict__ block_row_ptr,
                const std::int32_t* __restrict__ block_column, const T* __restrict__ value,
                const T* __restrict__ x, Output<T> y) {
  using P = Plan<B>;
  constexpr int row_groups = B / P::rows;
  const int lane = threadIdx.x % 32, thread = lane % P::threads;
  const int r = thread % row_groups * P::rows, share = thread / row_groups;
  const int block_row = static_cast<int>(global_thread() / 32) * P::per_warp + lane / P::threads;
  const bool inside = lane < P::per_warp * P::threads && block_row < shape.block_rows;
  const std::int32_t begin = inside ? __ldg(block_row_ptr + block_row) + share : 0;
  const std::int32_t end = inside ? __ldg(block_row_ptr + block_row + 1) : 0;
  const std::int32_t* columns = block_column + begin;
  const T* values = value + std::int64_t{begin} * B * B + r * B;
  T sum[P::rows] = {};
  for (int left = end - begin; left > 0; left -= P::sharers * P::together) {
    std::int32_t column[P::together];
    T a[P::together][P::rows * B];
#pragma unroll
    for (int j = 0; j < P::together; ++j)
      if (j * P::sharers < left) {
        column[j] = __ldg(columns + j * P::sharers);
        load_values(values + j * P::sharers * B * B, a[j]);
      }
#pragma unroll
    for (int j = 0; j < P::together; ++j) {
      if (j * P::sharers >= left) continue;
      const std::int64_t first = std::int64_t{column[j]} * B;
      if (first + B <= shape.columns) {
#pragma unroll
        for (int c = 0; c < B; ++c) {
          const T b = __ldg(x + first + c);
#pragma unroll
          for (int i = 0; i < P::rows; ++i) sum[i] += a[j][i * B + c] * b;
        }
      } else {  // the block sticks out of the matrix
#pragma unroll
        for (int c = 0; c < B; ++c)
          if (first + c < shape.columns)
#pragma unroll
            for (int i = 0; i < P::rows; ++i) sum[i] += a[j][i * B + c] * __ldg(x + first + c);
      }
    }
    columns += P::sharers * P::together;
    values += P::sharers * P::together * B * B;
  }
#pragma unroll
  for (int half = P::sharers / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < P::rows; ++i) sum[i] += __shfl_down_sync(full_warp, sum[i], row_groups * half);
#pragma unroll
  for (int i = 0; i < P::rows; ++i) {
    const std::int64_t row = std::int64_t{block_row} * B + r + i;
    if (inside && share == 0 && row < shape.rows) y.put(row, sum[i]);
  }
}

// Any block size: one thread a row.
template <class T>
__global__ void __launch_bounds__(threads_per_block)
    bcsr_any_kernel(Shape shape, const std::int32_t* __restrict__ block_row_ptr,
                    const std::int32_t* __restrict__ block_column, const T* __restrict__ value,
                    const T* __restrict__ x, Output<T> y) {
  const std::int64_t row = global_thread();
  if (row >= shape.rows) return;
  const int b = shape.block_size;
  const std::int64_t block_row = row / b;
  const int r = static_cast<int>(row % b);
  T sum = 0;
  for (std::int64_t k = block_row_ptr[block_row]; k < block_row_ptr[block_row + 1]; ++k) {
    const std::int64_t first = std::int64_t{__ldg(block_column + k)} * b;
    const T* const a = value + (k * b + r) * b;
    const int columns = static_cast<int>(min(std::int64_t{b}, shape.columns - first));
#pragma unroll 8
    for (int c = 0; c < columns; ++c) sum += __ldg(a + c) * __ldg(x + first + c);
  }
  y.put(row, sum);
}

}  // namespace

template <class T>
void spmv(const Execution& on, const Bcsr<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows == 0) return;
  const Shape shape{a.rows, a.columns, a.block_rows(), a.block_size};
  const auto launch = [&](auto kernel, std::int64_t threads) {
    kernel<<<blocks_for(threads), threads_per_block, 0, stream_of(on)>>>(
        shape, a.block_row_ptr.data(), a.block_column.data(), a.value.data(), x, y);
    QUADRILLE_CUDA_LAUNCHED("bcsr");
  };
  const auto multiply = [&]<int B>(std::integral_constant<int, B>) {
    constexpr int per_warp = Plan<B>::per_warp;
    launch(bcsr_kernel<B, T>, (a.block_rows() + per_warp - 1) / per_warp * 32);
  };
  switch (a.block_size) {
    case 1:  // BCSR of single entries is CSR
      return gather(on, a.rows, a.block_row_ptr, a.block_column, a.value, x, y);
    case 2:
      return multiply(std::integral_constant<int, 2>{});
    case 3:
      return multiply(std::integral_constant<int, 3>{});
    case 4:
      return multiply(std::integral_constant<int, 4>{});
    case 5:
      return multiply(std::integral_constant<int, 5>{});
    case 6:
      return multiply(std::integral_constant<int, 6>{});
    case 7:
      return multiply(std::integral_constant<int, 7>{});
    case 8:
      return multiply(std::integral_constant<int, 8>{});
    default:
      return launch(bcsr_any_kernel<T>, a.rows);
  }
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv(const Execution&, const Bcsr<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
