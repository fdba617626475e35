#include "quadrille/solver.hpp"

#include <petscksp.h>

#include <utility>
#include <vector>

#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/solve/krylov_errors.hpp"
#include "kernels/petsc/solve/krylov_solver.hpp"
#include "quadrille/options_in_place.hpp"

namespace quadrille {
struct Solver::State {
  petsc::KrylovProblem problem;
  SolverOptions options;
  petsc::KrylovSolver solver;
};

const SolveResult& SolveResult::or_throw() const {
  std::string unused;
  for (const std::string& option : unused_options) unused += "; PETSc did not use the option " + option;
  if (!converged)
    throw NotConvergedError("the solve did not converge: " + reason + ", after " +
                            std::to_string(iterations) + " iterations, at a residual of " +
                            std::to_string(residual) + unused);
  return *this;
}

Solver::Solver(const GridOperator& a, const SolverSettings& settings) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.options = SolverOptions(settings.options);
  s.problem.on_grid = a.shared_mat();
  s.problem.matrix =
      settings.petscs_matrix ? petsc::make_aij(a.mat(), a.space() == SpaceKind::cuda) : a.shared_mat();
  s.problem.constants_are_null = settings.constants_are_null;
  s.problem.monitor = settings.monitor;
  s.problem.options_are = settings.options_are;
  const OptionsInPlace in_place(s.options);
  s.solver = petsc::make_solver(s.problem);
}

Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

SolveResult Solver::solve(const Vector& b, Vector& x, Guess guess) {
  State& s = *state_;
  const OptionsInPlace in_place(s.options);
  SolveResult result{petsc::solve(s.problem, s.solver, b.vec(), x.vec(), guess == keep_guess)};
  if (!result.converged) result.unused_options = unused_options();
  return result;
}

SolveResult Solver::confirmed(SolveResult result, const Vector& b, const Vector& x) const {
  petsc::confirm(state_->problem, b.vec(), x.vec(), result);
  return result;
}

petsc::KrylovTimes Solver::measure(const Vector& b, const Vector& x, bool for_record) const {
  return petsc::measure(ksp(), b.vec(), x.vec(), for_record);
}

std::int64_t Solver::stored_bytes() const {
  return petsc::stored_bytes(state_->problem.matrix.get());
}

std::vector<std::string> Solver::unused_options() const {
  return state_->options.unused();
}

KSP Solver::ksp() const {
  return state_->solver.ksp.get();
}

}  // namespace quadrille
