// A x for COO's rows that have entries; the others stay as they are. Internal to kernels/cuda.
#pragma once

#include "formats/coo.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {

inline constexpr int coo_threads = 128;  // of a block: small blocks wait less for each other's loads
inline constexpr int coo_run = 7;  // entries summed by a thread; odd, so that neighbours read different banks
inline constexpr int coo_tile = coo_run * coo_threads;

// One past the last entry of `row`, which entry `low` - 1 belongs to; by bisection.
__device__ inline std::int64_t end_of_row(const std::int32_t* __restrict__ row_of, std::int64_t low,
                                          std::int64_t nnz, int row) {
  for (std::int64_t high = nnz; low < high;) {
    const std::int64_t middle = (low + high) / 2;
    if (row_of[middle] == row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The sum of entries from .. end of `row`, by the whole block; every thread gets it. Kept out of the kernel's
// registers.
template <class T>
__device__ __noinline__ T rest_of_row(const std::int32_t* __restrict__ row_of,
                                      const std::int32_t* __restrict__ column, const T* __restrict__ value,
                                      const T* __restrict__ x, std::int64_t from, std::int64_t nnz, int row) {
  __shared__ T all;
  const std::int64_t mine = from + threadIdx.x, to = end_of_row(row_of, from, nnz, row);
  const int count = mine < to ? static_cast<int>((to - mine + coo_threads - 1) / coo_threads) : 0;
  const T sum = sum_block<coo_threads>(thread_dot(column, value, x, mine, count, coo_threads));
  if (threadIdx.x == 0) all = sum;
  __syncthreads();
  return all;
}

// A segmented sum. A block owns the rows that start in its tile of consecutive entries; of the row that the
// tile's end cuts it reads the rest, mostly within the next 128 entries. The threads read the tile side by
// side, all in flight, and leave rows and products in shared memory. Then a thread sums seven consecutive
// entries and puts a row into y when it comes to its end; what it holds of a row that goes on is passed on
// from lane to lane and from warp to warp. No atomics, and the same order every time.
template <class T>
__global__ void __launch_bounds__(coo_threads, 10)
    coo_kernel(int nnz, const std::int32_t* __restrict__ row_of, const std::int32_t* __restrict__ column,
               const T* __restrict__ value, const T* __restrict__ x, Output<T> y) {
  constexpr int warps = coo_threads / 32;
  __shared__ std::int32_t row_tile[coo_tile + 1];  // after the row before the tile
  __shared__ T product_tile[coo_tile];
  __shared__ T of_warp[warps], beyond_of_warp[warps];
  __shared__ bool starts_in_warp[warps];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int begin = static_cast<int>(blockIdx.x) * coo_tile, left = nnz - begin;

  // Beyond the last entry it is read again, as one of row -1: no branches between the loads.
  int row[coo_run], at[coo_run];
  T product[coo_run];
#pragma unroll
  for (int j = 0; j < coo_run; ++j) {
    const int k = begin + min(thread + j * coo_threads, left - 1);
    row[j] = __ldcs(row_of + k);
    at[j] = __ldcs(column + k);
    product[j] = __ldcs(value + k);
  }
  // The tile's last row, and whether the entry as far beyond the tile as the thread is within belongs to it.
  const int last_row = left >= coo_tile ? __ldg(row_of + begin + coo_tile - 1) : -1;
  const int row_beyond = coo_tile + thread < left ? __ldg(row_of + begin + coo_tile + thread) : -1;
  const int row_before = begin > 0 ? __ldg(row_of + begin - 1) : -1;
  if (thread == 0) row_tile[0] = row_before;
  const bool owned_last = last_row >= 0 && last_row != row_before;
  const bool on = owned_last && row_beyond == last_row;
  T beyond = 0;
  if (on) {
    const int k = begin + coo_tile + thread;
    beyond = __ldg(value + k) * __ldg(x + __ldg(column + k));
  }
#pragma unroll
  for (int j = 0; j < coo_run; ++j) {
    const int k = thread + j * coo_threads;
    product_tile[k] = product[j] * __ldg(x + at[j]);
    row_tile[k + 1] = k < left ? row[j] : -1;
  }
  __syncthreads();

  // The thread's own entries: `head` belongs to the row that came in, `sum` to the one that goes out.
  const int first = thread * coo_run, row_in = row_tile[first];
  int current = row_in;
  T head = 0, sum = 0;
  bool starts = false;
#pragma unroll
  for (int e = 0; e < coo_run; ++e) {
    const int next = row_tile[first + e + 1];
    if (next != current) {
      if (starts)
        y.put(current, sum);
      else
        head = sum;
      starts = true;
      current = next;
      sum = 0;
    }
    sum += product_tile[first + e];
  }

  // The sums since the last start, over the lanes and then over the warps.
  const unsigned starting = __ballot_sync(full_warp, starts), before = starting & ((1u << lane) - 1);
  const int last_start = 31 - __clz(starting & ((2u << lane) - 1));  // the lane of it, -1 for none
  T run = sum;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(full_warp, run, step);
    if (lane - step >= max(last_start, 0)) run += other;
  }
  T carried = __shfl_up_sync(full_warp, run, 1);
  if (lane == 0) carried = 0;
  const T of_last_row = __any_sync(full_warp, on) ? sum_lanes<32>(beyond) : T(0);
  if (lane == 31) {
    of_warp[warp] = run;
    starts_in_warp[warp] = starting != 0;
  }
  if (lane == 0) beyond_of_warp[warp] = of_last_row;
  const bool far = __syncthreads_and(on);
  bool owned = before != 0;  // the row that comes in started in this block
  if (before == 0) {
    T from_warps = 0;
    for (int w = 0; w < warp; ++w) {
      from_warps = of_warp[w] + (starts_in_warp[w] ? T(0) : from_warps);
      owned = owned || starts_in_warp[w];
    }
    carried += from_warps;
  }
  if (starts && owned) y.put(row_in, carried + head);
  // The last row, with what it has beyond the tile.
  T rest = 0;
  if (far)
    rest = rest_of_row(row_of, column, value, x, std::int64_t{begin} + coo_tile + coo_threads, nnz, last_row);
  if (thread == coo_threads - 1 && owned_last) {
    T total = starts ? sum : carried + sum;
    for (int w = 0; w < warps; ++w) total += beyond_of_warp[w];
    y.put(last_row, total + rest);
  }
}

template <class T>
void coo_rows(const Execution& on, const Coo<T, Device>& a, const T* x, Output<T> y) {
  if (a.nnz() == 0) return;
  const unsigned blocks = to_index32((a.nnz() + coo_tile - 1) / coo_tile, "blocks of threads");
  coo_kernel<<<blocks, coo_threads, 0, stream_of(on)>>>(to_index32(a.nnz(), "non-zeros"), a.row.data(),
                                                        a.column.data(), a.value.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("coo");
}

}  // namespace quadrille::cuda
