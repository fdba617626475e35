#include "grid/subdomain.hpp"

#include <string>

#include "grid/error.hpp"

namespace quadrille {
namespace {

// Pairs of neighbouring nodes along an axis that stand on different ranks. In double: it is only compared.
double cut_surface(const Grid& grid, const std::array<int, 3>& layout) {
  const std::array<double, 3> n{double(grid.extents[0]), double(grid.extents[1]), double(grid.extents[2])};
  return (layout[0] - 1) * n[1] * n[2] + (layout[1] - 1) * n[0] * n[2] + (layout[2] - 1) * n[0] * n[1];
}

std::string to_string(const std::array<int, 3>& layout) {
  return std::to_string(layout[0]) + "x" + std::to_string(layout[1]) + "x" + std::to_string(layout[2]);
}

}  // namespace

bool Subdomain::owns(const Position& p) const {
  const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
  for (int axis = 0; axis < 3; ++axis)
    if (at[axis] < begin[axis] || at[axis] >= begin[axis] + extents[axis]) return false;
  return true;
}

// Of equal surfaces the one with the fewest ranks along x, then y: rows of memory stay long.
std::array<int, 3> rank_layout(const Grid& grid, int ranks) {
  if (ranks < 1) throw InputError(std::to_string(ranks) + " ranks: there must be at least one");
  std::array<int, 3> best{0, 0, 0};
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0 || x > grid.extents[0]) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      const int z = ranks / x / y;
      if (ranks / x % y != 0 || y > grid.extents[1] || z > grid.extents[2]) continue;
      if (best[0] == 0 || cut_surface(grid, {x, y, z}) < cut_surface(grid, best)) best = {x, y, z};
    }
  }
  if (best[0] == 0)
    throw InputError("grid " + to_string(grid) + " cannot be cut into " + std::to_string(ranks) +
                     " boxes with at least one node each; use fewer ranks or a larger grid");
  return best;
}

Subdomain owned_box(const Grid& grid, const std::array<int, 3>& layout, int rank) {
  std::int64_t ranks = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (layout[axis] < 1 || layout[axis] > grid.extents[axis])
      throw InputError("rank layout " + to_string(layout) + " does not fit grid " + to_string(grid) +
                       ": every axis needs 1 rank to as many ranks as it has nodes");
    ranks *= layout[axis];
  }
  if (rank < 0 || rank >= ranks)
    throw InputError("rank " + std::to_string(rank) + " is not in layout " + to_string(layout) + " of " +
                     std::to_string(ranks) + " ranks");
  Subdomain box;
  std::int64_t rest = rank;
  for (int axis = 0; axis < 3; ++axis) {
    const Planes planes =
        owned_planes(grid.extents[axis], layout[axis], static_cast<int>(rest % layout[axis]));
    rest /= layout[axis];
    box.begin[axis] = planes.first;
    box.extents[axis] = planes.count;
  }
  return box;
}

Planes owned_planes(std::int64_t planes, int ranks, int rank) {
  const std::int64_t share = planes / ranks,
                     larger = planes % ranks;  // the first so many ranks own one more
  return {rank * share + (rank < larger ? rank : larger), share + (rank < larger ? 1 : 0)};
}

}  // namespace quadrille
