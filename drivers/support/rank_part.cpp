#include "drivers/support/rank_part.hpp"

#include "grid/error.hpp"
#include "kernels/petsc/ranks.hpp"

namespace quadrille {
namespace {

// Of a rank without rows.
class NoRows final : public SpmvOperator<double> {
 public:
  explicit NoRows(SpaceKind space) : space_(space) {}
  std::int64_t rows() const override { return 0; }
  std::int64_t columns() const override { return 0; }
  SpaceKind space() const override { return space_; }
  Traffic traffic() const override { return {}; }
  void multiply(Queue, const double*, const Output<double>&) const override {}
  bool has_transpose() const override { return true; }
  void multiply_transposed(Queue, const double*, const Output<double>&) const override {}
  Csr<double> to_csr() const override { return {0, 0, Array<std::int32_t>(1, 0), {}, {}}; }
  Array<double> diagonal_blocks(int) const override { return {}; }

 private:
  SpaceKind space_;
};

}  // namespace

Planes planes_of_rank(const Grid& grid) {
  return owned_planes(grid.extents[slab_axis(grid.extents)], petsc::ranks(), petsc::rank());
}

LineRange lines_of_rank(const Grid& grid) {
  const Planes planes = planes_of_rank(grid);
  const std::int64_t lines = slab_axis(grid.extents) == 2 ? grid.extents[1] : 1;
  return {planes.first * lines, planes.count * lines};
}

void require_planes_for_all(const Grid& grid) {
  const int axis = slab_axis(grid.extents);
  if (grid.extents[axis] < petsc::ranks())
    throw InputError("grid " + to_string(grid) + " on " + std::to_string(petsc::ranks()) +
                     " ranks: each takes nodes along " + "xyz"[axis] + ", which has " +
                     std::to_string(grid.extents[axis]) + "; start fewer ranks");
}

RankSource rank_source(const Grid& grid, BlockStructure structure, Array<double> values, bool with_csr) {
  const Planes planes = planes_of_rank(grid);
  SplitSlab parts =
      split({std::move(structure), slab_axis(grid.extents), planes.first, planes.count, std::move(values)});
  RankSource result;
  if (petsc::ranks() > 1) result.ghosts = std::make_shared<const GhostPart>(std::move(parts.ghosts));
  if (planes.count == 0) return result;
  result.source.hub = std::make_shared<const BlockDiagonals<double>>(std::move(parts.own));
  if (with_csr) result.source.csr = std::make_shared<const Csr<double>>(to_csr(*result.source.hub));
  return result;
}

std::shared_ptr<const SpmvOperator<double>> rank_operator(const RankSource& part, const FormatEntry& entry,
                                                          const FormatOptions& options) {
  if (!part.source.hub) return std::make_shared<const NoRows>(entry.space);
  return entry.make_fp64(part.source, options);
}

}  // namespace quadrille
