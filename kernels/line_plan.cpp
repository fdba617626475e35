#include "kernels/line_plan.hpp"

#include <algorithm>
#include <vector>

namespace quadrille {
namespace {

constexpr std::int64_t aligned = 32;  // entries that a warp reads at once

// Tiles of one part of a long line: few, for the line is then done as soon as the others; more where there
// are so many entries that every multiprocessor has enough to do, for each part has to hand in its sums.
std::int64_t tiles_per_part(std::int64_t entries, int tile) {
  return std::clamp<std::int64_t>(entries / (std::int64_t{4096} * tile), 2, 16);
}

// How many times a tile's share the threads of the longest line of a group may have to sum. A block gives
// each of its lines as many threads, so a long line among many short ones holds it up: less where there are
// few blocks, which then do not wait for each other, than where they hide each other's work.
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

LinePlan<> plan_lines(const Array<std::int32_t>& ptr, int tile, int most_lines) {
  if (ptr.size() == 0) return {};
  const std::int64_t lines = ptr.size() - 1, entries = ptr[lines];
  const std::int64_t part = tiles_per_part(entries, tile) * tile;
  const std::int64_t uneven = unevenness(entries, tile) * tile;
  std::vector<LineGroup> groups;
  groups.reserve(static_cast<std::size_t>(std::max(entries / tile, lines / most_lines) + 1));
  std::vector<SplitLine> splits;
  std::int32_t parts = 0;
  const auto number = [](std::int64_t i) { return static_cast<std::int32_t>(i); };
  for (std::int64_t line = 0; line < lines;) {
    const std::int64_t begin = ptr[line], first = begin / aligned * aligned;
    std::int64_t end_line = line, longest = 0;
    for (; end_line < lines && end_line - line < most_lines && ptr[end_line + 1] - first <= tile;
         ++end_line) {
      longest = std::max<std::int64_t>(longest, ptr[end_line + 1] - ptr[end_line]);
      if (end_line > line && (end_line + 1 - line) * longest > uneven) break;
    }
    if (end_line > line) {
      groups.push_back({number(line), number(end_line - line), number(begin), ptr[end_line]});
      line = end_line;
      continue;
    }
    const std::int64_t end = ptr[line + 1], count = (end - first + part - 1) / part;
    if (count == 1) {
      groups.push_back({number(line), 0, number(begin), number(end)});
    } else {
      const std::int64_t tiles = (end - first + tile - 1) / tile, share = (tiles + count - 1) / count * tile;
      const std::int32_t first_part = parts;
      for (std::int64_t at = first; at < end; at += share)
        groups.push_back({parts++, -1 - number(static_cast<std::int64_t>(splits.size())),
                          number(std::max(at, begin)), number(std::min(at + share, end))});
      splits.push_back({number(line), first_part, parts - first_part});
    }
    ++line;
  }
  return {array_of(groups), array_of(splits), parts, 0};
}

double shared_entries(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index) {
  constexpr std::int64_t run = 64, enough = 100000;  // lines looked at one after the other; entries
  const std::int64_t lines = ptr.size() - 1, entries = index.size();
  const std::int64_t step = run * std::max<std::int64_t>(1, entries / enough);
  std::int64_t seen = 0, shared = 0;
  for (std::int64_t first = 0; first < lines; first += step)
    for (std::int64_t line = std::max<std::int64_t>(1, first); line < std::min(lines, first + run); ++line) {
      const std::int32_t *before = index.data() + ptr[line - 1], *here = index.data() + ptr[line];
      const std::int32_t *const end_before = here, *const end = index.data() + ptr[line + 1];
      seen += end - here;
      while (before < end_before && here < end) {
        const std::int32_t in_line = *here, in_line_before = *before;
        shared += in_line == in_line_before;
        here += in_line <= in_line_before;
        before += in_line_before <= in_line;
      }
    }
  return seen == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(seen);
}

LinePlan<Device> plan_on_device(const Array<std::int32_t>& ptr, int threads) {
  const LinePlan<> plan = plan_lines(ptr, threads * line_entries, threads);
  return {transfer<Device>(plan.group), transfer<Device>(plan.split), plan.parts, 0};
}

LinePlan<Device> plan_on_device(const Array<std::int32_t>& ptr, const Array<std::int32_t>& index) {
  LinePlan<Device> plan = plan_on_device(ptr);
  plan.shared = shared_entries(ptr, index);
  return plan;
}

}  // namespace quadrille
