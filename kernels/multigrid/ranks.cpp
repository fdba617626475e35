#include "kernels/multigrid/ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "formats/format.hpp"

namespace quadrille::multigrid {
namespace {

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::int64_t wrapped(std::int64_t at, std::int64_t n) {
  return at - n * floor_divided(at, n);
}

// Body(by how many nodes an axis is shifted) for all ways around the periodic axes that lead `layers` far.
template <class Body>
void for_ways_around(const Partition& p, int layers, const Body& body) {
  NodePosition ways{0, 0, 0};
  for (int axis = 0; axis < 3; ++axis)
    if (p.periodic[axis] && p.ranks_along(axis) > 1)
      ways[axis] = (layers + p.extents[axis] - 1) / p.extents[axis];
  for (std::int64_t z = -ways[2]; z <= ways[2]; ++z)
    for (std::int64_t y = -ways[1]; y <= ways[1]; ++y)
      for (std::int64_t x = -ways[0]; x <= ways[0]; ++x)
        body(NodePosition{x * p.extents[0], y * p.extents[1], z * p.extents[2]});
}

// What both have; of no nodes where they have none.
NodeBox both(const NodeBox& a, const NodeBox& b) {
  NodeBox box;
  for (int axis = 0; axis < 3; ++axis) {
    box.first[axis] = std::max(a.first[axis], b.first[axis]);
    const std::int64_t end = std::min(a.first[axis] + a.size[axis], b.first[axis] + b.size[axis]);
    box.size[axis] = std::max<std::int64_t>(0, end - box.first[axis]);
  }
  return box;
}

// Of a rank's box with its layers: these.
std::vector<BoxTransfer> layers_to(const Partition& p, int layers, int rank) {
  const RankBox wide = rank_box(p, rank, layers);
  std::vector<BoxTransfer> transfers;
  for (int owner = 0; owner < p.ranks(); ++owner) {
    const NodeBox own = box_of(p, owner);
    const RankBox there = rank_box(p, owner, layers);
    for_ways_around(p, layers, [&](const NodePosition& by) {
      if (owner == rank && by == NodePosition{0, 0, 0}) return;
      NodeBox moved = own;
      for (int axis = 0; axis < 3; ++axis) moved.first[axis] += by[axis];
      const NodeBox shared = both(moved, {wide.first, wide.size});
      if (shared.nodes() == 0) return;
      NodeBox from = shared;
      for (int axis = 0; axis < 3; ++axis) from.first[axis] -= by[axis];
      transfers.push_back(
          {owner, within({there.first, there.size}, from), within({wide.first, wide.size}, shared)});
    });
  }
  return transfers;
}

// All nodes of the grid, x fastest.
std::vector<BoxTransfer> all_nodes(const Partition& p) {
  std::vector<BoxTransfer> transfers;
  for (int owner = 0; owner < p.ranks(); ++owner) {
    const NodeBox own = box_of(p, owner);
    const RankBox there = rank_box(p, owner);
    if (own.nodes() > 0)
      transfers.push_back({owner, within({there.first, there.size}, own), within(whole_box(p.extents), own)});
  }
  return transfers;
}

}  // namespace

RankBox rank_box(const Partition& p, int rank, int layers) {
  const NodeBox own = box_of(p, rank);
  RankBox box;
  for (int axis = 0; axis < 3; ++axis) {
    const bool shared = p.ranks_along(axis) > 1, periodic = p.periodic[axis];
    const std::int64_t before = own.first[axis], after = p.extents[axis] - before - own.size[axis];
    const std::int64_t below = !shared ? 0 : periodic ? layers : std::min<std::int64_t>(before, layers);
    const std::int64_t above = !shared ? 0 : periodic ? layers : std::min<std::int64_t>(after, layers);
    box.first[axis] = before - below;
    box.own[axis] = below;
    box.own_size[axis] = own.size[axis];
    box.size[axis] = below + own.size[axis] + above;
  }
  return box;
}

Partition coarser(const Partition& p, const std::array<AxisInterpolation, 3>& axes,
                  const std::array<bool, 3>& halved) {
  Partition result = p;
  for (int axis = 0; axis < 3; ++axis) {
    if (p.ranks_along(axis) == 1) result.periodic[axis] = still_wraps(p.periodic[axis], axes[axis].coarse);
    if (!halved[axis]) continue;
    result.extents[axis] = axes[axis].coarse;
    std::int64_t coarse = 0;  // cuts ascend
    for (std::int64_t& cut : result.cuts[axis]) {
      while (coarse < axes[axis].coarse && fine_of_coarse(axes[axis], coarse) < cut) ++coarse;
      cut = coarse;
    }
  }
  return result;
}

bool all_have_nodes(const Partition& p) {
  for (const auto& cuts : p.cuts)
    for (std::size_t i = 1; i < cuts.size(); ++i)
      if (cuts[i] <= cuts[i - 1]) return false;
  return true;
}

AxisInterpolation axis_of_box(const AxisInterpolation& whole, bool halved, std::int64_t fine_first,
                              std::int64_t fine_size, std::int64_t coarse_first, std::int64_t coarse_size) {
  AxisInterpolation box;
  box.fine = fine_size;
  box.coarse = coarse_size;
  for (std::int64_t at = fine_first; at < fine_first + fine_size; ++at) {
    const std::int64_t round = floor_divided(at, whole.fine), node = at - round * whole.fine;
    for (const int side : {0, 1}) {
      const std::int64_t coarse = whole.node[2 * node + side];
      const double weight = whole.weight[2 * node + side];
      std::int64_t found = -1;
      for (const std::int64_t r : {round - 1, round + 1, round})  // where the axis wraps, the copy beside it
        if (std::abs(r * whole.fine + (halved ? fine_of_coarse(whole, coarse) : coarse) - at) <= 1)
          found = r * whole.coarse + coarse - coarse_first;
      const bool there = found >= 0 && found < coarse_size;
      if (!there && weight != 0)
        throw FormatError("a coarse node of multigrid is not among those of its rank");
      box.node.push_back(there ? static_cast<std::int32_t>(found) : 0);
      box.weight.push_back(weight);
    }
  }
  add_readers(box);
  return box;
}

std::array<AxisInterpolation, 3> axes_of_boxes(const std::array<AxisInterpolation, 3>& whole,
                                               const std::array<bool, 3>& halved, const Partition& partition,
                                               const RankBox& fine, const RankBox& coarse) {
  std::array<AxisInterpolation, 3> axes = whole;
  for (int axis = 0; axis < 3; ++axis)
    if (partition.ranks_along(axis) > 1)
      axes[axis] = axis_of_box(whole[axis], halved[axis], fine.first[axis], fine.size[axis],
                               coarse.first[axis], coarse.size[axis]);
  return axes;
}

std::vector<std::int8_t> nodes_between(const AxisInterpolation& whole, bool halved, std::int64_t first,
                                       std::int64_t size) {
  std::vector<std::int8_t> of_axis(whole.fine, halved ? 1 : 0), between;
  for (std::int64_t coarse = 0; halved && coarse < whole.coarse; ++coarse)
    of_axis[fine_of_coarse(whole, coarse)] = 0;
  for (std::int64_t at = first; at < first + size; ++at) between.push_back(of_axis[wrapped(at, whole.fine)]);
  return between;
}

std::unique_ptr<NodeExchange> layer_exchange(Ranks& ranks, const Partition& p, int dof, bool on_gpu,
                                             int layers) {
  return ranks.exchange([&](int rank) { return layers_to(p, layers, rank); }, p.rank,
                        rank_box(p, p.rank, layers).nodes(), dof, on_gpu);
}

std::unique_ptr<NodeExchange> gathering(Ranks& ranks, const Partition& p, int dof, bool on_gpu) {
  return ranks.exchange([&](int) { return all_nodes(p); }, p.rank, rank_box(p, p.rank).nodes(), dof, on_gpu);
}

}  // namespace quadrille::multigrid
