#include "kernels/multigrid/grid_levels.hpp"

#include <memory>
#include <utility>

#include "kernels/multigrid/on_host.hpp"
#include "kernels/multigrid/parts.hpp"

namespace quadrille {
namespace multigrid {
QUADRILLE_SETUP(extern, OnHost, Host)
}
namespace {

using namespace multigrid;
using Hub = BlockDiagonals<double>;

Partition of_one_rank(const BlockStructure& a) {
  Partition p;
  p.extents = a.extents;
  p.periodic = a.periodic;
  for (int axis = 0; axis < 3; ++axis) p.cuts[axis] = {0, a.extents[axis]};
  return p;
}

// Where the rows of a rank's own nodes are in what it has of a level.
BoxRows rows_of(const Partition& p, const SharedLevel* shared, int dof) {
  if (shared != nullptr) return {shared->box, p.extents, dof};
  RankBox whole;
  whole.size = whole.own_size = p.extents;
  return {whole, p.extents, dof};
}

// The own rows of columns that are `rows` long.
Array<double> own_rows(const Array<double>& columns, const BoxRows& rows, std::int64_t count) {
  OnHost machine;
  Array<double> own(count * rows.own_rows());
  for (std::int64_t c = 0; c < count; ++c)
    machine.for_each(rows.own_rows(), TakeOwn<double, double>{rows, columns.data() + c * rows.rows(),
                                                              own.data() + c * rows.own_rows()});
  return own;
}

// A row that nothing is interpolated from is empty: a diagonal keeps its unknown at zero.
void fill_empty_rows(const BlockStructure& s, std::int64_t rows, Array<double>& values) {
  const auto centre = std::find(s.offsets.begin(), s.offsets.end(), NodeOffset{}) - s.offsets.begin();
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < rows; ++row) {
    double& diagonal = values[(centre * s.dof + row % s.dof) * rows + row];
    if (diagonal == 0) diagonal = 1;
  }
}

// The part of an interpolation in boxes that leads to own nodes.
void take_interpolation(const Coarsening<Host>& next, const SharedLevel* fine, const RankBox& coarse,
                        GridLevel& level) {
  level.axes = next.axes();
  if (fine == nullptr) return;
  std::array<std::vector<std::int64_t>, 3> at;
  for (int axis = 0; axis < 3; ++axis) {
    AxisPart part = part_of(next.axes()[axis], fine->box.own[axis], fine->box.own_size[axis]);
    level.axes[axis] = std::move(part.axis);
    const std::int64_t n = level.partition.extents[axis];
    for (const std::int32_t node : part.coarse_nodes)
      at[axis].push_back(((coarse.first[axis] + node) % n + n) % n);
  }
  for (const std::int64_t z : at[2])
    for (const std::int64_t y : at[1])
      for (const std::int64_t x : at[0]) level.coarse_nodes.push_back(number_of(level.partition, {x, y, z}));
}

Array<double> take_weights(const Coarsening<Host>& next, const BoxRows& rows, const GridLevel& level) {
  if (!next.by_operator) return {};
  const bool flat = level.axes[2].fine == 1 && level.axes[2].coarse == 1;
  return own_rows(next.weights, rows, flat ? 4 : 8);
}

// From a level to the next, until there are enough.
class Descent {
 public:
  Descent(const Hub& finest, std::unique_ptr<SharedLevel> shared, const Partition& partition)
      : shared_(std::move(shared)), partition_(partition), now_(&finest) {}

  std::vector<GridLevel> levels(const GridLevelChoice& choice) {
    std::vector<GridLevel> levels;
    std::int64_t few = choice.few;
    while (choice.levels > 0 ? std::ssize(levels) + 1 < choice.levels : unknowns() > few) {
      const auto next =
          coarsen(machine_, *now_, true,
                  jumps_ ? LevelInterpolation::by_operator : LevelInterpolation::as_suits, shared_.get());
      if (!next.there) break;
      jumps_ = jumps_ || next.jumps;
      if (levels.empty() && next.by_operator) few = choice.few_by_operator;
      if (choice.levels == 0 && unknowns() <= few) break;
      levels.push_back(descend(next));
    }
    return levels;
  }

 private:
  std::int64_t unknowns() const {
    return partition_.extents[0] * partition_.extents[1] * partition_.extents[2] * now_->dof;
  }

  GridLevel descend(const Coarsening<Host>& next) {
    const RankBox* const box = shared_ ? &shared_->box : nullptr;
    Hub coarse = galerkin(machine_, *now_, next.nodes(couplings_of(*now_, box)), box);
    std::unique_ptr<SharedLevel> following;
    if (shared_) following = std::make_unique<SharedLevel>(*shared_->ranks, *next.partition);
    GridLevel level;
    level.partition = shared_ ? *next.partition : of_one_rank(coarse);
    level.structure = coarse;
    level.structure.extents = level.partition.extents;
    level.structure.periodic = level.partition.periodic;
    take_interpolation(next, shared_.get(), following ? following->box : RankBox{}, level);
    level.weights = take_weights(next, rows_of(partition_, shared_.get(), coarse.dof), level);
    const BoxRows rows = rows_of(level.partition, following.get(), coarse.dof);
    if (following) {
      following->make_layers(coarse.dof, false);
      exchange_rows(*following->layers, coarse, coarse, nullptr);
      stability_.keep(machine_, coarse, *following);
    } else {
      stability_.keep(machine_, coarse);
    }
    level.values = own_rows(coarse.values, rows, coarse.diagonals() * coarse.dof);
    fill_empty_rows(level.structure, rows.own_rows(), level.values);
    shared_ = std::move(following);
    partition_ = level.partition;
    coarse_ = std::move(coarse);
    now_ = &coarse_;
    return level;
  }

  OnHost machine_;
  Stability stability_;
  std::unique_ptr<SharedLevel> shared_;
  Partition partition_;
  const Hub* now_;
  Hub coarse_;
  bool jumps_ = false;
};

}  // namespace

std::vector<GridLevel> grid_levels(const BlockDiagonals<double>& a, const GridLevelChoice& choice) {
  OnHost machine;
  const Hub near = reach_of(a.offsets) > 1 ? neighbour_form(machine, a) : Hub{};
  return Descent(near.diagonals() > 0 ? near : a, nullptr, of_one_rank(a)).levels(choice);
}

std::vector<GridLevel> grid_levels(const SharedOperator<Host>& a, const GridLevelChoice& choice) {
  OnHost machine;
  auto shared = std::make_unique<SharedLevel>(a.ranks, a.partition);
  shared->make_layers(a.own.dof, false);
  const Hub box = in_box(machine, a, shared->box, shared_offsets(a), *shared->layers);
  return Descent(box, std::move(shared), a.partition).levels(choice);
}

}  // namespace quadrille
