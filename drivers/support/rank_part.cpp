#include "drivers/support/rank_part.hpp"

#include "grid/error.hpp"
#include "kernels/petsc/base/ranks.hpp"

namespace quadrille {

Partition partition_of(const Grid& grid, const Boundary& boundary) {
  std::array<bool, 3> periodic{};
  for (int axis = 0; axis < grid.dimension; ++axis) periodic[axis] = boundary.periodic(axis);
  return partition_by_planes(grid.extents, periodic, petsc::ranks(), petsc::rank());
}

LineRange lines_of_rank(const Grid& grid) {
  const NodeBox box = own_box(partition_by_planes(grid.extents, {}, petsc::ranks(), petsc::rank()));
  return {box.first[2] * grid.extents[1] + box.first[1], box.size[1] * box.size[2]};
}

void require_planes_for_all(const Grid& grid) {
  const int axis = slowest_axis(grid.extents);
  if (grid.extents[axis] < petsc::ranks())
    throw InputError("grid " + to_string(grid) + " on " + std::to_string(petsc::ranks()) +
                     " ranks: each takes nodes along " + "xyz"[axis] + ", which has " +
                     std::to_string(grid.extents[axis]) + "; start fewer ranks");
}

}  // namespace quadrille
