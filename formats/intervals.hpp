// Where a block diagonal has values.
#pragma once

#include <algorithm>

#include "formats/block_diagonals.hpp"

namespace quadrille {

// Calls visit(first, count, neighbour) for the maximal intervals of consecutive nodes within [begin, end)
// whose node at `offset` exists; both the nodes and their neighbours are consecutive.
template <class Visit>
void for_each_interval(const BlockStructure& s, const NodeOffset& offset, std::int64_t begin,
                       std::int64_t end, const Visit& visit) {
  const std::int64_t nx = s.extents[0];
  const std::int64_t dx = s.periodic[0] ? (offset.x % nx + nx) % nx : offset.x;
  for (std::int64_t line = begin / nx; line * nx < end; ++line) {
    const std::int64_t to = s.neighbour(0, line % s.extents[1], line / s.extents[1], {0, offset.y, offset.z});
    if (to < 0) continue;
    const auto clipped = [&](std::int64_t from, std::int64_t until, std::int64_t shift) {
      from = std::max(from, begin - line * nx);
      until = std::min(until, end - line * nx);
      if (from < until) visit(line * nx + from, until - from, to + from + shift);
    };
    clipped(std::max<std::int64_t>(0, -dx), nx - std::max<std::int64_t>(0, dx), dx);
    if (s.periodic[0]) clipped(nx - dx, nx, dx - nx);
  }
}

}  // namespace quadrille
