#include "kernels/petsc/matrix_type/interpolation.hpp"

#include <petscdmda.h>

// A private header: no public function tells a DMDA how to interpolate (DMShellSetCreateInterpolation is for DMSHELL alone), and
// what it does by itself goes by the first letters of the matrix type's name.
#include <petsc/private/dmimpl.h>

#include <optional>
#include <string_view>

#include "kernels/cuda/device.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/petsc/check.hpp"
#include "kernels/petsc/guarded.hpp"
#include "kernels/petsc/matrix_type/matrix.hpp"
#include "kernels/petsc/session.hpp"
#include "kernels/petsc/transfer_matrix.hpp"

namespace quadrille::petsc {
namespace {

using CreateInterpolation = PetscErrorCode(DM, DM, Mat*, Vec*);
CreateInterpolation* petscs_own = nullptr;  // DMDA's, the same for every one

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

// The interpolation along every axis, or nothing where PETSc's own is to be asked: it has other kinds, and the messages for grids that
// do not go together.
std::optional<std::array<AxisInterpolation, 3>> axes_between(DM coarse, DM fine) {
  const DmdaGrid c(coarse), f(fine);
  DMDAInterpolationType kind = DMDA_Q0;
  QUADRILLE_PETSC(DMDAGetInterpolationType(coarse, &kind));
  if (kind != DMDA_Q1 || c.dimension != f.dimension || c.dof != f.dof || c.sides != f.sides ||
      c.width != f.width || c.shape != f.shape)
    return {};
  std::array<AxisInterpolation, 3> axes;
  for (int axis = 0; axis < 3; ++axis) {
    const bool within = axis < c.dimension;
    const bool periodic = within && c.sides[axis] == DM_BOUNDARY_PERIODIC;
    const PetscInt n = within ? c.nodes[axis] : 1, m = within ? f.nodes[axis] : 1;
    if (c.ranks[axis] != 1 && within) return {};
    if (within && !periodic && c.sides[axis] != DM_BOUNDARY_NONE && c.sides[axis] != DM_BOUNDARY_GHOSTED)
      return {};
    if (within && (n < 2 || m < n || (periodic ? m % n : (m - 1) % (n - 1)) != 0)) return {};
    axes[axis] = dmda_interpolation(m, n, periodic);
  }
  return axes;
}

PetscErrorCode create_interpolation(DM coarse, DM fine, Mat* interpolation, Vec* scale) {
  return guarded("DMCreateInterpolation_Quadrille", [&] {
    const auto axes = axes_between(coarse, fine);
    if (!axes) {
      check(petscs_own(coarse, fine, interpolation, scale), "DMCreateInterpolation");
      return;
    }
    const bool on_gpu = makes_gpu_vectors(coarse) && makes_gpu_vectors(fine) && cuda::device_count() > 0;
    *interpolation = make_transfer_matrix(make_grid_transfer<double>(
        *axes, static_cast<int>(DmdaGrid(coarse).dof), on_gpu ? SpaceKind::cuda : SpaceKind::cpu));
    set_products_with_transfer(*interpolation);
    if (scale != nullptr) QUADRILLE_PETSC(DMCreateInterpolationScale(coarse, fine, *interpolation, scale));
  });
}

PetscErrorCode coarsened(DM, DM coarse, void*) {
  return guarded("DMCoarsen_Quadrille", [&] {
    PetscBool is_grid = PETSC_FALSE;
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(coarse), DMDA, &is_grid));
    if (!is_grid) return;
    if (coarse->ops->createinterpolation != create_interpolation) {
      petscs_own = coarse->ops->createinterpolation;
      coarse->ops->createinterpolation = create_interpolation;
    }
    offer_interpolation(coarse);
  });
}

}  // namespace

bool makes_gpu_vectors(DM dm) {
  VecType type = nullptr;
  QUADRILLE_PETSC(DMGetVecType(dm, &type));
  return has_cuda() && type != nullptr && std::string_view(type).find("cuda") != std::string_view::npos;
}

void offer_interpolation(DM fine) {
  QUADRILLE_PETSC(DMCoarsenHookAdd(fine, coarsened, nullptr, nullptr));  // once, however often it is asked
}

}  // namespace quadrille::petsc
