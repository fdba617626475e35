// What PETSc's SNES and TS ask of a GridResidual, and what their solvers are unless the options say
// otherwise. Internal to the library's face.
#pragma once

#include <petscsnes.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "quadrille/grid_residual.hpp"

namespace quadrille {

// What fails in body(), which asks for options, is put down to them.
void by_options(const std::function<void()>& body);

// What PETSc's callbacks ask of a residual, and what that threw: an exception passes PETSc by, as itself.
struct Asked {
  explicit Asked(GridResidual& residual) : f(residual) {}

  GridResidual& f;
  std::exception_ptr thrown = {};
  std::int64_t residuals = 0, jacobians = 0;  // made so far

  PetscErrorCode evaluate(double t, Vec u, Vec rate, Vec to);
  // Of a linear residual the values stay while the shift does, to a thousandth of -ksp_rtol. The
  // preconditioner stays while it is near, of a nonlinear one for ten Jacobians at most.
  PetscErrorCode differentiate(SNES snes, double t, Vec u, Vec rate, double shift, Mat a, Mat p);

  // PETSc's solve, which asks. The solver is given up where there is no memory for it.
  template <class Solver, class Solve>
  void during(Solver& solver, const Solve& solve) {
    thrown = {};
    try {
      solve();
    } catch (const PetscError& error) {
      if (dynamic_cast<const PetscMemoryError*>(&error) != nullptr) petsc::abandon(solver);
      if (thrown) std::rethrow_exception(thrown);
      put_down_to_options(error);
      throw;
    }
  }

 private:
  // Throws PetscOptionError where there are options, which may be the reason.
  static void put_down_to_options(const PetscError& error);
  template <class Body>
  PetscErrorCode answer(const char* what, const Body& body);
  bool is_made(SNES snes, double shift) const;
  void renew_preconditioner(SNES snes, double shift);

  // Of the values that the Jacobian has: their functor, their shift, and PETSc's count of its changes.
  int functor_ = 0;
  std::optional<double> shift_;
  std::int64_t changes_ = 0;
  std::optional<double> prepared_for_;  // the shift that the preconditioner was made for
  int kept_for_ = 0;                    // so many Jacobians
};

// Of a solve that failed: how the last linear one ended, and whether its method is for other operators.
std::string why_krylov_failed(SNES snes, const GridResidual& f);

// What the preconditioner that the options chose is made of: the Jacobian of f, or of the residual near it.
Mat preconditioned_by(SNES snes, const GridResidual& f);

// FGMRES with quadrille_mg, or GMRES with quadrille_pbjacobi where multigrid does not take the Jacobian; its
// preconditioner is kept for ten of them, in time while steps are about as long.
void set_newton_defaults(SNES snes, const GridResidual& f);
// Of steps in time, by the options: the same; for a symmetric residual conjugate gradients, and for a linear
// one a single solve to 1e-8 in place of Newton's iterations (-snes_type ksponly). Before and after the
// options are taken.
void set_step_defaults(SNES snes, const GridResidual& f);
void after_step_options(SNES snes, const GridResidual& f);

}  // namespace quadrille
