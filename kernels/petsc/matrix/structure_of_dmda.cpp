// What a DMDA says of its grid.
#include <petscdmda.h>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/structure.hpp"

namespace quadrille::petsc {
namespace {

std::vector<NodeOffset> stencil_points(PetscInt dimension, std::int32_t width, bool box) {
  const std::int32_t y_reach = dimension > 1 ? width : 0, z_reach = dimension > 2 ? width : 0;
  std::vector<NodeOffset> points;
  for (std::int32_t z = -z_reach; z <= z_reach; ++z)
    for (std::int32_t y = -y_reach; y <= y_reach; ++y)
      for (std::int32_t x = -width; x <= width; ++x)
        if (box || (x != 0) + (y != 0) + (z != 0) <= 1) points.push_back({x, y, z});
  return points;
}

}  // namespace

Partition partition_of(DM da) {
  Partition p;
  PetscInt dimension = 0;
  std::array<PetscInt, 3> nodes{1, 1, 1}, ranks{1, 1, 1};
  std::array<DMBoundaryType, 3> sides{};
  std::array<const PetscInt*, 3> sizes{};
  QUADRILLE_PETSC(DMDAGetInfo(da, &dimension, &nodes[0], &nodes[1], &nodes[2], &ranks[0], &ranks[1],
                              &ranks[2], nullptr, nullptr, &sides[0], &sides[1], &sides[2], nullptr));
  QUADRILLE_PETSC(DMDAGetOwnershipRanges(da, &sizes[0], &sizes[1], &sizes[2]));
  for (int axis = 0; axis < dimension; ++axis) {
    if (sides[axis] == DM_BOUNDARY_TWIST)
      throw FormatError("a DMDA with twisted sides has no block diagonals");
    p.extents[axis] = nodes[axis];
    p.periodic[axis] = sides[axis] == DM_BOUNDARY_PERIODIC;
    p.cuts[axis] = {0};
    for (PetscInt rank = 0; rank < ranks[axis]; ++rank)
      p.cuts[axis].push_back(p.cuts[axis].back() + sizes[axis][rank]);
  }
  MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(da)), &p.rank);
  return p;
}

GridStructure structure_of(DM da) {
  PetscInt dimension = 0, dof = 1, width = 0;
  DMDAStencilType shape = DMDA_STENCIL_STAR;
  QUADRILLE_PETSC(DMDAGetInfo(da, &dimension, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &dof,
                              &width, nullptr, nullptr, nullptr, &shape));
  const bool box = shape == DMDA_STENCIL_BOX;
  return structure_of(partition_of(da), to_index32(dof, "unknowns of a node"),
                      stencil_points(dimension, to_index32(width, "the stencil's width"), box),
                      std::string("the ") + (box ? "box" : "star") + " stencil of width " +
                          std::to_string(width) + " of the DMDA",
                      block_fill_of(da));
}

}  // namespace quadrille::petsc
