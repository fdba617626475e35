// PETSc's Krylov methods and preconditioners on any matrix, on one rank or spread over all: what is solved,
// and what comes of it. No PETSc header is needed to include this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernels/petsc/base/shared_mat.hpp"
#include "kernels/petsc/solve/solver_defaults.hpp"

namespace quadrille::petsc {

// Called after every iteration with PETSc's residual norm over the one of iteration 0, and the tolerance for
// it.
using KrylovMonitor = std::function<void(int iteration, double residual, double tolerance)>;

struct KrylovProblem {
  SharedMat matrix;  // of any type, with blocks of the unknowns of a node
  // A maps the constants of each unknown to zero: PETSc is told, and keeps them out of x.
  bool constants_are_null = false;
  // The same operator as a matrix of the type `quadrille` on a grid, which may be `matrix`: multigrid is made
  // from it. May be null.
  SharedMat on_grid = {};
  KrylovMonitor monitor = {};
  // Where PETSc was given options, to which is put down what fails for want of an operation or by a bad
  // value; empty: nowhere.
  std::string options_are = {};
};

struct KrylovResult {
  bool converged = false;  // by PETSc's test, or what confirm() says
  std::string reason;      // in words
  int iterations = 0;
  double tolerance = 0;  // relative, of PETSc's test
  double residual = 0;   // the norm that PETSc tested last, or what confirm() says
  double solve_s = 0;
  std::string method, preconditioner;  // PETSc's names: "cg", "jacobi"
  std::string multigrid;               // its levels, for people; empty without
  std::string advice;                  // of a solve that was slow, or did not converge; empty without any
};

// Of what a solve consists of, after one. With multigrid there are more. What a product and an application of
// the preconditioner must move is known of quadrille_mg, of Jacobi's and of a split into parts by
// quadrille_mg, of this rank.
struct KrylovTimes {
  double matmult_ms = 0;                 // median of MatMult
  std::optional<double> cycle_ms;        // median of PCApply
  std::optional<double> setup_again_ms;  // of PCSetUp with new values in the same places, of quadrille_mg
  std::optional<std::int64_t> cycle_bytes, product_bytes;
};

// Which preconditioner the solve takes by default: multigrid where the operator is on a grid, by whole cycles
// of its own (quadrille_mg) where `matrix` is that one.
SolverDefaults defaults_of(const KrylovProblem& problem);

}  // namespace quadrille::petsc
