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

namespace {

std::vector<NodeBox> boxes_of_ranks(const Partition& p, int layers) {
  std::vector<NodeBox> boxes;
  for (int rank = 0; rank < p.ranks(); ++rank) {
    const RankBox box = rank_box(p, rank, layers);
    boxes.push_back({box.first, box.size});
  }
  return boxes;
}

}  // namespace

std::unique_ptr<NodeExchange> layer_exchange(Ranks& ranks, const Partition& p, int dof, bool on_gpu,
                                             int layers) {
  const std::vector<NodeBox> boxes = boxes_of_ranks(p, layers);
  const auto layers_to = [&](int rank) {
    std::vector<BoxTransfer> all = transfers(p, boxes[rank], boxes);
    const BoxWithin own = within(boxes[rank], box_of(p, rank));
    std::erase_if(all, [&](const BoxTransfer& t) { return t.rank == rank && t.to.first == own.first; });
    return all;
  };
  return ranks.exchange(layers_to, boxes[p.rank].nodes(), dof, on_gpu);
}

std::unique_ptr<NodeExchange> gathering(Ranks& ranks, const Partition& p, int dof, bool on_gpu) {
  const std::vector<NodeBox> boxes = boxes_of_ranks(p, layers_of_others);
  const std::vector<BoxTransfer> all = transfers(p, whole_box(p.extents), boxes);
  return ranks.exchange([&](int) { return all; }, boxes[p.rank].nodes(), dof, on_gpu);
}

}  // namespace quadrille::multigrid
