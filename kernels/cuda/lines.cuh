// Products of lines of entries (rows of CSR, columns of CSC, strips of CMRS), read side by side whatever the
// lengths of the lines, and summed line by line from shared memory. After CSR-stream: Greathouse and Daga,
// SC14. Internal to kernels/cuda.
#pragma once

#include <algorithm>

#include "formats/array.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

// Line i holds entries ptr[i] .. ptr[i+1] - 1 and makes up `height` rows. An entry's index is its column or,
// packed, column * 2^row_bits + row within the line; not packed, the row stands in `row`, or is 0 without it.
struct Lines {
  std::int64_t count, rows, entries;
  int height, row_bits;
  const std::int32_t* ptr;
  const std::uint32_t* index;
  const std::uint8_t* row;

  __device__ unsigned row_of(std::uint32_t packed, std::int64_t entry) const {
    return row_bits > 0 ? packed & ((1u << row_bits) - 1) : row != nullptr ? __ldcs(row + entry) : 0u;
  }
};

inline constexpr int line_threads = 128;  // of a block: small blocks wait less for each other's loads
inline constexpr int line_entries = 8;    // of a thread, all in flight
inline constexpr int line_tile = line_threads * line_entries;

// sum[row] += product
template <int Height, class T>
__device__ void add_to_row(T (&sum)[Height], unsigned row, T product) {
#pragma unroll
  for (int h = 0; h < Height; ++h)
    if (Height == 1 || row == static_cast<unsigned>(h)) sum[h] += product;
}

template <int Height, class T>
__device__ void store_line(const Lines& a, std::int64_t line, const T (&sum)[Height], T* __restrict__ y) {
#pragma unroll
  for (int h = 0; h < Height; ++h)
    if (Height == 1 || (h < a.height && line * a.height + h < a.rows)) y[line * a.height + h] = sum[h];
}

// One line, entries from .. to - 1, by the whole block, straight from global memory.
template <int Height, class T>
__device__ void multiply_long_line(const Lines& a, const T* __restrict__ value, const T* __restrict__ x,
                                   T* __restrict__ y, std::int64_t line, std::int64_t from, std::int64_t to) {
  T sum[Height] = {};
  for (std::int64_t k = from + threadIdx.x; k < to; k += line_tile) {
    std::uint32_t i[line_entries];
    T v[line_entries];
#pragma unroll
    for (int j = 0; j < line_entries; ++j) {
      const std::int64_t at = min(k + j * line_threads, to - 1);
      i[j] = __ldcs(a.index + at);
      v[j] = __ldcs(value + at);
    }
#pragma unroll
    for (int j = 0; j < line_entries; ++j)
      if (k + j * line_threads < to)
        add_to_row(sum, Height > 1 ? a.row_of(i[j], k + j * line_threads) : 0u,
                   v[j] * __ldg(x + (i[j] >> a.row_bits)));
  }
#pragma unroll
  for (int h = 0; h < Height; ++h) sum[h] = sum_block<line_threads>(sum[h]);
  if (threadIdx.x == 0) store_line(a, line, sum, y);
}

template <class T>
struct Tile {
  T product[line_tile];
  std::int32_t ptr[line_threads + 1];  // of the block's lines
};

// Lines line .. line + fit - 1 of the block, whose first is `first`. The threads read entries begin .. end - 1 side
// by side, leave the products in the tile, and are then shared out evenly among the lines. Ends before the tile
// is free again.
template <int Height, class T>
__device__ __forceinline__ void multiply_tile(const Lines& a, Tile<T>& tile, std::uint8_t* row,
                                              const T* __restrict__ value, const T* __restrict__ x,
                                              T* __restrict__ y, int first, int line, int fit,
                                              std::int32_t begin, std::int32_t end) {
  const int thread = threadIdx.x;
  // Threads beyond the end read its last entry again: one sector, and no branches around the loads.
  const int last = max(end - 1, 0);
  std::uint32_t i[line_entries];
  T p[line_entries];
#pragma unroll
  for (int j = 0; j < line_entries; ++j) {
    const int k = min(begin + thread + j * line_threads, last);
    i[j] = __ldcs(a.index + k);
    p[j] = __ldcs(value + k);
  }
#pragma unroll
  for (int j = 0; j < line_entries; ++j)
    tile.product[thread + j * line_threads] = p[j] * __ldg(x + (i[j] >> a.row_bits));
  if constexpr (Height > 1) {
    const unsigned mask = (1u << a.row_bits) - 1;
    if (a.row == nullptr || a.row_bits > 0) {
#pragma unroll
      for (int j = 0; j < line_entries; ++j) row[thread + j * line_threads] = i[j] & mask;
    } else {
      for (int k = thread; k < end - begin; k += line_threads) row[k] = __ldcs(a.row + begin + k);
    }
  }
  __syncthreads();
  const int lines_log2 = fit > 1 ? 32 - __clz(fit - 1) : 0;  // rounded up
  const int lanes_log2 = min(5, 31 - __clz(line_threads) - lines_log2), lanes = 1 << lanes_log2;
  const int mine = line + (thread >> lanes_log2), lane = thread & (lanes - 1);
  T sum[Height] = {};
  if (mine < line + fit) {
    const int stop = tile.ptr[mine + 1] - begin;
#pragma unroll 4
    for (int k = tile.ptr[mine] - begin + lane; k < stop; k += lanes)
      add_to_row(sum, Height > 1 ? row[k] : 0u, tile.product[k]);
  }
  for (int step = lanes / 2; step > 0; step /= 2)
#pragma unroll
    for (int h = 0; h < Height; ++h) sum[h] += __shfl_down_sync(full_warp, sum[h], step, lanes);
  if (lane == 0 && mine < line + fit) store_line(a, first + mine, sum, y);
}

// The block's lines where they do not fit the tile: as many at a time as do. A line longer than the tile is summed
// by the whole block from global memory. Kept out of the kernel's registers.
template <int Height, class T>
__device__ __noinline__ void multiply_in_parts(const Lines& a, Tile<T>& tile, std::uint8_t* row,
                                               const T* __restrict__ value, const T* __restrict__ x,
                                               T* __restrict__ y, int first, int count) {
  const int thread = threadIdx.x;
  for (int line = 0; line < count;) {
    __syncthreads();  // ptr is there, and the tile is free again
    const std::int32_t begin = tile.ptr[line] & ~31;
    const int fit =
        __syncthreads_count(line <= thread && thread < count && tile.ptr[thread + 1] - begin <= line_tile);
    if (fit > 0)
      multiply_tile<Height>(a, tile, row, value, x, y, first, line, fit, begin, tile.ptr[line + fit]);
    else
      multiply_long_line<Height>(a, value, x, y, first + line, tile.ptr[line], tile.ptr[line + 1]);
    line += max(fit, 1);
  }
}

// A block owns `per_block` consecutive lines, at most a thread each, which mostly fit its tile. Height: at least
// a.height.
template <int Height, class T>
__global__ void __launch_bounds__(line_threads, Height > 4       ? 8
                                                : Height > 1     ? 10
                                                : sizeof(T) == 8 ? 12
                                                                 : 16)
    lines_kernel(const __grid_constant__ Lines a, int per_block, const T* __restrict__ value,
                 const T* __restrict__ x, T* __restrict__ y) {
  __shared__ Tile<T> tile;
  __shared__ std::uint8_t row[Height > 1 ? line_tile : 1];
  const int thread = threadIdx.x, first = static_cast<int>(blockIdx.x) * per_block;
  const int count = min(per_block, static_cast<int>(a.count) - first);
  if (thread < count) tile.ptr[thread] = __ldg(a.ptr + first + thread);
  if (thread == 0) tile.ptr[count] = __ldg(a.ptr + first + count);
  const std::int32_t begin = __ldg(a.ptr + first) & ~31;  // whole lines of 128 bytes
  const std::int32_t end = __ldg(a.ptr + first + count);
  if (end - begin <= line_tile)
    multiply_tile<Height>(a, tile, row, value, x, y, first, 0, count, begin, end);
  else
    multiply_in_parts<Height>(a, tile, row, value, x, y, first, count);
}

// Lines per block: what fills seven eighths of the tile on average.
inline int lines_per_block(std::int64_t entries, std::int64_t lines) {
  const std::int64_t wanted = line_tile / 8 * 7 * lines / std::max<std::int64_t>(1, entries);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, line_threads));
}

template <int Height, class T>
void multiply_lines(const Lines& a, const T* value, const T* x, T* y) {
  if (a.count == 0) return;
  if (a.entries == 0) {
    QUADRILLE_CUDA(cudaMemsetAsync(y, 0, static_cast<std::size_t>(a.rows) * sizeof(T)));
    return;
  }
  to_index32(a.entries + line_tile,
             "non-zeros and a tile of them");  // threads count to the end of the last tile
  const int per_block = lines_per_block(a.entries, a.count);
  const unsigned blocks = to_index32((a.count + per_block - 1) / per_block, "blocks of threads");
  lines_kernel<Height><<<blocks, line_threads>>>(a, per_block, value, x, y);
  QUADRILLE_CUDA_LAUNCHED("lines");
}

}  // namespace quadrille::cuda
