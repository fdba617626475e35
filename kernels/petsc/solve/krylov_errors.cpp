#include "kernels/petsc/solve/krylov_errors.hpp"

#include "kernels/petsc/base/option_reader.hpp"
#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {
namespace {

// AIJ, or a matrix of ours that lends itself as AIJ.
bool takes_every_preconditioner(Mat matrix) {
  PetscBool aij = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(matrix), &aij, MATSEQAIJ, MATMPIAIJ,
                                            "seqaijcusparse", "mpiaijcusparse", ""));
  return aij || is_typed(matrix);
}

// A preconditioner that failed halfway may still stand in the place of the matrix (PCEISENSTAT), and PETSc
// crashes when it destroys that, too.
void give_up(Handle<KSP>& solver, Mat matrix, const PetscError& error) {
  if (!solver) return;
  Mat now = nullptr;
  QUADRILLE_PETSC(KSPGetOperators(solver.get(), &now, nullptr));
  if (now != matrix || dynamic_cast<const PetscMemoryError*>(&error) != nullptr) return abandon(solver);
  solver.reset();
}

[[noreturn]] void put_down_to_options(const PetscError& error, const KrylovProblem& problem) {
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
      return "the preconditioner is not positive definite (-pc_type; -ksp_type fgmres takes any)";
    case KSP_DIVERGED_NANORINF:
      return "a NaN or an infinity came up (numbers beyond 1e150 have no squares; with quadrille_mg right "
             "sides "
             "beyond 1e37 want -pc_quadrille_mg_precision double)";
    case KSP_DIVERGED_INDEFINITE_MAT:
      return "the operator is not positive definite (-ksp_type)";
    case KSP_DIVERGED_PC_FAILED:
      return "the preconditioner could not be set up, for a node's own block has no inverse, or a pivot is "
             "zero: choose -pc_type none, or ilu with -pc_factor_shift_type nonzero";
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

void refuse_nan_tolerances(const char* prefix) {
  const OptionReader reader(nullptr, prefix, "-");
  for (const char* const name : {"ksp_rtol", "ksp_atol", "ksp_divtol", "snes_rtol", "snes_atol", "snes_stol",
                                 "snes_divergence_tolerance", "ts_rtol", "ts_atol"})
    if (const std::optional<std::string> given = reader.typed(name); given && in_lower_case(*given) == "nan")
      throw PetscOptionError("-" + std::string(name) + " '" + *given + "' is no number");
}

void with_options_to_blame(const KrylovProblem& problem, Handle<KSP>& solver,
                           const std::function<void()>& body) {
  try {
    body();
  } catch (const PetscOptionError&) {
    throw;
  } catch (const PetscError& error) {
    give_up(solver, problem.matrix.get(), error);
    if (problem.options_are.empty() || !options_may_be_to_blame(error)) throw;
    put_down_to_options(error, problem);
  }
}

}  // namespace quadrille::petsc
