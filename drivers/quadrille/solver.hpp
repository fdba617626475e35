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

#include "quadrille/grid_operator.hpp"
#include "quadrille/vector.hpp"

namespace quadrille {

enum Guess { zero_guess, keep_guess };  // where a solve begins: from zero, or from what x is

struct SolveResult {
  bool converged = false;  // by PETSc's test
  int iterations = 0;
  double residual = 0;  // the norm that PETSc tested last; GridOperator::residual() is that of b - A x
  std::string reason;   // in words

  // Throws NotConvergedError unless it converged.
  const SolveResult& or_throw() const;
};

class Solver {
 public:
  // Sets up at once. Keeps the matrix of `a`, with the values that it has at each solve. Collective. Throws
  // PetscError, and PetscOptionError where the options are to blame.
  explicit Solver(const GridOperator& a, const std::string& options = "");
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  // A x = b, with the operator as it is now; what was set up for older values is made anew. Not to converge
  // is a result. Collective. Throws as the constructor.
  SolveResult solve(const Vector& b, Vector& x, Guess guess = zero_guess);

  // Options that nobody asked for up to now: after a solve, those that are misspelt.
  std::vector<std::string> unused_options() const;
  KSP ksp() const;  // PETSc's own; another one may stand in its place after a solve with new values

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quadrille
