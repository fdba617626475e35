#include "quadrille/residual_for_petsc.hpp"

#include <cmath>
#include <string>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/solve/krylov_errors.hpp"
#include "kernels/petsc/solve/krylov_solver.hpp"
#include "quadrille/not_finite.hpp"

namespace quadrille {
namespace {

constexpr PetscInt lag_by_shift = -1;  // PETSc's "never again", where renew_preconditioner() says when
constexpr double near = 1.25;          // shifts that one preconditioner does for
constexpr int most_jacobians = 10;     // and of Newton's iterations, one after the other

// A matrix-free A beside ours is told that its values changed.
void assembled(Mat a, const GridResidual& f) {
  if (a == f.jacobian().mat()) return;
  QUADRILLE_PETSC(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
}

KSP krylov_of(SNES snes) {
  KSP ksp = nullptr;
  QUADRILLE_PETSC(SNESGetKSP(snes, &ksp));
  return ksp;
}

// By its sums over rows, which a number that is none is in.
std::string where_jacobian_is_not_finite(const GridResidual& f) {
  Vector sums = f.vector();
  f.jacobian().multiply(f.vector().set(1), sums);
  const std::optional<NotFinite> place = first_not_finite(f.layout(), sums.vec());
  return place ? "; the Jacobian of " + to_string(*place) + " is no number" : "";
}

}  // namespace

void by_options(const std::function<void()>& body) {
  try {
    body();
  } catch (const PetscError& error) {
    if (error.code == PETSC_ERR_MEM) throw;
    throw PetscOptionError(std::string(error.what()) + "; correct the options of PETSc's solvers");
  }
}

void Asked::put_down_to_options(const PetscError& error) {
  char* given = nullptr;
  QUADRILLE_PETSC(PetscOptionsGetAll(nullptr, &given));
  const bool any = given != nullptr && given[0] != 0;
  QUADRILLE_PETSC(PetscFree(given));
  if (any && petsc::options_may_be_to_blame(error)) by_options([&] { throw PetscError(error); });
}

template <class Body>
PetscErrorCode Asked::answer(const char* what, const Body& body) {
  return petsc::guarded(what, [&] {
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
      throw;
    }
  });
}

PetscErrorCode Asked::evaluate(double t, Vec u, Vec rate, Vec to) {
  return answer("the residual of quadrille", [&] {
    f.evaluate(t, u, rate, to);
    ++residuals;
  });
}

PetscErrorCode Asked::differentiate(SNES snes, double t, Vec u, Vec rate, double shift, Mat a, Mat p) {
  return answer("the Jacobian of quadrille", [&] {
    if (functor_ != f.functors()) shift_.reset(), prepared_for_.reset();
    functor_ = f.functors();
    if (!is_made(snes, shift)) {
      f.differentiate(t, u, rate, shift);
      ++jacobians;
      if (f.near() != nullptr && p == f.near()->jacobian().mat()) f.near()->differentiate(t, u, rate, shift);
      shift_ = shift, changes_ = petsc::changes_of(f.jacobian().mat());
    }
    renew_preconditioner(snes, shift);
    assembled(a, f);
  });
}

// Steps that are all alike have shifts that rounding of t sets apart: what that changes is far below what the
// Krylov method leaves.
bool Asked::is_made(SNES snes, double shift) const {
  if (!f.linear() || !shift_ || changes_ != petsc::changes_of(f.jacobian().mat())) return false;
  PetscReal tolerance = 0;
  QUADRILLE_PETSC(KSPGetTolerances(krylov_of(snes), &tolerance, nullptr, nullptr, nullptr));
  return std::abs(shift - *shift_) <= 0.001 * tolerance * *shift_;
}

// PETSc asks for the lag after the Jacobian: -2 is "now, and never again".
void Asked::renew_preconditioner(SNES snes, double shift) {
  PetscInt lag = 0;
  QUADRILLE_PETSC(SNESGetLagPreconditioner(snes, &lag));
  if (lag != lag_by_shift) return;
  const bool is_near = prepared_for_ && shift <= near * *prepared_for_ && *prepared_for_ <= near * shift;
  if (is_near && (f.linear() || ++kept_for_ < most_jacobians)) return;
  QUADRILLE_PETSC(SNESSetLagPreconditioner(snes, -2));
  prepared_for_ = shift;
  kept_for_ = 0;
}

std::string why_krylov_failed(SNES snes, const GridResidual& f) {
  const KSP ksp = krylov_of(snes);
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  KSPType method = nullptr;
  PetscBool wants_symmetry = PETSC_FALSE;
  QUADRILLE_PETSC(KSPGetConvergedReason(ksp, &reason));
  QUADRILLE_PETSC(KSPGetType(ksp, &method));
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ksp), &wants_symmetry,
                                            petsc::SolverDefaults{}.method, KSPCG, KSPFCG, KSPPIPECG,
                                            KSPGROPPCG, KSPMINRES, KSPSYMMLQ, KSPCR, ""));
  std::string text = reason < 0 ? ": " + petsc::in_words(reason) : "";
  if (reason < 0) text += where_jacobian_is_not_finite(f);
  if (wants_symmetry && !f.symmetric())
    text +=
        std::string("; -ksp_type ") + method +
        " is for symmetric operators, which the Jacobian is not known to be: choose fgmres, gmres or bcgs";
  return text;
}

Mat preconditioned_by(SNES snes, const GridResidual& f) {
  const KSP ksp = krylov_of(snes);
  PC pc = nullptr;
  PetscBool apart = PETSC_FALSE, once = PETSC_FALSE;
  QUADRILLE_PETSC(KSPGetPC(ksp, &pc));
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(pc), PCFIELDSPLIT, &apart));
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp), KSPPREONLY, &once));
  return f.near() != nullptr && apart && !once ? f.near()->jacobian().mat() : f.jacobian().mat();
}

void set_newton_defaults(SNES snes, const GridResidual& f) {
  const KSP ksp = krylov_of(snes);
  PC pc = nullptr;
  // One of the first iteration does for the next ones.
  QUADRILLE_PETSC(SNESSetLagPreconditioner(snes, most_jacobians));
  const bool multigrid = petsc::grid_multigrid_takes(f.jacobian().mat());  // its cycles are in fp32
  QUADRILLE_PETSC(KSPSetType(ksp, multigrid ? KSPFGMRES : KSPGMRES));
  QUADRILLE_PETSC(KSPGetPC(ksp, &pc));
  QUADRILLE_PETSC(PCSetType(pc, multigrid ? "quadrille_mg" : "quadrille_pbjacobi"));
}

void set_step_defaults(SNES snes, const GridResidual& f) {
  set_newton_defaults(snes, f);
  // For the next steps, too, as long as they are about as long.
  QUADRILLE_PETSC(SNESSetLagPreconditionerPersists(snes, PETSC_TRUE));
  QUADRILLE_PETSC(SNESSetLagPreconditioner(snes, lag_by_shift));
  const petsc::SolverDefaults defaults;
  if (f.symmetric()) QUADRILLE_PETSC(KSPSetType(krylov_of(snes), defaults.method));
  if (!f.linear()) return;
  QUADRILLE_PETSC(SNESSetType(snes, SNESKSPONLY));
  QUADRILLE_PETSC(
      KSPSetTolerances(krylov_of(snes), defaults.tolerance, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
}

void after_step_options(SNES snes, const GridResidual& f) {
  if (f.symmetric()) petsc::test_true_residual(krylov_of(snes));
}

}  // namespace quadrille
