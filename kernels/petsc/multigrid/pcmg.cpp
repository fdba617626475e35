#include "kernels/petsc/multigrid/pcmg.hpp"

#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/multigrid/grid_levels.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/option_reader.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/compact_aij.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/transfer_matrix.hpp"
#include "kernels/petsc/multigrid/null_space.hpp"
#include "kernels/petsc/multigrid/rank_exchange.hpp"

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

// Coefficients that jump take many more iterations where the coarsest grid is small (docs/solve-defaults.md);
// those of 2D are cheap to factorise.
GridLevelChoice choice_of(const Partition& partition, int levels) {
  GridLevelChoice choice;
  choice.levels = levels;
  if (partition.extents[2] == 1) choice.few_by_operator = 16000;
  return choice;
}

std::vector<GridLevel> levels_of(Mat on_grid, int levels) {
  if (!is_typed(on_grid) || !typed(on_grid).on_grid())
    throw FormatError("multigrid needs a matrix of type quadrille on a grid");
  const LocalParts parts = typed(on_grid).store().parts(false);
  const GridLevelChoice choice = choice_of(*parts.partition, levels);
  if (!distributed(on_grid)) return grid_levels(*parts.hub, choice);
  PetscRanks ranks(PetscObjectComm(reinterpret_cast<PetscObject>(on_grid)));
  return grid_levels(shared_operator(parts, *parts.hub, parts.ghost->value, ranks), choice);
}

// How the levels multiply.
struct LevelFormat {
  GridFormat format;
  bool as_aij = false;

  LevelFormat(Mat finest, Mat on_grid) : as_aij(!is_typed(finest)) {
    VecType vectors = nullptr;
    QUADRILLE_PETSC(MatGetVecType(finest, &vectors));
    const bool on_gpu = as_aij
                            ? std::string(vectors == nullptr ? "" : vectors).find("cuda") != std::string::npos
                            : typed(on_grid).multiplies_on_gpu();
    const TypeOptions& options = typed(on_grid).options;
    format = {options.format, on_gpu ? SpaceKind::cuda : SpaceKind::cpu, options.of_format};
  }
  // Takes the level's values.
  SharedMat matrix(GridLevel& level) const {
    GridRows rows{level.structure, std::move(level.values)};
    if (!as_aij) return make_grid_matrix(level.partition, std::move(rows), format);
    return make_aij(make_grid_matrix(level.partition, std::move(rows)).get(),
                    format.space == SpaceKind::cuda);
  }
  // To the next finer level; takes its weights.
  SharedMat interpolation(GridLevel& level) const {
    const int dof = level.structure.dof;
    std::shared_ptr<const GridTransfer<double>> own;
    if (level.weights.size() > 0)
      own = make_weighted_transfer(level.axes, dof, std::move(level.weights), format.space);
    else
      own = make_grid_transfer<double>(level.axes, dof, format.space);
    if (level.partition.ranks() == 1) return shared(make_transfer_matrix(std::move(own)));
    return shared(
        make_transfer_matrix({std::move(own), level.coarse_nodes}, own_box(level.partition).nodes() * dof));
  }
};

void solve_coarsest_directly(PC pc, Mat coarsest, bool constants_are_null, int block_size) {
  const Handle<Mat> matrix = direct_matrix(coarsest, constants_are_null ? block_size : 0);
  if (constants_are_null) {  // what rounding leaves of them on both sides would come back as large numbers
    const Handle<Vec> model =
        make<Vec>("MatCreateVecs", [&](Vec* v) { return MatCreateVecs(matrix.get(), v, nullptr); });
    const Handle<MatNullSpace> space = constants(model.get(), block_size);
    QUADRILLE_PETSC(MatSetTransposeNullSpace(matrix.get(), space.get()));
    QUADRILLE_PETSC(MatSetNullSpace(matrix.get(), space.get()));
  }
  const Smoother solver(pc, 0);
  QUADRILLE_PETSC(KSPSetOperators(solver.ksp, matrix.get(), matrix.get()));
  QUADRILLE_PETSC(KSPSetType(solver.ksp, KSPPREONLY));
  QUADRILLE_PETSC(
      PCSetType(solver.pc, distributed(matrix.get()) ? PCREDUNDANT : PCLU));  // the former: LU on every rank
}

}  // namespace

MultigridRequest multigrid_request(const char* default_preconditioner) {
  MultigridRequest request;
  char text[64] = "";
  PetscBool set = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsGetString(nullptr, nullptr, "-pc_type", text, sizeof text, &set));
  const std::string preconditioner = set ? text : default_preconditioner;
  if (preconditioner == "quadrille_mg") request.kind = Multigrid::by_operator;
  if (preconditioner != PCMG) return request;
  request.kind = Multigrid::by_petsc;
  OptionReader read(nullptr, nullptr, "-pc_mg_");
  read.number("levels", 1, request.levels);
  std::string kind = "external";
  read.text("galerkin", kind);
  if (kind != "both" && kind != "pmat" && kind != "mat" && kind != "external")
    throw PetscOptionError(
        "-pc_mg_galerkin '" + kind +
        "': the operators of the coarser levels are P^T A P here; leave it out, or choose both");
  return request;
}

GridLevelCount set_grid_levels(PC pc, Mat finest, Mat on_grid, int wanted, bool constants_are_null) {
  std::vector<GridLevel> below = levels_of(on_grid, wanted);
  const auto levels = static_cast<PetscInt>(below.size()) + 1;
  if (levels < wanted)
    throw PetscOptionError("-pc_mg_levels " + std::to_string(wanted) + ": the grid can be halved to " +
                           std::to_string(levels) + " levels at most");
  const LevelFormat format(finest, on_grid);
  QUADRILLE_PETSC(PCSetType(pc, PCMG));
  QUADRILLE_PETSC(PCMGSetLevels(pc, levels, nullptr));
  QUADRILLE_PETSC(PCMGSetGalerkin(pc, PC_MG_GALERKIN_EXTERNAL));
  SharedMat matrix;  // of a level, from the finest
  for (PetscInt level = levels - 1; level > 0; --level) {
    const Smoother smoother(pc, level);
    const Mat of_level = matrix ? matrix.get() : finest;
    QUADRILLE_PETSC(KSPSetOperators(smoother.ksp, of_level, of_level));
    QUADRILLE_PETSC(PCSetType(smoother.pc, PCJACOBI));
    GridLevel& next = below[levels - 1 - level];
    QUADRILLE_PETSC(PCMGSetInterpolation(pc, level, format.interpolation(next).get()));
    matrix = format.matrix(next);
  }
  const Mat coarsest = matrix ? matrix.get() : finest;
  solve_coarsest_directly(pc, coarsest, constants_are_null, block_size_of(finest));
  return {static_cast<int>(levels), rows_of_all(coarsest)};
}

void keep_operators(PC pc) {
  PetscBool is_mg = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCMG, &is_mg));
  if (is_mg) QUADRILLE_PETSC(PCMGSetGalerkin(pc, PC_MG_GALERKIN_EXTERNAL));
}

}  // namespace quadrille::petsc
