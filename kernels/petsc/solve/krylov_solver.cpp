#include "kernels/petsc/solve/krylov_solver.hpp"

#include <vector>

#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

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

// AIJ, or a matrix of ours that lends itself as AIJ.
bool takes_every_preconditioner(Mat matrix) {
  PetscBool aij = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(matrix), &aij, MATSEQAIJ, MATMPIAIJ,
                                            "seqaijcusparse", "mpiaijcusparse", ""));
  return aij || is_typed(matrix);
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

// Unless the options say which residual is tested. Other methods than the one that the default is for may
// know no such test.
void test_true_residual(KSP ksp, const char* method) {
  PetscBool ours = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), method, &ours));
  if (ours && !is_given("-ksp_norm_type")) QUADRILLE_PETSC(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
}

GridLevelCount set_levels(PC pc, const KrylovProblem& problem, Mat matrix, int levels) {
  if (!problem.on_grid) throw PetscOptionError("-pc_type mg: this operator comes without a grid");
  return set_grid_levels(pc, matrix, problem.on_grid.get(), levels, problem.constants_are_null);
}

}  // namespace

std::string in_words(KSPConvergedReason reason) {
  switch (static_cast<int>(reason)) {
    case KSP_CONVERGED_RTOL:
      return "the residual fell below the relative tolerance";
    case KSP_CONVERGED_ATOL:
      return "the residual fell below the absolute tolerance";
    case KSP_CONVERGED_ITS:
      return "the wanted number of iterations was done";
    case KSP_CONVERGED_HAPPY_BREAKDOWN:
      return "the method found the exact solution in its space";
    case KSP_DIVERGED_ITS:
      return "the largest number of iterations was reached (-ksp_max_it)";
    case KSP_DIVERGED_DTOL:
      return "the residual grew beyond the divergence tolerance (-ksp_divtol)";
    case KSP_DIVERGED_BREAKDOWN:
    case KSP_DIVERGED_BREAKDOWN_BICG:
      return "the method broke down; another one may not (-ksp_type)";
    case KSP_DIVERGED_NONSYMMETRIC:
      return "the method needs a symmetric operator and preconditioner (-ksp_type, -pc_type)";
    case KSP_DIVERGED_INDEFINITE_PC:
      return "the preconditioner is not positive definite (-pc_type)";
    case KSP_DIVERGED_NANORINF:
      return "a NaN or an infinity came up";
    case KSP_DIVERGED_INDEFINITE_MAT:
      return "the operator is not positive definite (-ksp_type)";
    case KSP_DIVERGED_PC_FAILED:
      return "the preconditioner could not be set up (-pc_type)";
    default:
      return std::string("PETSc says ") + KSPConvergedReasons[reason];
  }
}

bool options_may_be_to_blame(const PetscError& error) {
  switch (static_cast<PetscErrorCode>(error.code)) {
    case PETSC_ERR_MEM:
    case PETSC_ERR_MEMC:
    case PETSC_ERR_GPU:
    case PETSC_ERR_GPU_RESOURCE:
    case PETSC_ERR_LIB:
    case PETSC_ERR_MPI:
    case PETSC_ERR_SYS:
    case PETSC_ERR_SIG:
    case PETSC_ERR_FP:
      return false;
    default:
      return error.code != 0;
  }
}

// A preconditioner that failed halfway may still stand in the place of the matrix (PCEISENSTAT), and PETSc
// crashes when it destroys that: such a solver stays, where a look for leaks sees it.
void abandon(Handle<KSP>& solver, Mat matrix) {
  if (!solver) return;
  Mat now = nullptr;
  QUADRILLE_PETSC(KSPGetOperators(solver.get(), &now, nullptr));
  static auto* const abandoned = new std::vector<KSP>;  // not destroyed at the end, or the look finds leaks
  if (now == matrix)
    solver.reset();
  else
    abandoned->push_back(solver.release());
}

void put_down_to_options(const PetscError& error, const KrylovProblem& problem) {
  const bool diverged = error.code == PETSC_ERR_NOT_CONVERGED || error.code == PETSC_ERR_CONV_FAILED;
  if (diverged)
    throw NotConvergedError("the solve did not converge: " + std::string(error.what()), error.code);
  const char* const advice =
      ", and choose preconditioners that need products, rows and diagonal blocks alone, such as jacobi, "
      "pbjacobi, mg (by itself) "
      "or none; matrices of type quadrille and AIJ take others";
  throw PetscOptionError(std::string(error.what()) + "; correct " + problem.options_are +
                         (takes_every_preconditioner(problem.matrix.get()) ? "" : advice));
}

KrylovSolver make_solver(const KrylovProblem& problem) {
  const Mat matrix = problem.matrix.get();
  KrylovSolver made{make<KSP>("KSPCreate", [=](KSP* k) {
    return KSPCreate(PetscObjectComm(reinterpret_cast<PetscObject>(matrix)), k);
  })};
  KSP ksp = made.ksp.get();
  PC preconditioner = nullptr;
  const SolverDefaults defaults = defaults_of(problem);
  const MultigridRequest multigrid = multigrid_request(defaults.preconditioner);
  const bool by_operator = problem.on_grid && multigrid.kind == Multigrid::by_operator,
             by_petsc = multigrid.kind == Multigrid::by_petsc;
  QUADRILLE_PETSC(KSPSetOperators(ksp, matrix, by_operator ? problem.on_grid.get() : matrix));
  QUADRILLE_PETSC(KSPSetType(ksp, defaults.method));
  QUADRILLE_PETSC(KSPGetPC(ksp, &preconditioner));
  QUADRILLE_PETSC(PCSetType(preconditioner, defaults.preconditioner));
  QUADRILLE_PETSC(KSPSetTolerances(ksp, defaults.tolerance, 0, PETSC_DEFAULT, PETSC_DEFAULT));
  with_options_to_blame(problem, made.ksp, [&] {
    if (by_petsc) made.levels = set_levels(preconditioner, problem, matrix, multigrid.levels);
    QUADRILLE_PETSC(KSPSetFromOptions(ksp));
    if (defaults.tests_true_residual) test_true_residual(ksp, defaults.method);
    keep_answers_comparable(ksp);
    if (by_petsc) keep_operators(preconditioner);
    QUADRILLE_PETSC(KSPSetUp(ksp));
  });
  refuse_crashing_method(ksp);
  made.made_for = changes_of(matrix);
  return made;
}

void follow_values(const KrylovProblem& problem, KrylovSolver& solver) {
  if (solver.levels.levels == 0 || solver.made_for == changes_of(problem.matrix.get())) return;
  solver.ksp.reset();  // before another one takes memory
  solver = make_solver(problem);
}

}  // namespace quadrille::petsc
