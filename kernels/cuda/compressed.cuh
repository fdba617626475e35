// The two products that CSR and CSC share: one is the other's transpose. Source: Steinberger et al. 2016,
// sections III to V (the naive kernels, one lane a segment); Bell and Garland 2009 (several lanes a segment).
// Internal to kernels/cuda.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/array.hpp"
#include "kernels/cuda/begin_sums.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/scatter.cuh"
#include "kernels/cuda/segments.cuh"

namespace quadrille::cuda {

inline constexpr int entries_per_lane = 64;  // of a segment before the whole warp takes over

// Row i of y: the sum over segment i. `Lanes` neighbouring lanes own a segment and read its entries side by
// side, so that short segments share the transactions of a warp. What a segment has beyond 64 entries a lane
// is summed by the whole warp, one such segment after the other: a dense row does not hold up 31 idle lanes.
template <int Lanes, class T>
__global__ void __launch_bounds__(threads_per_block)
    gather_kernel(std::int64_t segments, const std::int32_t* __restrict__ ptr,
                  const std::int32_t* __restrict__ index, const T* __restrict__ value,
                  const T* __restrict__ x, Output<T> y) {
  const std::int64_t segment = global_thread() / Lanes;
  const int lane = threadIdx.x % Lanes;
  const bool inside = segment < segments;
  const std::int64_t begin = inside ? ptr[segment] : 0, end = inside ? ptr[segment + 1] : 0;
  const std::int64_t own_end = min(end, begin + entries_per_lane * Lanes);
  T sum = sum_lanes<Lanes>(sparse_dot(index, value, x, begin + lane, own_end, Lanes));

  unsigned longer = __ballot_sync(full_warp, lane == 0 && own_end < end);
  while (longer != 0) {
    const int owner = __ffs(longer) - 1;
    longer &= longer - 1;
    const std::int64_t from = __shfl_sync(full_warp, own_end, owner), to = __shfl_sync(full_warp, end, owner);
    const T rest = sum_lanes<32>(sparse_dot(index, value, x, from + threadIdx.x % 32, to, 32));
    const T total = __shfl_sync(full_warp, rest, 0);
    if (static_cast<int>(threadIdx.x % 32) == owner) sum += total;
  }
  if (inside && lane == 0) y.put(segment, sum);
}

// The number of lanes, a power of two up to 32, for segments of this mean length: at most `together` entries
// a lane, as many as the kernel has in flight at once.
inline int lanes_for(std::int64_t entries, std::int64_t segments, int together) {
  int lanes = 1;
  while (lanes < 32 && together * lanes * segments < entries) lanes *= 2;
  return lanes;
}

// Calls start.template operator()<Lanes>().
template <class Start>
void with_lanes(int lanes, const Start& start) {
  switch (lanes) {
    case 1:
      return start.template operator()<1>();
    case 2:
      return start.template operator()<2>();
    case 4:
      return start.template operator()<4>();
    case 8:
      return start.template operator()<8>();
    case 16:
      return start.template operator()<16>();
    case 32:
      return start.template operator()<32>();
    default:
      throw FormatError(std::to_string(lanes) +
                        " lanes per row; 1, 2, 4, 8, 16 or 32, or 0 for an automatic choice");
  }
}

// Launch::lanes 0: tiles in shared memory, for segments of any length, as planned; without a plan as many
// lanes as suit the mean segment.
template <class T>
void gather(const Execution& on, std::int64_t segments, const Array<std::int32_t, Device>& ptr,
            const Array<std::int32_t, Device>& index, const Array<T, Device>& value, const T* x,
            Output<T> y) {
  if (segments == 0) return;
  const int lanes = on.prepared.lanes;
  if (lanes == 0 && on.prepared.segments.group.size() > 0) {
    const Segments<T> all{.rows = segments,
                          .height = 1,
                          .row_bits = 0,
                          .ptr = ptr.data(),
                          .index = reinterpret_cast<const std::uint32_t*>(index.data()),
                          .row = nullptr,
                          .value = value.data()};
    return multiply_segments<SegmentShape<1, segment_threads>>(on, all, value.size(), x, y);
  }
  with_lanes(lanes != 0 ? lanes : lanes_for(value.size(), segments, 4), [&]<int Lanes>() {
    gather_kernel<Lanes><<<blocks_for(segments * Lanes), threads_per_block, 0, stream_of(on)>>>(
        segments, ptr.data(), index.data(), value.data(), x, y);
  });
  QUADRILLE_CUDA_LAUNCHED("gather");
}

// Launch::lanes 0: by tiles, with a plan or without one; but by segments where these have much in common,
// which only a plan tells, and where most are empty.
template <class T>
void scatter(const Execution& on, std::int64_t segments, std::int64_t size_y,
             const Array<std::int32_t, Device>& ptr, const Array<std::int32_t, Device>& index,
             const Array<T, Device>& value, const T* x, Output<T> y) {
  const std::int64_t bytes_of_y = size_y * static_cast<std::int64_t>(sizeof(T));
  begin_sums(on.queue, y, size_y);
  if (value.size() == 0) return;
  const auto entries = static_cast<unsigned>(to_index32(value.size(), "non-zeros"));
  const int lanes = on.prepared.lanes;
  const SegmentPlan<Device>& plan = on.prepared.segments;
  const bool planned = plan.group.size() > 0;
  if (lanes == 0 && planned && !joins_pay(entries, segments, bytes_of_y, plan.shared)) {
    const unsigned blocks = to_index32(plan.group.size(), "blocks of threads");
    to_index32(value.size() + scatter_tile, "non-zeros and a tile of them");
    scatter_tiles_kernel<<<blocks, segment_threads, 0, stream_of(on)>>>(
        plan.group.data(), plan.split.data(), ptr.data(), index.data(), value.data(), x, y.alpha, y.to);
    return QUADRILLE_CUDA_LAUNCHED("scatter by tiles");
  }
  if (lanes == 0 && !planned && segments <= 4 * value.size()) {
    const int most = to_index32(value.size() + scatter_tile, "non-zeros and a tile of them");
    scatter_entries_kernel<<<static_cast<unsigned>((most - 1) / scatter_tile), segment_threads, 0,
                             stream_of(on)>>>(segments, static_cast<int>(entries), ptr.data(), index.data(),
                                              value.data(), x, y.alpha, y.to);
    return QUADRILLE_CUDA_LAUNCHED("scatter by tiles without a plan");
  }
  const unsigned chunk = scatter_chunk_size(value.size());
  const bool some_are_long = !planned || plan.split.size() > 0;
  const unsigned chunks = some_are_long && entries > chunk ? (entries + chunk - 1) / chunk : 0;
  const ScatterSegments a{segments, entries, chunk, chunks, ptr.data(), index.data()};
  with_lanes(lanes != 0 ? lanes : lanes_for(value.size(), segments, scatter_together), [&]<int Lanes>() {
    const unsigned blocks = chunks + blocks_for(segments * Lanes);
    scatter_kernel<Lanes><<<blocks, threads_per_block, 0, stream_of(on)>>>(a, value.data(), x, y.alpha, y.to);
  });
  QUADRILLE_CUDA_LAUNCHED("scatter");
}

}  // namespace quadrille::cuda
