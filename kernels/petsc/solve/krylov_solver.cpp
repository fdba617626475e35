#include "kernels/petsc/solve/krylov_solver.hpp"

#include <chrono>

#include "kernels/cuda/device.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/multigrid/null_space.hpp"
#include "kernels/petsc/solve/conjugate_gradients.hpp"
#include "kernels/petsc/solve/krylov_errors.hpp"
#include "kernels/petsc/solve/vectors.hpp"

namespace quadrille::petsc {
namespace {

// PETSc (3.18.5 and 3.25.6) frees a vector twice after Chebyshev iterations as the outer method, with its own
// matrices as well.
void refuse_crashing_method(KSP ksp) {
  PetscBool chebyshev = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPCHEBYSHEV, &chebyshev));
  if (chebyshev)
    throw PetscOptionError("-ksp_type chebyshev as the outer method crashes in PETSc; choose another one");
}

// Options of PETSc after which there would be no answer to look at: a solve that does not converge is an
// answer, and the residual is that of the system that was asked for.
void keep_answers_comparable(KSP ksp) {
  PetscBool scaled = PETSC_FALSE;
  QUADRILLE_PETSC(KSPSetErrorIfNotConverged(ksp, PETSC_FALSE));
  QUADRILLE_PETSC(KSPGetDiagonalScale(ksp, &scaled));
  if (scaled) QUADRILLE_PETSC(KSPSetDiagonalScaleFix(ksp, PETSC_TRUE));
}

bool is_given(const char* option) {
  PetscBool given = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsHasName(nullptr, nullptr, option, &given));
  return given;
}

GridLevelCount set_levels(PC pc, const KrylovProblem& problem, Mat matrix, int levels) {
  if (!problem.on_grid) throw PetscOptionError("-pc_type mg: this operator comes without a grid");
  return set_grid_levels(pc, matrix, problem.on_grid.get(), levels, problem.constants_are_null);
}

std::string levels_text(const GridLevelCount& made) {
  return std::to_string(made.levels) + (made.levels == 1 ? " level of " : " levels down to ") +
         std::to_string(made.coarsest) + " unknowns, coarse operators P^T A P";
}

PetscErrorCode watch(KSP ksp, PetscInt iteration, PetscReal residual, void* context) {
  return guarded("the monitor of quadrille", [&] {
    KrylovWatch& w = *static_cast<KrylovWatch*>(context);
    PetscReal tolerance = 0;
    QUADRILLE_PETSC(KSPGetTolerances(ksp, &tolerance, nullptr, nullptr, nullptr));
    if (iteration == 0) w.first = residual;
    w.monitor(static_cast<int>(iteration), w.first > 0 ? residual / w.first : residual, tolerance);
  });
}

// Applies the preconditioner and the operator once, so that what PETSc copies to the GPU or computes when it
// is first needed is there before the solve.
void apply_once(KSP ksp, Mat matrix) {
  PC preconditioner = nullptr;
  const Handle<Vec> x = make<Vec>("MatCreateVecs", [=](Vec*v) { return MatCreateVecs(matrix, v, nullptr); }),
                    y = like(x.get());
  QUADRILLE_PETSC(KSPGetPC(ksp, &preconditioner));
  fill(x.get(), 1);
  QUADRILLE_PETSC(PCPreSolve(preconditioner, ksp));  // tells it the method
  QUADRILLE_PETSC(PCApply(preconditioner, x.get(), y.get()));
  QUADRILLE_PETSC(PCPostSolve(preconditioner, ksp));
  QUADRILLE_PETSC(MatMult(matrix, y.get(), x.get()));
  // PETSc starts cuBLAS at the first of these, which takes some 10 ms. Ours uses none of them.
  PetscBool ours = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), "quadrille_cg", &ours));
  if (ours) return;
  PetscScalar product = 0;
  PetscReal norm = 0;
  QUADRILLE_PETSC(VecTDot(x.get(), y.get(), &product));
  QUADRILLE_PETSC(VecNorm(y.get(), NORM_2, &norm));
  QUADRILLE_PETSC(VecAXPY(y.get(), 1, x.get()));
  QUADRILLE_PETSC(VecAYPX(y.get(), 1, x.get()));
}

// The GPU gives memory back when something next waits for it: that is not to be in the solve, of which it
// would be a tenth.
void warm_up(KSP ksp, Mat matrix) {
  apply_once(ksp, matrix);
  cuda::synchronize();
}

void tell_of_constants(Mat matrix) {
  const Handle<Vec> model =
      make<Vec>("MatCreateVecs", [=](Vec* v) { return MatCreateVecs(matrix, v, nullptr); });
  const Handle<MatNullSpace> null_space = constants(model.get(), block_size_of(matrix));
  QUADRILLE_PETSC(MatSetNullSpace(matrix, null_space.get()));
}

// Before a solve, where values may be new: PETSc sets up its preconditioners anew by itself, but for levels
// that were made from the old values. Then the solver is another one, as after one that PETSc failed in.
void follow_values(const KrylovProblem& problem, KrylovSolver& solver) {
  if (solver.ksp && (solver.levels.levels == 0 || solver.made_for == changes_of(problem.matrix.get())))
    return;
  solver.ksp.reset();  // before another one takes memory
  solver = make_solver(problem);
}

// What may do better where quadrille_mg took many iterations.
std::string advice_on(const GridMultigridInfo* made) {
  if (made == nullptr) return "";
  const GridLevelInfo& finest = made->levels.front();
  std::string text = made->jumps ? "coefficients jump more closely than coarse grids show: " : "";
  constexpr double affordable = 1000;  // iterations
  if (made->iterations_of_exact < affordable && made->levels.size() > 1)
    text += "-pc_quadrille_mg_coarsest " + std::to_string(made->levels[made->levels.size() - 2].unknowns) +
            " solves more of them exactly, ";
  text += "-pc_quadrille_mg_smoother lines may suit ";
  text += made->jumps ? "them better" : "the operator better";
  const std::int64_t nodes = finest.extents[0] * finest.extents[1] * finest.extents[2];
  if (finest.unknowns == nodes)
    text += ", and so may -pc_type hypre, of a PETSc that has it, with --format petsc_aij";
  return text;
}

// What came of the last solve.
KrylovResult result_of(const KrylovSolver& solver) {
  const KSP ksp = solver.ksp.get();
  KrylovResult result;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  PetscReal residual = 0, tolerance = 0;
  KSPType method = nullptr;
  PC preconditioner = nullptr;
  PCType type = nullptr;
  QUADRILLE_PETSC(KSPGetConvergedReason(ksp, &reason));
  QUADRILLE_PETSC(KSPGetIterationNumber(ksp, &iterations));
  QUADRILLE_PETSC(KSPGetResidualNorm(ksp, &residual));
  QUADRILLE_PETSC(KSPGetTolerances(ksp, &tolerance, nullptr, nullptr, nullptr));
  QUADRILLE_PETSC(KSPGetType(ksp, &method));
  QUADRILLE_PETSC(KSPGetPC(ksp, &preconditioner));
  QUADRILLE_PETSC(PCGetType(preconditioner, &type));
  result.converged = reason > 0;
  result.reason = in_words(reason);
  result.iterations = static_cast<int>(iterations);
  result.tolerance = tolerance;
  result.residual = residual;
  result.method = method;
  result.preconditioner = type;
  result.multigrid =
      solver.levels.levels > 0 ? levels_text(solver.levels) : grid_multigrid_text(preconditioner);
  constexpr int many = 60;
  const GridMultigridInfo* const made = grid_multigrid_info(preconditioner);
  const bool hard = made != nullptr && made->jumps && reason == KSP_DIVERGED_ITS && result.iterations > 0;
  if (result.iterations > many || hard) result.advice = advice_on(made);
  return result;
}

}  // namespace

SolverDefaults defaults_of(const KrylovProblem& problem) {
  if (!problem.on_grid) return solver_defaults(Multigrid::none);
  const bool own = problem.on_grid == problem.matrix && grid_multigrid_takes(problem.matrix.get());
  return solver_defaults(own ? Multigrid::by_operator : Multigrid::by_petsc);
}

void test_true_residual(KSP ksp) {
  PetscBool takes_it = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &takes_it,
                                            SolverDefaults{}.method, KSPCG, ""));
  if (takes_it && !is_given("-ksp_norm_type"))
    QUADRILLE_PETSC(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
}

KrylovSolver make_solver(const KrylovProblem& problem) {
  const Mat matrix = problem.matrix.get();
  KrylovSolver made{nullptr, make<KSP>("KSPCreate", [=](KSP* k) {
                      return KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix)), k);
                    })};
  KSP ksp = made.ksp.get();
  PC preconditioner = nullptr;
  const SolverDefaults defaults = defaults_of(problem);
  register_conjugate_gradients();
  if (problem.constants_are_null) tell_of_constants(matrix);
  const MultigridRequest multigrid = multigrid_request(defaults.preconditioner);
  const bool by_operator = problem.on_grid && multigrid.kind == Multigrid::by_operator,
             by_petsc = multigrid.kind == Multigrid::by_petsc;
  QUADRILLE_PETSC(KSPSetOperators(ksp, matrix, by_operator ? problem.on_grid.get() : matrix));
  QUADRILLE_PETSC(KSPSetType(ksp, defaults.method));
  QUADRILLE_PETSC(KSPGetPC(ksp, &preconditioner));
  QUADRILLE_PETSC(PCSetType(preconditioner, defaults.preconditioner));
  QUADRILLE_PETSC(KSPSetTolerances(ksp, defaults.tolerance, 0, defaults.divergence, PETSC_DEFAULT));
  refuse_nan_tolerances(nullptr);
  with_options_to_blame(problem, made.ksp, [&] {
    if (by_petsc) made.levels = set_levels(preconditioner, problem, matrix, multigrid.levels);
    QUADRILLE_PETSC(KSPSetFromOptions(ksp));
    if (defaults.tests_true_residual) test_true_residual(ksp);
    keep_answers_comparable(ksp);
    if (by_petsc) keep_operators(preconditioner);
    QUADRILLE_PETSC(KSPSetUp(ksp));
  });
  refuse_crashing_method(ksp);
  if (problem.monitor) {
    made.watch = std::make_unique<KrylovWatch>(KrylovWatch{problem.monitor});
    QUADRILLE_PETSC(KSPMonitorSet(ksp, watch, made.watch.get(), nullptr));
  }
  with_options_to_blame(problem, made.ksp, [&] {
    if (multiplies_on_gpu(matrix)) warm_up(ksp, matrix);
  });
  made.made_for = changes_of(matrix);
  return made;
}

KrylovResult solve(const KrylovProblem& problem, KrylovSolver& solver, Vec b, Vec x, bool keep_guess) {
  follow_values(problem, solver);
  const KSP ksp = solver.ksp.get();
  const auto start = std::chrono::steady_clock::now();
  with_options_to_blame(problem, solver.ksp, [&] {
    QUADRILLE_PETSC(KSPSetInitialGuessNonzero(ksp, keep_guess ? PETSC_TRUE : PETSC_FALSE));
    QUADRILLE_PETSC(KSPSolve(ksp, b, x));
  });
  if (multiplies_on_gpu(problem.matrix.get())) cuda::synchronize();
  const double seconds = longest(x, seconds_since(start));
  KrylovResult result = result_of(solver);
  result.solve_s = seconds;
  return result;
}

}  // namespace quadrille::petsc
