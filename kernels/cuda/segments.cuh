// Products of segments of entries (rows of CSR, columns of CSC, strips of CMRS), read side by side whatever
// the lengths of the segments, and summed segment by segment from shared memory. After CSR-stream and
// CSR-vector: Greathouse and Daga, SC14. Each block of threads takes one group of the matrix's plan
// (kernels/segment_plan.hpp). Internal to kernels/cuda.
#pragma once

#include <algorithm>

#include "kernels/cuda/begin_sums.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/segment_plan.hpp"

namespace quadrille::cuda {

// Segment i holds entries ptr[i] .. ptr[i+1] - 1 and makes up `height` rows. An entry's index is its column
// or, packed, column * 2^row_bits + row within the segment; not packed, the row stands in `row`, or is 0
// without it.
template <class T>
struct Segments {
  std::int64_t rows;
  int height, row_bits;
  const std::int32_t* ptr;
  const std::uint32_t* index;
  const std::uint8_t* row;
  const T* value;
  const SegmentGroup* group;
  const SplitSegment* split;
  T* partial;             // [parts][height]
  std::int32_t* arrived;  // [split segments]

  __device__ unsigned row_of(std::uint32_t packed, int entry) const {
    return row_bits > 0 ? packed & ((1u << row_bits) - 1) : row != nullptr ? __ldcs(row + entry) : 0u;
  }
  __device__ bool has_row(std::int64_t segment, int h) const {
    return h < height && segment * height + h < rows;
  }
};

// What a kernel is made for: segments of up to `Height` rows, blocks of `Threads`.
template <int Height, int Threads>
struct SegmentShape {
  static constexpr int height = Height, threads = Threads, tile = Threads * segment_entries;
};

template <class Shape, class T>
struct Tile {
  T product[Shape::tile];
  std::int32_t ptr[Shape::threads];  // of the block's segments
};

// sum[row] += product
template <int Height, class T>
__device__ void add_to_row(T (&sum)[Height], unsigned row, T product) {
#pragma unroll
  for (int h = 0; h < Height; ++h)
    if (Height == 1 || row == static_cast<unsigned>(h)) sum[h] += product;
}

// Segments segment .. segment + count - 1. The threads read entries begin .. end - 1 side by side, from a
// whole segment of 128 bytes on, leave the products in the tile, and are then shared out evenly among the
// segments. The group is read again after the loads rather than kept: registers are short while they are in
// flight.
template <class Shape, class T>
__device__ __forceinline__ void multiply_tile(const Segments<T>& a, SegmentGroup group, Tile<Shape, T>& tile,
                                              std::uint8_t* row, const T* __restrict__ x, Output<T> y) {
  constexpr int threads = Shape::threads, height = Shape::height;
  const int thread = threadIdx.x, begin = group.begin & ~31;
  // Threads beyond the end read its last entry again: one sector, and no branches around the loads.
  const int last = max(group.end - 1, 0);
  const std::int32_t my_ptr = __ldg(a.ptr + group.segment + min(thread, group.count - 1));
  std::uint32_t i[segment_entries];
  T p[segment_entries];
#pragma unroll
  for (int j = 0; j < segment_entries; ++j) {
    const int k = min(begin + thread + j * threads, last);
    i[j] = __ldcs(a.index + k);
    p[j] = __ldcs(a.value + k);
  }
  tile.ptr[thread] = my_ptr;  // beyond the segments: unused
#pragma unroll
  for (int j = 0; j < segment_entries; ++j)
    tile.product[thread + j * threads] = p[j] * __ldg(x + (i[j] >> a.row_bits));
  if constexpr (height > 1) {
    const unsigned mask = (1u << a.row_bits) - 1;
    if (a.row == nullptr || a.row_bits > 0) {
#pragma unroll
      for (int j = 0; j < segment_entries; ++j) row[thread + j * threads] = i[j] & mask;
    } else {
      for (int k = thread; k < group.end - begin; k += threads) row[k] = __ldcs(a.row + begin + k);
    }
  }
  __syncthreads();
  group = a.group[blockIdx.x];
  const int count = group.count, first = group.begin & ~31;
  const int segments_log2 = count > 1 ? 32 - __clz(count - 1) : 0;  // rounded up
  const int lanes_log2 = min(5, 31 - __clz(threads) - segments_log2), lanes = 1 << lanes_log2;
  const int mine = thread >> lanes_log2, lane = thread & (lanes - 1);
  T sum[height] = {};
  if (mine < count) {
    const int stop = (mine + 1 < count ? tile.ptr[mine + 1] : group.end) - first;
#pragma unroll 4
    for (int k = tile.ptr[mine] - first + lane; k < stop; k += lanes)
      add_to_row(sum, height > 1 ? row[k] : 0u, tile.product[k]);
  }
  for (int step = lanes / 2; step > 0; step /= 2)
#pragma unroll
    for (int h = 0; h < height; ++h) sum[h] += __shfl_down_sync(full_warp, sum[h], step, lanes);
  if (lane == 0 && mine < count) {
#pragma unroll
    for (int h = 0; h < height; ++h)
      if (height == 1 || a.has_row(group.segment + mine, h))
        y.put(std::int64_t{group.segment + mine} * a.height + h, sum[h]);
  }
}

// The sums over the block, in the same order every time: thread h < height gets that of row h. `of_warp` is
// shared and holds height numbers for each warp; no thread may still use it.
template <class Shape, class T>
__device__ T sum_rows(T (&sum)[Shape::height], T* of_warp) {
  constexpr int height = Shape::height, warps = Shape::threads / 32;
  const int thread = threadIdx.x;
#pragma unroll
  for (int h = 0; h < height; ++h) {
    sum[h] = sum_lanes<32>(sum[h]);
    if (thread % 32 == 0) of_warp[thread / 32 * height + h] = sum[h];
  }
  __syncthreads();
  T total = 0;
  if (thread < height)
#pragma unroll
    for (int w = 0; w < warps; ++w) total += of_warp[w * height + thread];
  return total;
}

// A segment that does not fit the tile, or a part of one, by the whole block, straight from global memory.
// The sums of a part go to the scratch memory; the block that comes last adds those of all parts, in their
// order. Kept out of the kernel's registers.
template <class Shape, class T>
__device__ __noinline__ void multiply_part(const Segments<T>& a, T* shared, const T* __restrict__ x,
                                           Output<T> y) {
  constexpr int height = Shape::height;
  const SegmentGroup group = a.group[blockIdx.x];
  const int thread = threadIdx.x, begin = group.begin, end = group.end;
  T sum[height] = {};
  for (int k = (begin & ~31) + thread; k < end; k += Shape::tile) {
    std::uint32_t i[segment_entries];
    T v[segment_entries];
#pragma unroll
    for (int j = 0; j < segment_entries; ++j) {
      const int at = min(k + j * Shape::threads, end - 1);
      i[j] = __ldcs(a.index + at);
      v[j] = __ldcs(a.value + at);
    }
#pragma unroll
    for (int j = 0; j < segment_entries; ++j) {
      const int at = k + j * Shape::threads;
      if (begin <= at && at < end)
        add_to_row(sum, height > 1 ? a.row_of(i[j], at) : 0u, v[j] * __ldg(x + (i[j] >> a.row_bits)));
    }
  }
  T total = sum_rows<Shape>(sum, shared);
  std::int64_t segment = group.segment;
  if (group.count < 0) {
    const SplitSegment split = a.split[-1 - group.count];
    if (thread < a.height) {
      a.partial[std::int64_t{group.segment} * a.height + thread] = total;
      __threadfence();  // the sums are there before the block counts as arrived
    }
    __syncthreads();
    std::int32_t* const arrived = a.arrived - 1 - group.count;
    if (!__syncthreads_or(thread == 0 && atomicAdd(arrived, 1) == split.parts - 1)) return;
    __threadfence();
    if (thread == 0) *arrived = 0;  // for the next product
#pragma unroll
    for (int h = 0; h < height; ++h) sum[h] = 0;
    for (int part = thread; part < split.parts; part += Shape::threads)
#pragma unroll
      for (int h = 0; h < height; ++h)  // from L2: other multiprocessors wrote them
        if (height == 1 || h < a.height)
          sum[h] += __ldcg(a.partial + std::int64_t{split.first_part + part} * a.height + h);
    total = sum_rows<Shape>(sum, shared);
    segment = split.segment;
  }
  if (thread < height && a.has_row(segment, thread)) y.put(segment * a.height + thread, total);
}

// Threads of a multiprocessor that the registers must leave room for.
template <class Shape, class T>
inline constexpr int resident_threads = Shape::height > 4   ? 1024
                                        : Shape::height > 1 ? 1280
                                        : sizeof(T) == 8    ? 1536
                                                            : 2048;

// Shape::height: at least a.height.
template <class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, resident_threads<Shape, T> / Shape::threads)
    segments_kernel(const __grid_constant__ Segments<T> a, const T* __restrict__ x, Output<T> y) {
  __shared__ Tile<Shape, T> tile;
  __shared__ std::uint8_t row[Shape::height > 1 ? Shape::tile : 1];
  const SegmentGroup group = a.group[blockIdx.x];
  if (group.count > 0)
    multiply_tile(a, group, tile, row, x, y);
  else
    multiply_part<Shape>(a, tile.product, x, y);
}

// Of a matrix with these arrays, as planned for blocks of Shape::threads.
template <class Shape, class T>
void multiply_segments(const Execution& on, Segments<T> a, std::int64_t entries, const T* x,
                       const Output<T>& y) {
  if (a.rows == 0) return;
  if (entries == 0) return begin_sums(on.queue, y, a.rows);
  to_index32(entries + Shape::tile,
             "non-zeros and a tile of them");  // threads count to the end of the last tile
  const SegmentPlan<Device>& plan = on.prepared.segments;
  if (plan.group.size() == 0) throw FormatError("a matrix in GPU memory without a plan of its segments");
  a.group = plan.group.data();
  a.split = plan.split.data();
  if (plan.split.size() > 0) {
    Scratch::Part& scratch =
        on.scratch.of(on.queue, plan.split.size(), plan.parts * a.height * std::int64_t{sizeof(T)});
    a.partial = reinterpret_cast<T*>(scratch.sums.data());
    a.arrived = scratch.counters.data();
  }
  const unsigned blocks = to_index32(plan.group.size(), "blocks of threads");
  segments_kernel<Shape><<<blocks, Shape::threads, 0, stream_of(on)>>>(a, x, y);
  QUADRILLE_CUDA_LAUNCHED("segments");
}

}  // namespace quadrille::cuda
