#include "grid/partition.hpp"

#include <algorithm>
#include <string>

#include "grid/error.hpp"

namespace quadrille {
namespace {

// Pairs of neighbouring nodes along an axis that stand on different ranks. In double: it is only compared.
double cut_surface(const std::array<std::int64_t, 3>& extents, const std::array<int, 3>& layout) {
  const std::array<double, 3> n{double(extents[0]), double(extents[1]), double(extents[2])};
  return (layout[0] - 1) * n[1] * n[2] + (layout[1] - 1) * n[0] * n[2] + (layout[2] - 1) * n[0] * n[1];
}

// Nodes along an axis, as those of the grid and as they are wanted, perhaps once more around.
struct Span {
  std::int64_t node, wanted, size;
};

std::vector<Span> spans_of(const Partition& p, const NodeBox& wanted, const NodeBox& own, int axis) {
  const std::int64_t n = p.extents[axis], begin = wanted.first[axis], end = begin + wanted.size[axis];
  std::vector<Span> spans;
  std::int64_t around = begin / n * n;  // rounded towards zero
  for (around -= n; around < end; around += n) {
    const std::int64_t first = std::max(begin, own.first[axis] + around),
                       last = std::min(end, own.first[axis] + own.size[axis] + around);
    if (first < last) spans.push_back({first - around, first, last - first});
  }
  return spans;
}

}  // namespace

std::array<int, 3> place_of(const Partition& p, int rank) {
  const int x = p.ranks_along(0), y = p.ranks_along(1);
  return {rank % x, rank / x % y, rank / x / y};
}

NodeBox box_of(const Partition& p, int rank) {
  const std::array<int, 3> at = place_of(p, rank);
  NodeBox box;
  for (int axis = 0; axis < 3; ++axis) {
    box.first[axis] = p.cuts[axis][at[axis]];
    box.size[axis] = p.cuts[axis][at[axis] + 1] - box.first[axis];
  }
  return box;
}

int owner_of(const Partition& p, const NodePosition& at) {
  int rank = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const auto& cuts = p.cuts[axis];
    // The last one that begins there or before: those of the same beginning before it are empty.
    const auto next = std::upper_bound(cuts.begin(), cuts.end() - 1, at[axis]);
    rank = rank * p.ranks_along(axis) + static_cast<int>(next - cuts.begin()) - 1;
  }
  return rank;
}

std::vector<BoxTransfer> transfers(const Partition& p, const NodeBox& wanted,
                                   const std::vector<NodeBox>& arrays) {
  std::vector<BoxTransfer> found;
  for (int owner = 0; owner < p.ranks(); ++owner) {
    const NodeBox own = box_of(p, owner);
    std::array<std::vector<Span>, 3> spans;
    for (int axis = 0; axis < 3; ++axis) spans[axis] = spans_of(p, wanted, own, axis);
    for (const Span& z : spans[2])
      for (const Span& y : spans[1])
        for (const Span& x : spans[0]) {
          const NodePosition size{x.size, y.size, z.size};
          found.push_back({owner, within(arrays[owner], {{x.node, y.node, z.node}, size}),
                           within(wanted, {{x.wanted, y.wanted, z.wanted}, size})});
        }
  }
  return found;
}

std::int64_t first_number(const Partition& p, int rank) {
  if (rank >= p.ranks()) return p.extents[0] * p.extents[1] * p.extents[2];
  const std::array<int, 3> at = place_of(p, rank);
  const NodeBox box = box_of(p, rank);
  // Whole layers of ranks along z, then rows of them along y, then ranks.
  return p.extents[0] * p.extents[1] * p.cuts[2][at[2]] + p.extents[0] * p.cuts[1][at[1]] * box.size[2] +
         p.cuts[0][at[0]] * box.size[1] * box.size[2];
}

std::int64_t number_of(const Partition& p, const NodePosition& at) {
  const int rank = owner_of(p, at);
  const NodeBox box = box_of(p, rank);
  return first_number(p, rank) + ((at[2] - box.first[2]) * box.size[1] + at[1] - box.first[1]) * box.size[0] +
         at[0] - box.first[0];
}

NodePosition position_of(const Partition& p, std::int64_t number) {
  int low = 0, high = p.ranks();  // the last rank whose first number is not past it
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (first_number(p, middle) <= number ? low : high) = middle;
  }
  const NodeBox box = box_of(p, low);
  const std::int64_t within = number - first_number(p, low);
  return {box.first[0] + within % box.size[0], box.first[1] + within / box.size[0] % box.size[1],
          box.first[2] + within / box.size[0] / box.size[1]};
}

// Of equal surfaces the one with the fewest ranks along x, then y: rows of memory stay long.
std::array<int, 3> rank_layout(const std::array<std::int64_t, 3>& extents, int ranks) {
  if (ranks < 1) throw InputError(std::to_string(ranks) + " ranks: there must be at least one");
  std::array<int, 3> best{0, 0, 0};
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0 || x > extents[0]) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      const int z = ranks / x / y;
      if (ranks / x % y != 0 || y > extents[1] || z > extents[2]) continue;
      if (best[0] == 0 || cut_surface(extents, {x, y, z}) < cut_surface(extents, best)) best = {x, y, z};
    }
  }
  if (best[0] == 0)
    throw InputError("a grid of " + std::to_string(extents[0]) + "x" + std::to_string(extents[1]) +
                     (extents[2] > 1 ? "x" + std::to_string(extents[2]) : "") + " nodes cannot be cut into " +
                     std::to_string(ranks) +
                     " boxes with at least one node each; use fewer ranks or a larger grid");
  return best;
}

std::vector<std::int64_t> even_cuts(std::int64_t nodes, int ranks) {
  std::vector<std::int64_t> cuts;
  for (std::int64_t rank = 0; rank <= ranks; ++rank)
    cuts.push_back(rank * (nodes / ranks) + std::min(rank, nodes % ranks));
  return cuts;
}

Partition make_partition(const std::array<std::int64_t, 3>& extents, const std::array<bool, 3>& periodic,
                         int ranks, int rank) {
  const std::array<int, 3> layout = rank_layout(extents, ranks);
  Partition p{extents, periodic, {}, rank};
  for (int axis = 0; axis < 3; ++axis) p.cuts[axis] = even_cuts(extents[axis], layout[axis]);
  return p;
}

}  // namespace quadrille
