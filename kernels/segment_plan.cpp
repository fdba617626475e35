#include "kernels/segment_plan.hpp"

#include <algorithm>
#include <vector>

namespace quadrille {
namespace {

constexpr std::int64_t aligned = 32;  // entries that a warp reads at once

// Tiles of one part of a long segment: few, for the segment is then done as soon as the others; more where
// there are so many entries that every multiprocessor has enough to do, for each part has to hand in its
// sums.
std::int64_t tiles_per_part(std::int64_t entries, int tile) {
  return std::clamp<std::int64_t>(entries / (std::int64_t{4096} * tile), 2, 16);
}

// How many times a tile's share the threads of the longest segment of a group may have to sum. A block gives
// each of its segments as many threads, so a long segment among many short ones holds it up: less where there
// are few blocks, which then do not wait for each other, than where they hide each other's work.
std::int64_t unevenness(std::int64_t entries, int tile) {
  return entries < std::int64_t{1024} * tile ? 4 : 8;
}

template <class Item>
Array<Item> array_of(const std::vector<Item>& items) {
  Array<Item> array(static_cast<std::int64_t>(items.size()));
  std::copy(items.begin(), items.end(), array.data());
  return array;
}

}  // namespace

SegmentPlan<> plan_segments(const Array<std::int32_t>& ptr, int tile, int most_segments) {
  if (ptr.size() == 0) return {};
  const std::int64_t segments = ptr.size() - 1, entries = ptr[segments];
  const std::int64_t part = tiles_per_part(entries, tile) * tile;
  const std::int64_t uneven = unevenness(entries, tile) * tile;
  std::vector<SegmentGroup> groups;
  groups.reserve(static_cast<std::size_t>(std::max(entries / tile, segments / most_segments) + 1));
  std::vector<SplitSegment> splits;
  std::int32_t parts = 0;
  const auto number = [](std::int64_t i) { return static_cast<std::int32_t>(i); };
  for (std::int64_t segment = 0; segment < segments;) {
    const std::int64_t begin = ptr[segment], first = begin / aligned * aligned;
    std::int64_t end_segment = segment, longest = 0;
    for (; end_segment < segments && end_segment - segment < most_segments &&
           ptr[end_segment + 1] - first <= tile;
         ++end_segment) {
      longest = std::max<std::int64_t>(longest, ptr[end_segment + 1] - ptr[end_segment]);
      if (end_segment > segment && (end_segment + 1 - segment) * longest > uneven) break;
    }
    if (end_segment > segment) {
      groups.push_back({number(segment), number(end_segment - segment), number(begin), ptr[end_segment]});
      segment = end_segment;
      continue;
    }
    const std::int64_t end = ptr[segment + 1], count = (end - first + part - 1) / part;
    if (count == 1) {
      groups.push_back({number(segment), 0, number(begin), number(end)});
    } else {
      const std::int64_t tiles = (end - first + tile - 1) / tile, share = (tiles + count - 1) / count * tile;
      const std::int32_t first_part = parts;
      for (std::int64_t at = first; at < end; at += share)
        groups.push_back({parts++, -1 - number(static_cast<std::int64_t>(splits.size())),
                          number(std::max(at, begin)), number(std::min(at + share, end))});
      splits.push_back({number(segment), first_part, parts - first_part});
    }
    ++segment;
  }
  return {array_of(groups), array_of(splits), parts, 0};
}

double shared_entries(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index) {
  constexpr std::int64_t run = 64, enough = 100000;  // segments looked at one after the other; entries
  const std::int64_t segments = ptr.size() - 1, entries = index.size();
  const std::int64_t step = run * std::max<std::int64_t>(1, entries / enough);
  std::int64_t seen = 0, shared = 0;
  for (std::int64_t first = 0; first < segments; first += step)
    for (std::int64_t segment = std::max<std::int64_t>(1, first); segment < std::min(segments, first + run);
         ++segment) {
      const std::int32_t *before = index.data() + ptr[segment - 1], *here = index.data() + ptr[segment];
      const std::int32_t *const end_before = here, *const end = index.data() + ptr[segment + 1];
      seen += end - here;
      while (before < end_before && here < end) {
        const std::int32_t in_segment = *here, in_segment_before = *before;
        shared += in_segment == in_segment_before;
        here += in_segment <= in_segment_before;
        before += in_segment_before <= in_segment;
      }
    }
  return seen == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(seen);
}

SegmentPlan<Device> plan_on_device(const Array<std::int32_t>& ptr, int threads) {
  const SegmentPlan<> plan = plan_segments(ptr, threads * segment_entries, threads);
  return {copy_to<Device>(plan.group), copy_to<Device>(plan.split), plan.parts, 0};
}

SegmentPlan<Device> plan_on_device(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index) {
  SegmentPlan<Device> plan = plan_on_device(ptr);
  plan.shared = shared_entries(ptr, index);
  return plan;
}

}  // namespace quadrille
