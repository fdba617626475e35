#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/petsc/indices.hpp"
#include "kernels/petsc/matrix_type/compact_aij.hpp"
#include "kernels/petsc/matrix_type/matrix.hpp"
#include "kernels/petsc/multigrid_setup.hpp"
#include "kernels/petsc/petsc_error.hpp"
#include "kernels/petsc/vector_arrays.hpp"

namespace quadrille::petsc {
namespace {

// Of a level, by PETSc's number: 0 is the coarsest.
struct Smoother {
  Smoother(PC pc, PetscInt level) {
    QUADRILLE_PETSC(PCMGGetSmoother(pc, level, &ksp));
    QUADRILLE_PETSC(KSPGetPC(ksp, &this->pc));
  }
  KSP ksp = nullptr;
  PC pc = nullptr;
};

// The operator as a MATAIJ of its own. Where the constants of each of `held` unknowns are null, the diagonal
// of their first node is doubled: for a right side that is orthogonal to the constants, that is as if this
// node were held at zero.
Handle<Mat> direct_matrix(Mat operator_matrix, int held) {
  Handle<Mat> matrix =
      is_typed(operator_matrix) ? compact_aij(operator_matrix, false) : make<Mat>("MatConvert", [=](Mat* m) {
        return MatConvert(operator_matrix, MATAIJ, MAT_INITIAL_MATRIX, m);
      });
  if (held == 0) return matrix;
  const Handle<Vec> diagonal =
      make<Vec>("MatCreateVecs", [&](Vec* v) { return MatCreateVecs(matrix.get(), v, nullptr); });
  PetscReal largest = 0;
  PetscInt first = 0, rows = 0;
  QUADRILLE_PETSC(MatGetDiagonal(matrix.get(), diagonal.get()));
  QUADRILLE_PETSC(VecNorm(diagonal.get(), NORM_INFINITY, &largest));
  QUADRILLE_PETSC(MatGetOwnershipRange(matrix.get(), &first, nullptr));
  QUADRILLE_PETSC(MatGetLocalSize(matrix.get(), &rows, nullptr));
  for (PetscInt row = first; row < std::min<PetscInt>(held, first + rows); ++row) {
    const double value = ReadArray(diagonal.get()).data()[row - first];
    const double more = largest > 0 ? std::max(value, largest * 1e-3) : 1;
    QUADRILLE_PETSC(MatSetValue(matrix.get(), row, row, value + more, INSERT_VALUES));
  }
  QUADRILLE_PETSC(MatAssemblyBegin(matrix.get(), MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(matrix.get(), MAT_FINAL_ASSEMBLY));
  return matrix;
}

}  // namespace

MultigridRequest multigrid_request(const SolverDefaults& defaults) {
  MultigridRequest request;
  char text[64] = "";
  PetscBool set = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsGetString(nullptr, nullptr, "-pc_type", text, sizeof text, &set));
  request.wanted = std::string(set ? text : defaults.preconditioner) == PCMG;
  if (!request.wanted) return request;
  PetscInt levels = 0;
  QUADRILLE_PETSC(PetscOptionsGetInt(nullptr, nullptr, "-pc_mg_levels", &levels, &set));
  if (set && levels < 1)
    throw PetscOptionError("-pc_mg_levels " + std::to_string(levels) + ": multigrid has at least one level");
  request.levels = set ? to_index32(levels, "levels of multigrid") : 0;
  QUADRILLE_PETSC(PetscOptionsGetString(nullptr, nullptr, "-pc_mg_galerkin", text, sizeof text, &set));
  const std::string kind = set ? text : "external";
  if (kind == "none")
    request.operators = CoarseOperators::rediscretised;
  else if (kind == "both" || kind == "pmat" || kind == "mat")
    request.operators = CoarseOperators::galerkin;
  else if (kind != "external")
    throw PetscOptionError("-pc_mg_galerkin '" + kind +
                           "' is not known; choose both (P^T A P) or none (discretised again)");
  return request;
}

bool set_levels(PC pc, const KrylovProblem& problem, Mat finest, const MultigridRequest& request) {
  if (!problem.coarsen) throw PetscOptionError("-pc_type mg: this operator comes without coarser grids");
  const CoarseLevels coarse = problem.coarsen(request.levels, request.operators);
  const std::vector<MultigridLevel>& below = coarse.below;
  const auto levels = static_cast<PetscInt>(below.size()) + 1;
  QUADRILLE_PETSC(PCSetType(pc, PCMG));
  QUADRILLE_PETSC(PCMGSetLevels(pc, levels, nullptr));
  for (PetscInt level = levels - 1; level > 0; --level) {
    const PetscInt from_finest = levels - 1 - level;
    const Mat matrix = from_finest == 0 ? finest : below[from_finest - 1].matrix.get();
    const Smoother smoother(pc, level);
    QUADRILLE_PETSC(KSPSetOperators(smoother.ksp, matrix, matrix));
    QUADRILLE_PETSC(PCSetType(smoother.pc, PCJACOBI));
    QUADRILLE_PETSC(PCMGSetInterpolation(pc, level, below[from_finest].interpolation.get()));
  }
  const int block_size = block_size_of(finest);
  const Handle<Mat> coarsest = direct_matrix(below.empty() ? finest : below.back().matrix.get(),
                                             problem.constants_are_null ? block_size : 0);
  if (problem
          .constants_are_null) {  // what rounding leaves of them in its right side would come back as a large number
    const Handle<Vec> model =
        make<Vec>("MatCreateVecs", [&](Vec* v) { return MatCreateVecs(coarsest.get(), v, nullptr); });
    QUADRILLE_PETSC(MatSetTransposeNullSpace(coarsest.get(), constants(model.get(), block_size).get()));
  }
  const Smoother solver(pc, 0);
  QUADRILLE_PETSC(KSPSetOperators(solver.ksp, coarsest.get(), coarsest.get()));
  QUADRILLE_PETSC(KSPSetType(solver.ksp, KSPPREONLY));
  QUADRILLE_PETSC(
      PCSetType(solver.pc, distributed(finest) ? PCREDUNDANT : PCLU));  // the former: LU on every rank
  return coarse.galerkin;
}

void keep_operators(PC pc, bool galerkin) {
  PetscBool is_mg = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCMG, &is_mg));
  if (!is_mg) return;
  QUADRILLE_PETSC(PCMGSetGalerkin(pc, galerkin ? PC_MG_GALERKIN_EXTERNAL : PC_MG_GALERKIN_NONE));
}

}  // namespace quadrille::petsc
