// Solves with an operator, as often as wanted: PETSc's KSP with its options.
//
//   Solver solver(a, "-ksp_type gmres -pc_type pbjacobi");
//   solver.solve(b, x, keep_guess).or_throw();
//
// Without options: CG with quadrille_mg to 1e-8 of the right side, as `quadrille solve`; CG is for operators
// that are symmetric. Options of PETSc's database, of the command line say, win over those of the program.
#pragma once

#include <petscksp.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/petsc/solve/krylov.hpp"
#include "quadrille/grid_operator.hpp"
#include "quadrille/vector.hpp"

namespace quadrille {

enum Guess { zero_guess, keep_guess };  // where a solve begins: from zero, or from what x is

struct SolveResult : petsc::KrylovResult {
  std::vector<std::string> unused_options = {};  // where it did not converge: options that nobody asked for
  // Throws NotConvergedError unless it converged.
  const SolveResult& or_throw() const;
};

struct SolverSettings {
  std::string options = {};         // PETSc's, of this solver alone
  bool constants_are_null = false;  // A maps the constants of each unknown to zero, and x has none of them
  bool petscs_matrix = false;       // PETSc's own matrix of the same rows multiplies: AIJ, as it is now
  std::string options_are = "the solver's options";  // where they are to be corrected, for messages
  petsc::KrylovMonitor monitor = {};                 // (iteration, residual over the first one, tolerance)
};

class Solver {
 public:
  // Sets up at once. Keeps the matrix of `a`, with the values that it has at each solve. Collective. Throws
  // PetscError, and PetscOptionError where the options are to blame.
  explicit Solver(const GridOperator& a, const std::string& options = "")
      : Solver(a, SolverSettings{options}) {}
  Solver(const GridOperator& a, const SolverSettings& settings);
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  // A x = b, with the operator as it is now; what was set up for older values is made anew. Not to converge
  // is a result. Collective. Throws as the constructor.
  SolveResult solve(const Vector& b, Vector& x, Guess guess = zero_guess);

  // Of the last solve, whose vectors these are: its result with |b - A x| / |b| for the residual, not
  // converged where that is far above the tolerance.
  SolveResult confirmed(SolveResult result, const Vector& b, const Vector& x) const;
  // What a product and a cycle of multigrid take; for a record measured ten times as long, and what another
  // set-up takes, too.
  petsc::KrylovTimes measure(const Vector& b, const Vector& x, bool for_record = false) const;
  std::int64_t stored_bytes() const;  // of this rank's part of the matrix that multiplies

  // Options that nobody asked for up to now: after a solve, those that are misspelt.
  std::vector<std::string> unused_options() const;
  KSP ksp() const;  // PETSc's own; another one may stand in its place after a solve with new values

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quadrille
