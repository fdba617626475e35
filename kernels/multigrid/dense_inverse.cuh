// The steps of a dense inverse in GPU memory. Internal to kernels/multigrid.
#pragma once

#include <mma.h>

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/dense_inverse.hpp"

namespace quadrille::multigrid::device {

namespace wmma = nvcuda::wmma;

// By Gauss-Jordan in one block of threads. Each has every 16th row and column of the matrix in registers;
// what all need of it at a step, one row and one column, is in shared memory, twice, so that threads wait for
// each other once. With 0 in their place and -1 as the column's own number it is the same sum for all
// elements.
inline constexpr int side = 16, of_side = inverse_block / side;
static __global__ void __launch_bounds__(side* side)
    invert_block_kernel(const double* a, std::int64_t stride, int size, double* inverse) {
  __shared__ double rows[2][inverse_block], columns[2][inverse_block], pivots[2];
  const int r = threadIdx.x % side, c = threadIdx.x / side;
  double own[of_side][of_side];  // [column][row]
#pragma unroll
  for (int j = 0; j < of_side; ++j)
#pragma unroll
    for (int i = 0; i < of_side; ++i) {
      const int row = r + side * i, column = c + side * j;
      own[j][i] = row < size && column < size ? a[column * stride + row] : 0;
    }
#pragma unroll
  for (int part = 0; part < of_side; ++part)
    for (int k = 0; k < side && side * part + k < size; ++k) {
      double *const row = rows[k % 2], *const column = columns[k % 2];
      const bool own_row = r == k, own_column = c == k;
      if (own_row && own_column) {
        const double diagonal = own[part][part];
        pivots[k % 2] = diagonal == 0 ? 0 : 1 / diagonal;
        own[part][part] = 1;  // of the row, which is multiplied with it
      }
      if (own_row)
#pragma unroll
        for (int j = 0; j < of_side; ++j) {
          row[c + side * j] = own[j][part];
          own[j][part] = 0;
        }
      if (own_column)
#pragma unroll
        for (int i = 0; i < of_side; ++i) {
          column[r + side * i] = own_row && i == part ? -1 : own[part][i];
          own[part][i] = 0;
        }
      __syncthreads();
      double of_column[of_side];
#pragma unroll
      for (int i = 0; i < of_side; ++i) of_column[i] = column[r + side * i];
#pragma unroll
      for (int j = 0; j < of_side; ++j) {
        const double of_row = pivots[k % 2] * row[c + side * j];
#pragma unroll
        for (int i = 0; i < of_side; ++i) own[j][i] -= of_column[i] * of_row;
      }
    }
#pragma unroll
  for (int j = 0; j < of_side; ++j)
#pragma unroll
    for (int i = 0; i < of_side; ++i)
      if (r + side * i < size && c + side * j < size)
        inverse[(c + side * j) * inverse_block + r + side * i] = own[j][i];
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
