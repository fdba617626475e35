// What a solve does where PETSc's options do not say: the one place where that is decided. No PETSc header is
// needed to include this.
#pragma once

namespace quadrille::petsc {

struct SolverDefaults {
  const char* method = "cg";              // -ksp_type
  const char* preconditioner = "jacobi";  // -pc_type
  double tolerance = 1e-8;                // -ksp_rtol; there is no absolute one, for units are free
  bool tests_true_residual = false;       // -ksp_norm_type unpreconditioned, of this method alone
};

// Multigrid where the problem has coarser grids: it makes what is left of b - A x look small, so that is what
// is tested. By the operator alone where it takes that, in GPU memory: a cycle is one CUDA graph there.
constexpr SolverDefaults solver_defaults(bool has_coarser_grids, bool by_operator = false) {
  if (has_coarser_grids || by_operator)
    return {.preconditioner = by_operator ? "quadrille_mg" : "mg", .tests_true_residual = true};
  return {};
}

}  // namespace quadrille::petsc
