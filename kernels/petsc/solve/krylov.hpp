// PETSc's Krylov methods and preconditioners on any matrix, on one rank or spread over all. No PETSc header
// is needed to include this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/petsc/base/shared_mat.hpp"
#include "kernels/petsc/solve/solver_defaults.hpp"

namespace quadrille::petsc {

struct KrylovProblem {
  SharedMat matrix;  // of any type, with blocks of the unknowns of a node
  // A maps the constants of each unknown to zero: they are kept out of b and x.
  bool constants_are_null = false;
  // PETSc was given options: what fails for want of an operation, or by a bad value, is put down to them.
  bool has_options = false;
  // The same operator as a matrix of the type `quadrille` on a grid, which may be `matrix`: multigrid is made
  // from it. May be null.
  SharedMat on_grid = {};
  bool times_second_set_up = false;                      // of quadrille_mg, after the solve
  std::string options_are = "what follows the bare --";  // where they are to be corrected
};

struct KrylovResult {
  // PETSc's test was met, and `residual` is no larger than the root of the tolerance (of 1e-8 where it is
  // smaller): PETSc looks at the preconditioned residual unless told otherwise, which can be far smaller.
  bool converged = false;
  std::string reason;  // in words
  int iterations = 0;
  double tolerance = 0;                // relative, of PETSc's test
  double residual = 0;                 // |b - A x| / |b| in the 2-norm; not divided where b is zero
  std::string method, preconditioner;  // PETSc's names: "cg", "jacobi"
  std::string multigrid;               // its levels, for people; empty without
  double setup_s = 0, solve_s = 0;
  double matmult_ms = 0;  // median of MatMult, after the solve
  // With multigrid. What a cycle and a product must move is known of quadrille_mg alone, of this rank.
  std::optional<double> cycle_ms;        // median of PCApply, after the solve
  std::optional<double> setup_again_ms;  // of PCSetUp with new values in the same places
  std::optional<std::int64_t> cycle_bytes, product_bytes;
};

// Called after every iteration with PETSc's residual norm over the one of iteration 0, and the tolerance for
// it.
using KrylovMonitor = std::function<void(int iteration, double residual, double tolerance)>;

// Which preconditioner the solve takes by default: multigrid where the operator is on a grid, by whole cycles
// of its own (quadrille_mg) where `matrix` is that one.
SolverDefaults defaults_of(const KrylovProblem& problem);

// Solves A x = b from x = 0, by defaults_of() where PETSc's options database does not
// (-ksp_type, -pc_type, -ksp_rtol, ...). `b` loses its constants where they are null. Not to converge is no
// error, but a result. On several ranks b and x are of this rank's rows, the result is the same on all, and
// the times are the longest. Throws PetscError without a Session and where PETSc fails, PetscOptionError
// where its options are to blame, FormatError where the sizes do not fit.
KrylovResult krylov_solve(const KrylovProblem& problem, std::vector<double>& b, std::vector<double>& x,
                          const KrylovMonitor& monitor);

}  // namespace quadrille::petsc
