// The steps of a dense inverse in GPU memory. Internal to kernels/multigrid.
#pragma once

#include <mma.h>

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/dense_inverse.hpp"

namespace quadrille::multigrid::device {

namespace wmma = nvcuda::wmma;

// By Gauss-Jordan in one block of threads, in panels of 16 rows and columns as BlockStep has them:
//
//     A - C R    with zeros in A's rows and columns of the panel, R = P A_Bj, but P where j is in B, and
//                C = A_iB, but -1 on the diagonal where i is in B
//
// A warp has 16 rows of the matrix in registers, in tiles of 8 x 8 that an instruction multiplies; C and R
// are in shared memory, in lines whose numbers a warp reads from different banks. One warp inverts A_BB.
inline constexpr int panel = 16, warps_of_inverse = inverse_block / panel,
                     threads_of_inverse = 32 * warps_of_inverse, tiles_of_row = inverse_block / 8,
                     line_of_c = panel + 4, line_of_r = inverse_block + 4;

// sum += a b of 8 x 4 and 4 x 8 numbers: a lane has row lane / 4 and column lane % 4 of a, the same of b's
// transpose, and columns 2 (lane % 4) and the next of row lane / 4 of the sum.
__device__ inline void multiply_tile(double a, double b, double (&sum)[2]) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(sum[0]), "+d"(sum[1])
      : "d"(a), "d"(b));
}

// Of 16 x 16 numbers at `from`, by Gauss-Jordan in a warp: a lane has half of a row.
static __device__ __noinline__ void invert_panel(const double* from, double* to) {
  const int lane = threadIdx.x % 32, r = lane % panel, half = lane / panel;
  double own[panel / 2];
#pragma unroll
  for (int j = 0; j < panel / 2; ++j) own[j] = from[r * line_of_r + half * (panel / 2) + j];
#pragma unroll
  for (int k = 0; k < panel; ++k) {
    constexpr unsigned all = 0xffffffffu;
    const int half_of_k = k / (panel / 2), place = k % (panel / 2);
    const double pivot = __shfl_sync(all, own[place], k + panel * half_of_k),
                 of_column = __shfl_sync(all, own[place], r + panel * half_of_k),
                 by = pivot == 0 ? 0 : 1 / pivot;
#pragma unroll
    for (int j = 0; j < panel / 2; ++j) {
      const bool in_column = half == half_of_k && j == place;
      const double of_row = __shfl_sync(all, own[j], k + panel * half), scaled = in_column ? by : of_row * by;
      own[j] = r == k ? scaled : (in_column ? 0 : own[j]) - of_column * scaled;
    }
  }
#pragma unroll
  for (int j = 0; j < panel / 2; ++j) to[r * line_of_c + half * (panel / 2) + j] = own[j];
}

static __global__ void __launch_bounds__(threads_of_inverse)
    invert_block_kernel(const double* a, std::int64_t stride, int size, double* inverse) {
  __shared__ double c[inverse_block][line_of_c], r[panel][line_of_r], p[panel][line_of_c];
  const int warp = threadIdx.x / 32, row = threadIdx.x % 32 / 4, column = threadIdx.x % 4,
            first = warp * panel + row;
  double own[2][tiles_of_row][2];  // of rows first and first + 8, at columns 8 tile + 2 column and the next
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int tile = 0; tile < tiles_of_row; ++tile)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int at = first + 8 * half, to = 8 * tile + 2 * column + i;
        own[half][tile][i] = at < size && to < size ? a[to * stride + at] : at == to ? 1 : 0;
      }
#pragma unroll
  for (int step = 0; step < warps_of_inverse; ++step) {
    if (step * panel >= size) break;
    const bool in_panel = warp == step;
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int tile = 0; tile < tiles_of_row; ++tile)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          double& value = own[half][tile][i];
          const bool in_column = tile / 2 == step;
          const int k = tile % 2 * 8 + 2 * column + i;
          if (in_panel) r[row + 8 * half][8 * tile + 2 * column + i] = value;
          if (in_column) c[first + 8 * half][k] = !in_panel ? value : row + 8 * half == k ? -1 : 0;
          if (in_panel || in_column) value = 0;
        }
    __syncthreads();
    if (warp == 0) invert_panel(&r[0][step * panel], &p[0][0]);
    __syncthreads();
    double made[2][2][2] = {};  // R of 16 columns
#pragma unroll
    for (int k = 0; k < panel; k += 4)
#pragma unroll
      for (int tile = 0; tile < 2; ++tile) {
        const double right = r[k + column][warp * panel + 8 * tile + row];
#pragma unroll
        for (int half = 0; half < 2; ++half)
          multiply_tile(p[row + 8 * half][k + column], right, made[half][tile]);
      }
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int tile = 0; tile < 2; ++tile)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int to = 8 * tile + 2 * column + i;
          r[row + 8 * half][warp * panel + to] = in_panel ? p[row + 8 * half][to] : made[half][tile][i];
        }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < panel; k += 4) {
      const double left[2] = {-c[first][k + column], -c[first + 8][k + column]};
#pragma unroll
      for (int tile = 0; tile < tiles_of_row; ++tile) {
        const double right = r[k + column][8 * tile + row];
#pragma unroll
        for (int half = 0; half < 2; ++half) multiply_tile(left[half], right, own[half][tile]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int tile = 0; tile < tiles_of_row; ++tile)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int at = first + 8 * half, to = 8 * tile + 2 * column + i;
        if (at < size && to < size) inverse[to * inverse_block + at] = own[half][tile][i];
      }
}

// A block of threads makes `tile` rows and columns of a product, `part` of its inner numbers at a time. Lines
// of `padded` numbers: what a warp reads of four of them is in different banks.
inline constexpr int tile = 64, padded = tile + 4, part = 32,
                     of_thread = tile * tile / cuda::threads_per_block,
                     of_part = tile * part / cuda::threads_per_block;
static_assert(cuda::threads_per_block == 256);

// The tile, of which a warp has 16 rows and 32 columns: 8 x 8 numbers, by four inner ones, an instruction.
class TileSums {
 public:
  __device__ TileSums() {
#pragma unroll
    for (int i = 0; i < 8; ++i) wmma::fill_fragment(sums_[i % 2][i / 2], 0.0);
  }
  // += left right, [inner][row] and [inner][column].
  __device__ void add(const double* left, const double* right) {
#pragma unroll
    for (int k = 0; k < part; k += 4) {
      wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::col_major> a[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(a[i], left + k * padded + row() + 8 * i, padded);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> b;
        wmma::load_matrix_sync(b, right + k * padded + column() + 8 * j, padded);
#pragma unroll
        for (int i = 0; i < 2; ++i) wmma::mma_sync(sums_[i][j], a[i], b, sums_[i][j]);
      }
    }
  }
  // [column][row]
  __device__ void store(double* to) const {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        wmma::store_matrix_sync(to + (column() + 8 * j) * padded + row() + 8 * i, sums_[i][j], padded,
                                wmma::mem_col_major);
  }

 private:
  static __device__ int row() {
    return threadIdx.x / 32 % 4 * 16;
  }
  static __device__ int column() {
    return threadIdx.x / 128 * 32;
  }
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sums_[2][4];
};

// A product as RowsOfBlock and RestOfBlock describe one. While a part is multiplied the next one is on its
// way.
template <class F>
__global__ void __launch_bounds__(cuda::threads_per_block, 2) product_kernel(const __grid_constant__ F f) {
  alignas(32) __shared__ double memory[2 * part * padded];
  double *const left = memory, *const right = memory + part * padded;  // [inner][row], [inner][column]
  const std::int64_t first_row = std::int64_t{blockIdx.x} * tile,
                     first_column = std::int64_t{blockIdx.y} * tile;
  // This thread's row, or column, and its lines of inner numbers; or its inner number and columns.
  const int row = threadIdx.x % tile, line = threadIdx.x / tile, inner = threadIdx.x % part,
            column = threadIdx.x / part;
  double of_left[of_part], of_right[of_part], before[of_thread];
  const auto load = [&](int k) {
#pragma unroll
    for (int i = 0; i < of_part; ++i) {
      const int l = k + line + 4 * i, m = F::right_by_inner ? k + inner : l;
      const std::int64_t j = first_column + (F::right_by_inner ? column + 8 * i : row);
      of_left[i] = l < f.inner() && first_row + row < f.rows() ? f.left(first_row + row, l) : 0;
      of_right[i] = m < f.inner() && j < f.columns() ? f.right(m, j) : 0;
    }
  };
  TileSums sums;
  load(0);
  for (int k = 0; k < f.inner(); k += part) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < of_part; ++i) {
      left[(line + 4 * i) * padded + row] = of_left[i];
      right[F::right_by_inner ? inner * padded + column + 8 * i : (line + 4 * i) * padded + row] =
          of_right[i];
    }
    __syncthreads();
    if (k + part < f.inner()) load(k + part);
    sums.add(left, right);
  }
#pragma unroll
  for (int i = 0; i < of_thread; ++i) {
    const std::int64_t r = first_row + row, c = first_column + line + 4 * i;
    before[i] = r < f.rows() && c < f.columns() ? f.before(r, c) : 0;
  }
  __syncthreads();
  sums.store(memory);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < of_thread; ++i) {
    const std::int64_t r = first_row + row, c = first_column + line + 4 * i;
    if (r < f.rows() && c < f.columns()) f.store(r, c, before[i], memory[(line + 4 * i) * padded + row]);
  }
}

}  // namespace quadrille::multigrid::device
