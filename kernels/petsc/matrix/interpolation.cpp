#include "kernels/petsc/matrix/interpolation.hpp"

#include <petscdmda.h>

// A private header: no public function tells a DMDA how to interpolate (DMShellSetCreateInterpolation is for
// DMSHELL alone), and what it does by itself goes by the first letters of the matrix type's name; none says
// what DMSetMatrixPreallocateOnly() was told.
#include <petsc/private/dmimpl.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/transfer_matrix.hpp"

namespace quadrille::petsc {
namespace {

// DMDA's own, the same for every one that no other program has given another (SNES's variational
// inequalities do).
auto petscs_own() {
  static const auto function = [] {
    const Handle<DM> da =
        make<DM>("DMCreate", [](DM* created) { return DMCreate(PETSC_COMM_SELF, created); });
    QUADRILLE_PETSC(DMSetType(da.get(), DMDA));
    return da->ops->createinterpolation;
  }();
  return function;
}

struct DmdaGrid {
  PetscInt dimension = 0, dof = 0, width = 0;
  std::array<PetscInt, 3> nodes{1, 1, 1}, ranks{1, 1, 1};
  std::array<DMBoundaryType, 3> sides{};
  DMDAStencilType shape = DMDA_STENCIL_STAR;

  explicit DmdaGrid(DM dm) {
    QUADRILLE_PETSC(DMDAGetInfo(dm, &dimension, &nodes[0], &nodes[1], &nodes[2], &ranks[0], &ranks[1],
                                &ranks[2], &dof, &width, &sides[0], &sides[1], &sides[2], &shape));
  }
};

bool same_ranks(DM a, DM b) {
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(PetscObjectComm(reinterpret_cast<PetscObject>(a)),
                   PetscObjectComm(reinterpret_cast<PetscObject>(b)), &result);
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}

// The interpolation of the whole grid along every axis, or nothing where PETSc's own is to be asked: it has
// other kinds, and the messages for grids that do not go together. The same on all ranks.
std::optional<std::array<AxisInterpolation, 3>> axes_between(DM coarse, DM fine) {
  const DmdaGrid c(coarse), f(fine);
  DMDAInterpolationType kind = DMDA_Q0;
  QUADRILLE_PETSC(DMDAGetInterpolationType(coarse, &kind));
  if (kind != DMDA_Q1 || c.dimension != f.dimension || c.dof != f.dof || c.sides != f.sides ||
      c.width != f.width || c.shape != f.shape || !same_ranks(coarse, fine))
    return {};
  std::array<AxisInterpolation, 3> axes;
  for (int axis = 0; axis < 3; ++axis) {
    const bool within = axis < c.dimension;
    const bool periodic = within && c.sides[axis] == DM_BOUNDARY_PERIODIC;
    const PetscInt n = within ? c.nodes[axis] : 1, m = within ? f.nodes[axis] : 1;
    if (within && !periodic && c.sides[axis] != DM_BOUNDARY_NONE && c.sides[axis] != DM_BOUNDARY_GHOSTED)
      return {};
    if (within && (n < 2 || m < n || (periodic ? m % n : (m - 1) % (n - 1)) != 0)) return {};
    axes[axis] = dmda_interpolation(to_index32(m, "nodes along an axis"), n, periodic);
  }
  return axes;
}

// Who owns a node along one axis, and which of its nodes it is.
struct Owner {
  PetscInt rank, node;
};

// The numbers of the nodes whose positions along the axes are `at`, x fastest, in the global vectors of `dm`:
// those of the ranks follow each other, x fastest, and the nodes of each rank's box likewise. (The mapping of
// the DM knows only ghosts.)
std::vector<std::int64_t> numbers_of(DM dm, const std::array<std::vector<std::int32_t>, 3>& at) {
  const std::array<PetscInt, 3> ranks = DmdaGrid(dm).ranks;
  std::array<const PetscInt*, 3> given{};
  QUADRILLE_PETSC(DMDAGetOwnershipRanges(dm, &given[0], &given[1], &given[2]));
  std::array<std::vector<PetscInt>, 3> sizes;
  std::array<std::vector<Owner>, 3> owners;
  for (int axis = 0; axis < 3; ++axis) {
    sizes[axis].assign(1, 1);  // of an axis that the grid has not
    if (given[axis] != nullptr) sizes[axis].assign(given[axis], given[axis] + ranks[axis]);
    PetscInt rank = 0, first = 0;
    for (const std::int32_t node : at[axis]) {  // ascending
      while (node >= first + sizes[axis][rank]) first += sizes[axis][rank++];
      owners[axis].push_back({rank, node - first});
    }
  }
  std::vector<std::int64_t> first_of;  // node of each rank
  std::int64_t nodes = 0;
  for (const PetscInt z : sizes[2])
    for (const PetscInt y : sizes[1])
      for (const PetscInt x : sizes[0]) {
        first_of.push_back(nodes);
        nodes += std::int64_t{x} * y * z;
      }
  std::vector<std::int64_t> numbers;
  for (const Owner& z : owners[2])
    for (const Owner& y : owners[1])
      for (const Owner& x : owners[0])
        numbers.push_back(first_of[(z.rank * ranks[1] + y.rank) * ranks[0] + x.rank] +
                          (z.node * sizes[1][y.rank] + y.node) * sizes[0][x.rank] + x.node);
  return numbers;
}

// To this rank's box of the fine grid.
Handle<Mat> between_ranks(DM coarse, DM fine, const std::array<AxisInterpolation, 3>& axes, SpaceKind space) {
  std::array<PetscInt, 3> first{}, count{1, 1, 1};
  QUADRILLE_PETSC(DMDAGetCorners(fine, &first[0], &first[1], &first[2], &count[0], &count[1], &count[2]));
  std::array<AxisInterpolation, 3> own;
  std::array<std::vector<std::int32_t>, 3> read;
  for (int axis = 0; axis < 3; ++axis) {
    AxisPart part = part_of(axes[axis], first[axis], count[axis]);
    own[axis] = std::move(part.axis);
    read[axis] = std::move(part.coarse_nodes);
  }
  const Handle<Vec> vector =
      make<Vec>("DMCreateGlobalVector", [=](Vec* v) { return DMCreateGlobalVector(coarse, v); });
  RankTransfer part{make_grid_transfer<double>(own, static_cast<int>(DmdaGrid(coarse).dof), space),
                    numbers_of(coarse, read)};
  return Handle<Mat>(make_transfer_matrix(std::move(part), vector.get()));
}

PetscErrorCode create_interpolation(DM coarse, DM fine, Mat* interpolation, Vec* scale) {
  return guarded("DMCreateInterpolation_Quadrille", [&] {
    const auto axes = axes_between(coarse, fine);
    if (!axes) {
      check(petscs_own()(coarse, fine, interpolation, scale), "DMCreateInterpolation");
      return;
    }
    const bool on_gpu = makes_gpu_vectors(coarse) && makes_gpu_vectors(fine) && cuda::device_count() > 0;
    const SpaceKind space = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
    int ranks = 1;
    MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(fine)), &ranks);
    Handle<Mat> made = ranks > 1 ? between_ranks(coarse, fine, *axes, space)
                                 : Handle<Mat>(make_transfer_matrix(make_grid_transfer<double>(
                                       *axes, static_cast<int>(DmdaGrid(coarse).dof), space)));
    set_products_through_aij(made.get());
    if (scale != nullptr) QUADRILLE_PETSC(DMCreateInterpolationScale(coarse, fine, made.get(), scale));
    *interpolation = made.release();
  });
}

PetscErrorCode coarsened(DM, DM coarse, void*) {
  return guarded("DMCoarsen_Quadrille", [&] {
    PetscBool is_grid = PETSC_FALSE;
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(coarse), DMDA, &is_grid));
    if (!is_grid) return;
    if (coarse->ops->createinterpolation == petscs_own())
      coarse->ops->createinterpolation = create_interpolation;
    offer_interpolation(coarse);
  });
}

}  // namespace

bool makes_gpu_vectors(DM dm) {
  VecType type = nullptr;
  QUADRILLE_PETSC(DMGetVecType(dm, &type));
  return has_cuda() && type != nullptr && std::string_view(type).find("cuda") != std::string_view::npos;
}

bool fills_matrices(DM dm) {
  return !dm->prealloc_only;
}

void offer_interpolation(DM fine) {
  QUADRILLE_PETSC(DMCoarsenHookAdd(fine, coarsened, nullptr, nullptr));  // once, however often it is asked
}

}  // namespace quadrille::petsc
