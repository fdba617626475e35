// What a solve does where PETSc's options do not say: the one place where that is decided. No PETSc header is
// needed to include this.
#pragma once

#include "kernels/petsc/multigrid/pcmg.hpp"

namespace quadrille::petsc {

struct SolverDefaults {
  const char* method = "quadrille_cg";    // -ksp_type
  const char* preconditioner = "jacobi";  // -pc_type
  double tolerance = 1e-8;                // -ksp_rtol; there is no absolute one, for units are free
  // -ksp_divtol. What CG makes smaller in each step is the error in the norm of A, not the residual, which
  // may grow by the root of the coefficients' contrast at first, and has no bound that would tell.
  double divergence = 1e20;
  bool tests_true_residual = false;  // -ksp_norm_type unpreconditioned, of this method and PETSc's CG
};

// Multigrid makes what is left of b - A x look small, so that is what is tested.
constexpr SolverDefaults solver_defaults(Multigrid multigrid) {
  if (multigrid == Multigrid::none) return {};
  return {.preconditioner = multigrid == Multigrid::by_operator ? "quadrille_mg" : "mg",
          .tests_true_residual = true};
}

}  // namespace quadrille::petsc
