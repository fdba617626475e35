// How a GPU kernel shares out the segments of a matrix (rows of CSR, columns of CSC, strips of CMRS) among
// its blocks of threads, whatever their lengths. After the row blocks of CSR-adaptive: Greathouse and Daga,
// SC14. Made once for an operator (kernels/prepared.hpp), and 16 bytes for about as many entries as a block
// takes.
#pragma once

#include "formats/array.hpp"

namespace quadrille {

// The work of one block of threads: entries begin .. end - 1, which are
//   count > 0: segments segment .. segment + count - 1, which fit the block's tile
//   count = 0: the one segment `segment`, longer than the tile
//   count < 0: part `segment` of split segment -1 - count
struct alignas(16) SegmentGroup {
  std::int32_t segment, count, begin, end;
};

// A segment that several blocks share: parts first_part .. first_part + parts - 1.
struct SplitSegment {
  std::int32_t segment, first_part, parts;
};

template <class Space = Host>
struct SegmentPlan {
  Array<SegmentGroup, Space> group;
  Array<SplitSegment, Space> split;
  std::int64_t parts = 0;  // of all split segments
  double shared = 0;       // shared_entries() of the segments, where it was asked for
};

// For segments ptr[i] .. ptr[i+1] - 1 and blocks whose tile holds `tile` entries, the first of them a
// multiple of 32, of at most `most_segments` segments, fewer where one of them is much longer than the
// others. A segment longer than the tile goes to one block up to a few tiles (more of them in a large
// matrix), and is else split into equal parts of as many.
SegmentPlan<> plan_segments(const Array<std::int32_t>& ptr, int tile, int most_segments);

// The share of the entries whose index, among those of its segment, which ascend, the segment before has too:
// 1 - 1/n and more where n rows in a row have the same columns, 2/7 for the star of 7 points. Of about a
// hundred thousand entries where there are more.
double shared_entries(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index);

// Of a block of threads for segments (kernels/cuda/segments.cuh): small blocks wait less for each other's
// loads.
inline constexpr int segment_threads = 128;
inline constexpr int segment_entries = 8;  // of a thread, all in flight

// For blocks of so many threads, in GPU memory.
SegmentPlan<Device> plan_on_device(const Array<std::int32_t>& ptr, int threads = segment_threads);

// The same for segments whose products scatter as well as gather.
SegmentPlan<Device> plan_on_device(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index);

}  // namespace quadrille
