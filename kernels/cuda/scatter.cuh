// y = A^T x from segments of A (rows of CSR, columns of CSC) by atomic additions. Source: Steinberger et al.
// 2016, section V (one thread a segment, an atomic addition an entry). Beyond it, two kernels read the
// entries side by side whatever the lengths of the segments, one with a plan made on the host and one
// without; in the third, neighbouring segments that add to the same element first add up in registers.
// Internal to kernels/cuda.
//
// The additions are without a result (RED): the order of the sums, and so the last bits, differ from run to
// run.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/launch.cuh"
#include "kernels/segment_plan.hpp"

namespace quadrille::cuda {

// What a thread holds of a tile: entries first, first + segment_threads, ..., all in flight at once. Beyond
// `end` the last one is read again: one sector, and no branches around the loads.
template <class T>
struct TileEntries {
  std::int32_t at[segment_entries];
  T value[segment_entries];

  __device__ TileEntries(const std::int32_t* __restrict__ index, const T* __restrict__ values, int first,
                         int end) {
#pragma unroll
    for (int j = 0; j < segment_entries; ++j) {
      const int e = min(first + j * segment_threads, end - 1);
      at[j] = __ldcs(index + e);
      value[j] = __ldcs(values + e);
    }
  }
  // Those within begin .. end - 1, each times factor_of(j, its number).
  template <class Factor>
  __device__ void add_to(T* __restrict__ y, int first, int begin, int end, const Factor& factor_of) const {
#pragma unroll
    for (int j = 0; j < segment_entries; ++j) {
      const int e = first + j * segment_threads;
      if (begin <= e && e < end) atomicAdd(y + at[j], value[j] * factor_of(j, e));
    }
  }
};

inline constexpr int scatter_tile = segment_threads * segment_entries;

// y[index[k]] += alpha * value[k] * x[i] over segment i; y holds what is added to. Each block takes one group
// of the segments' plan, and its threads the group's entries side by side. Which segment an entry is of, they
// find by bisection in shared memory.
template <class T>
__global__ void __launch_bounds__(segment_threads)
    scatter_tiles_kernel(const SegmentGroup* __restrict__ groups, const SplitSegment* __restrict__ splits,
                         const std::int32_t* __restrict__ ptr, const std::int32_t* __restrict__ index,
                         const T* __restrict__ value, const T* __restrict__ x, T alpha, T* __restrict__ y) {
  __shared__ std::int32_t begin_of[segment_threads];
  __shared__ T factor_of[segment_threads];
  const SegmentGroup group = groups[blockIdx.x];
  const int thread = threadIdx.x, count = group.count;
  if (count > 0 && thread < count) {
    begin_of[thread] = __ldg(ptr + group.segment + thread);
    factor_of[thread] = alpha * __ldg(x + group.segment + thread);
  }
  // One segment, or a part of one, is as one that all entries are of.
  const T factor =
      count > 0 ? T(0) : alpha * __ldg(x + (count == 0 ? group.segment : splits[-1 - count].segment));
  const int half = count > 1 ? 1 << (31 - __clz(count - 1)) : 0;
  __syncthreads();
  for (int k = (group.begin & ~31) + thread; k < group.end; k += scatter_tile) {
    const TileEntries<T> mine(index, value, k, group.end);
    mine.add_to(y, k, group.begin, group.end, [&](int, int e) {
      int segment = 0;
      for (int step = half; step > 0; step /= 2)
        if (segment + step < count && begin_of[segment + step] <= e) segment += step;
      return count > 0 ? factor_of[segment] : factor;
    });
  }
}

// The segment that holds this entry, ptr[segment] <= entry < ptr[segment + 1], found by all `Threads` of the
// block.
template <int Threads>
__device__ std::int64_t segment_of(const std::int32_t* __restrict__ ptr, std::int64_t segments,
                                   unsigned entry) {
  std::int64_t low = 0, high = segments;  // ptr[low] <= entry < ptr[high]
  while (high - low > 1) {
    const std::int64_t step = (high - low + Threads - 1) / Threads;
    const std::int64_t probe = low + threadIdx.x * step;
    const int below = __syncthreads_count(probe < high && static_cast<unsigned>(__ldg(ptr + probe)) <= entry);
    low += (below - 1) * step;
    high = min(high, low + step);
  }
  return low;
}

// Which segment each entry of a tile is of, by the tile's entries that a segment begins at: a flag for each
// of them, after the bit flags of CSR5 (Liu and Vinter, ICS 2015), and the segment's element of x beside it.
// What the tile has of the segment before it begins at 0.
template <class T>
struct SegmentBegins {
  T factor[scatter_tile];
  std::uint8_t flag[scatter_tile];
  int last[scatter_tile / 32];  // of each 32 entries the last that a segment begins at; -1 for none
};
static_assert(scatter_tile == 32 * 32, "a warp has a lane for each 32 entries of a tile");

// Sets the flags of the tile that is entries begin .. end - 1. The block walks over the segments side by side
// and jumps over those without entries where there are many in a row. A barrier follows.
template <class T>
__device__ __forceinline__ void flag_begins(std::int64_t segments, const std::int32_t* __restrict__ ptr,
                                            const T* __restrict__ x, T alpha, int begin, int end,
                                            SegmentBegins<T>& begins) {
  const int thread = threadIdx.x;
#pragma unroll
  for (int j = 0; j < segment_entries; ++j) begins.flag[thread + j * segment_threads] = 0;
  std::int64_t segment = segment_of<segment_threads>(ptr, segments, begin);
  __syncthreads();
  for (int first = begin;;) {  // entry that the segments of this turn begin at
    const std::int64_t mine = min(segment + thread, segments);
    const int from = max(__ldg(ptr + mine), begin), to = __ldg(ptr + min(mine + 1, segments));
    const int next = __ldg(ptr + min(segment + segment_threads, segments));
    if (from < min(to, end)) {
      begins.flag[from - begin] = 1;
      begins.factor[from - begin] = alpha * __ldg(x + mine);
    }
    if (next >= end) break;
    segment = next > first ? segment + segment_threads : segment_of<segment_threads>(ptr, segments, next);
    first = next;
  }
  __syncthreads();
}

// The same as by tiles, without a plan: each block takes as many entries as it holds at once. Their loads are
// under way while it looks for the segment of the first by bisection, and for the segments that begin among
// the others.
template <class T>
__global__ void __launch_bounds__(segment_threads)
    scatter_entries_kernel(std::int64_t segments, int entries, const std::int32_t* __restrict__ ptr,
                           const std::int32_t* __restrict__ index, const T* __restrict__ value,
                           const T* __restrict__ x, T alpha, T* __restrict__ y) {
  __shared__ SegmentBegins<T> begins;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int begin = blockIdx.x * scatter_tile, end = min(begin + scatter_tile, entries);
  const TileEntries<T> mine(index, value, begin + thread, end);
  flag_begins(segments, ptr, x, alpha, begin, end, begins);
  int begin_of[segment_entries];  // of the segment of each entry
#pragma unroll
  for (int j = 0; j < segment_entries; ++j) {
    const int group = j * (segment_threads / 32) + warp;
    const unsigned flags = __ballot_sync(full_warp, begins.flag[group * 32 + lane] != 0);
    const unsigned up_to_mine = flags & (full_warp >> (31 - lane));
    begin_of[j] = up_to_mine != 0 ? group * 32 + 31 - __clz(static_cast<int>(up_to_mine)) : -1;
    if (lane == 31) begins.last[group] = begin_of[j];
  }
  __syncthreads();
  int last = begins.last[lane];  // the last among 32 entries and all before them
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(full_warp, last, step);
    last = max(last, before);  // the first lanes get their own
  }
#pragma unroll
  for (int j = 0; j < segment_entries; ++j) {
    const int before = __shfl_sync(full_warp, last, max(j * (segment_threads / 32) + warp - 1, 0));
    if (begin_of[j] < 0) begin_of[j] = before;
  }
  mine.add_to(y, begin + thread, begin, end, [&](int j, int) { return begins.factor[begin_of[j]]; });
}

// Segment i holds entries ptr[i] .. ptr[i+1] - 1. Segments of more than `chunk` entries are cut into pieces
// at the multiples of it, one for each of the first `chunks` blocks.
struct ScatterSegments {
  std::int64_t segments;
  unsigned entries, chunk, chunks;
  const std::int32_t* ptr;
  const std::int32_t* index;
};

inline constexpr int scatter_together = 8;  // entries of a lane in flight

// Lanes `Lanes` apart hold the elements `at` of y and what is to be added there; at < 0 for nothing. Runs of
// equal elements are summed in the run's first lane, which alone adds to y.
template <int Lanes, class T>
__device__ void add_runs(T* __restrict__ y, std::int32_t at, T sum) {
  const int lane = threadIdx.x % 32;
  bool first = true;
  if constexpr (Lanes < 32) {
    const std::int32_t before = __shfl_up_sync(full_warp, at, Lanes);
    first = lane < Lanes || at < 0 || before != at;
    const unsigned firsts = __ballot_sync(full_warp, first);
    if (firsts != full_warp) {
      const unsigned alike = full_warp / ((1u << Lanes) - 1)
                             << lane % Lanes;  // lanes of the same place in a segment
      const unsigned later = firsts & alike & (0xfffffffeu << lane);
      const int next = later != 0 ? __ffs(static_cast<int>(later)) - 1 : 32;  // run
#pragma unroll
      for (int step = Lanes; step < 32; step *= 2) {
        const T other = __shfl_down_sync(full_warp, sum, step);
        if (lane + step < next) sum += other;
      }
    }
  }
  if (first && at >= 0) atomicAdd(y + at, sum);
}

// One lane a segment: where entry j of a segment and entry j + 1 of the segment before add to the same
// element, as on neighbouring diagonals, the former takes over the latter.
template <class T>
__device__ void join_diagonals(std::int32_t (&at)[scatter_together], T (&sum)[scatter_together]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = scatter_together - 2; j >= 0; --j) {
    const std::int32_t before = __shfl_up_sync(full_warp, at[j + 1], 1);
    const bool joins = lane > 0 && at[j] >= 0 && before == at[j];
    const unsigned joining = __ballot_sync(full_warp, joins);
    if (joining == 0) continue;
    const T other = __shfl_up_sync(full_warp, sum[j + 1], 1);
    if (joins) sum[j] += other;
    if (lane < 31 && (joining >> (lane + 1) & 1u)) at[j + 1] = -1;
  }
}

// Entries from, from + step, ... below `end`, all of one segment: no two for the same element.
template <class T>
__device__ void scatter_part(const ScatterSegments& a, const T* __restrict__ value, T* __restrict__ y,
                             T factor, unsigned from, unsigned end, unsigned step) {
  for (unsigned k = from; k < end; k += scatter_together * step) {
    std::int32_t at[scatter_together];
    T v[scatter_together];
#pragma unroll
    for (int j = 0; j < scatter_together; ++j)
      if (k + j * step < end) {
        at[j] = __ldcs(a.index + k + j * step);
        v[j] = __ldcs(value + k + j * step);
      }
#pragma unroll
    for (int j = 0; j < scatter_together; ++j)
      if (k + j * step < end) atomicAdd(y + at[j], v[j] * factor);
  }
}

// What long segments have of the block's chunk: they hold its first or its last entry.
template <class T>
__device__ __noinline__ void scatter_chunk(const ScatterSegments& a, const T* __restrict__ value,
                                           const T* __restrict__ x, T alpha, T* __restrict__ y) {
  const unsigned begin = blockIdx.x * a.chunk, end = min(begin + a.chunk, a.entries);
  for (unsigned entry = begin;;) {
    const std::int64_t segment = segment_of<threads_per_block>(a.ptr, a.segments, entry);
    const unsigned from = __ldg(a.ptr + segment), to = __ldg(a.ptr + segment + 1);
    if (to - from > a.chunk)
      scatter_part(a, value, y, alpha * __ldg(x + segment), max(from, begin) + threadIdx.x, min(to, end),
                   threads_per_block);
    if (to >= end) return;
    entry = end - 1;
  }
}

// y[index[k]] += alpha * value[k] * x[i] over segment i; y holds what is added to. `Lanes` neighbouring lanes
// own a segment and read its entries side by side. What a segment has beyond 64 entries a lane is added by
// the whole warp, one such segment after the other.
template <int Lanes, class T>
__global__ void __launch_bounds__(threads_per_block, sizeof(T) == 8 ? 5 : 6)
    scatter_kernel(const __grid_constant__ ScatterSegments a, const T* __restrict__ value,
                   const T* __restrict__ x, T alpha, T* __restrict__ y) {
  constexpr unsigned most = 64 * Lanes;
  if (blockIdx.x < a.chunks) return scatter_chunk(a, value, x, alpha, y);
  const std::int64_t thread =
      static_cast<std::int64_t>(blockIdx.x - a.chunks) * threads_per_block + threadIdx.x;
  const std::int64_t segment = thread / Lanes;
  const bool inside = segment < a.segments;
  const unsigned begin = inside ? __ldg(a.ptr + segment) : 0, end = inside ? __ldg(a.ptr + segment + 1) : 0;
  const T factor = inside ? alpha * __ldg(x + segment) : T(0);
  const bool cut = a.chunks > 0 && end - begin > a.chunk;
  const unsigned own_end = cut ? begin : min(end, begin + most);
  unsigned k = begin + threadIdx.x % Lanes;
  do {
    std::int32_t at[scatter_together];
    T v[scatter_together];
#pragma unroll
    for (int j = 0; j < scatter_together; ++j) {
      const bool there = k + j * Lanes < own_end;
      at[j] = there ? __ldcs(a.index + k + j * Lanes) : -1;
      v[j] = there ? __ldcs(value + k + j * Lanes) : T(0);
    }
#pragma unroll
    for (int j = 0; j < scatter_together; ++j) v[j] *= factor;
    if constexpr (Lanes == 1) join_diagonals(at, v);
#pragma unroll
    for (int j = 0; j < scatter_together; ++j) add_runs<Lanes>(y, at[j], v[j]);
    k += scatter_together * Lanes;
  } while (__any_sync(full_warp, k < own_end));

  unsigned longer = __ballot_sync(full_warp, threadIdx.x % Lanes == 0 && !cut && own_end < end);
  while (longer != 0) {
    const int owner = __ffs(static_cast<int>(longer)) - 1;
    longer &= longer - 1;
    const unsigned from = __shfl_sync(full_warp, own_end, owner), to = __shfl_sync(full_warp, end, owner);
    scatter_part(a, value, y, __shfl_sync(full_warp, factor, owner), from + threadIdx.x % 32, to, 32);
  }
}

// Whether the kernel by segments is faster than the one by tiles: where the sums in registers save many
// additions, of so many that these hold up the product, or a few that would otherwise go to memory; or where
// a lane has a segment to itself, as of a star, and what the lanes of a warp add lies side by side. `shared`
// as in SegmentPlan; the bounds are an H200's.
inline bool joins_pay(std::int64_t entries, std::int64_t segments, std::int64_t bytes_of_y, double shared) {
  return (shared > 0.45 && entries > 8'000'000) ||
         (shared > 0.25 && (bytes_of_y > 40'000'000 || entries <= scatter_together * segments));
}

// The size of the chunks of long segments: as many chunks as keep the GPU busy, and no more, for each costs a
// search.
inline unsigned scatter_chunk_size(std::int64_t entries) {
  constexpr std::int64_t least = 1024, most_chunks = 8192;
  return static_cast<unsigned>(std::max(least, (entries + most_chunks - 1) / most_chunks));
}

}  // namespace quadrille::cuda
