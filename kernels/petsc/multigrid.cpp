#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/petsc/aij_matrix.hpp"
#include "kernels/petsc/check.hpp"
#include "kernels/petsc/indices.hpp"
#include "kernels/petsc/multigrid_setup.hpp"
#include "kernels/petsc/petsc_error.hpp"
#include "kernels/petsc/rank_matrix.hpp"
#include "kernels/petsc/ranks.hpp"
#include "kernels/petsc/shell_matrix.hpp"
#include "kernels/petsc/transfer_matrix.hpp"

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

// The operator as MATAIJ with a whole diagonal. Where the constants of each of `held` unknowns are null, the
// diagonal of their first node is doubled: for a right side that is orthogonal to the constants, that is as
// if this node were held at zero.
Handle<Mat> direct_matrix(const SpmvOperator<double>& op, const GhostPart* ghosts, int held) {
  const std::int64_t first = ghosts ? sum_before(op.rows()) : 0;
  const GhostPart none;
  const JoinedRows csr = joined_rows(op.to_csr(), ghosts ? *ghosts : none, first,
                                     ghosts ? sum_over_ranks(op.rows()) : op.columns());
  const auto rows = static_cast<PetscInt>(csr.rows), columns = static_cast<PetscInt>(csr.columns);
  std::vector<PetscInt> lengths(static_cast<std::size_t>(rows)), beside(lengths.size());
  std::vector<double> diagonal(lengths.size(), 0.0);
  double largest = 0;
  for (PetscInt i = 0; i < rows; ++i) {
    const PetscInt length = csr.row_ptr[i + 1] - csr.row_ptr[i];
    lengths[i] = std::min(rows, length + 1);
    beside[i] = std::min(columns - rows, length);
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      if (csr.column[k] == first + i) diagonal[i] = csr.value[k];
    largest = std::max(largest, std::abs(diagonal[i]));
  }
  if (ghosts) largest = largest_over_ranks(largest);
  const MPI_Comm comm = ghosts ? PETSC_COMM_WORLD : PETSC_COMM_SELF;
  Handle<Mat> matrix = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
  QUADRILLE_PETSC(MatSetSizes(matrix.get(), rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  QUADRILLE_PETSC(MatSetType(matrix.get(), MATAIJ));
  QUADRILLE_PETSC(MatSeqAIJSetPreallocation(matrix.get(), 0, lengths.data()));
  QUADRILLE_PETSC(MatMPIAIJSetPreallocation(matrix.get(), 0, lengths.data(), 0, beside.data()));
  std::vector<PetscInt> columns_of_row;
  for (PetscInt i = 0; i < rows; ++i) {
    const std::int32_t begin = csr.row_ptr[i], end = csr.row_ptr[i + 1];
    const PetscInt row = static_cast<PetscInt>(first) + i;
    columns_of_row.assign(csr.column.data() + begin, csr.column.data() + end);
    QUADRILLE_PETSC(MatSetValues(matrix.get(), 1, &row, end - begin, columns_of_row.data(),
                                 csr.value.data() + begin, INSERT_VALUES));
    const double more = row >= held ? 0 : largest > 0 ? std::max(diagonal[i], largest * 1e-3) : 1;
    QUADRILLE_PETSC(MatSetValue(matrix.get(), row, row, diagonal[i] + more, INSERT_VALUES));
  }
  QUADRILLE_PETSC(MatAssemblyBegin(matrix.get(), MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(matrix.get(), MAT_FINAL_ASSEMBLY));
  return matrix;
}

Handle<Mat> transfer_for(const MultigridLevel& level) {
  if (!level.ghosts) return Handle<Mat>(make_transfer_matrix(level.interpolation));
  const Handle<Vec> coarse = rank_vector(level.op->rows(), level.interpolation->space());
  return Handle<Mat>(make_transfer_matrix({level.interpolation, level.coarse_nodes}, coarse.get()));
}

}  // namespace

Handle<Mat> matrix_for(const KrylovProblem& problem, const std::shared_ptr<const SpmvOperator<double>>& op,
                       const std::shared_ptr<const GhostPart>& ghosts) {
  if (ghosts && problem.as_aij) return make_rank_aij(*op, *ghosts, problem.block_size, problem.aij_on_gpu);
  if (ghosts) return make_rank_matrix(op, ghosts, problem.format, problem.block_size);
  if (problem.as_aij) return aij_copy(op->to_csr(), problem.block_size, problem.aij_on_gpu);
  return Handle<Mat>(make_shell_matrix(op, problem.format, problem.block_size));
}

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
    const Handle<Mat> coarser =
        from_finest == 0 ? nullptr
                         : matrix_for(problem, below[from_finest - 1].op, below[from_finest - 1].ghosts);
    const Mat matrix = coarser ? coarser.get() : finest;
    const Handle<Mat> interpolation = transfer_for(below[from_finest]);
    const Smoother smoother(pc, level);
    QUADRILLE_PETSC(KSPSetOperators(smoother.ksp, matrix, matrix));
    QUADRILLE_PETSC(PCSetType(smoother.pc, PCJACOBI));
    QUADRILLE_PETSC(PCMGSetInterpolation(pc, level, interpolation.get()));
  }
  const Handle<Mat> coarsest = direct_matrix(below.empty() ? *problem.op : *below.back().op,
                                             (below.empty() ? problem.ghosts : below.back().ghosts).get(),
                                             problem.constants_are_null ? problem.block_size : 0);
  if (problem
          .constants_are_null) {  // what rounding leaves of them in its right side would come back as a large number
    const Handle<Vec> model =
        make<Vec>("MatCreateVecs", [&](Vec* v) { return MatCreateVecs(coarsest.get(), v, nullptr); });
    QUADRILLE_PETSC(
        MatSetTransposeNullSpace(coarsest.get(), constants(model.get(), problem.block_size).get()));
  }
  const Smoother solver(pc, 0);
  QUADRILLE_PETSC(KSPSetOperators(solver.ksp, coarsest.get(), coarsest.get()));
  QUADRILLE_PETSC(KSPSetType(solver.ksp, KSPPREONLY));
  QUADRILLE_PETSC(PCSetType(solver.pc, problem.ghosts ? PCREDUNDANT : PCLU));  // the former: LU on every rank
  return coarse.galerkin;
}

void keep_operators(PC pc, bool galerkin) {
  PetscBool is_mg = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCMG, &is_mg));
  if (!is_mg) return;
  QUADRILLE_PETSC(PCMGSetGalerkin(pc, galerkin ? PC_MG_GALERKIN_EXTERNAL : PC_MG_GALERKIN_NONE));
}

}  // namespace quadrille::petsc
