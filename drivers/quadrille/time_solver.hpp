// Solves F(u) = 0 and F(t, u, u_t) = 0 of a GridResidual, by PETSc's SNES and TS with their options.
//
//   NonlinearSolver(f).solve(u).or_throw();
//   TimeSolver in_time(f, "-ts_type cn");
//   in_time.run(u, {.until_s = 2000, .dt_s = 1}, [&](double t_s, const Vector& now) { ... }).or_throw();
//
// Without options the Newton steps are solved by FGMRES with quadrille_mg, or by GMRES with
// quadrille_pbjacobi where multigrid does not take the Jacobian.
#pragma once

#include <petscts.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/petsc/solve/krylov.hpp"
#include "quadrille/grid_residual.hpp"

namespace quadrille {

struct NonlinearResult {
  bool converged = false;
  std::string reason;  // in words, or PETSc's name for it
  int newton_iterations = 0, krylov_iterations = 0;
  double residual = 0;                        // |F(u)| in the 2-norm; NaN where that is no number
  std::int64_t residuals = 0, jacobians = 0;  // that were made

  std::string failure() const;  // in a sentence, where it did not converge
  // Throws NotConvergedError unless it converged.
  const NonlinearResult& or_throw() const;
};

class NonlinearSolver {
 public:
  // Keeps a reference to `f`. Collective, as what follows. Throws PetscError.
  // With a prefix options are its own alone: -PREFIX_ksp_type in place of -ksp_type.
  explicit NonlinearSolver(GridResidual& f, const std::string& options = "", const std::string& prefix = "");
  ~NonlinearSolver();
  NonlinearSolver(NonlinearSolver&&) noexcept;

  // F(u) = 0 with u_t = 0 at time 0, from what u is. Not to converge is a result. Throws what the residual
  // does.
  NonlinearResult solve(Vector& u);

  // What the last linear solve consists of, a few more times (kernels/petsc/solve/krylov.hpp), with u as what
  // is multiplied: nothing where there was none. For a record it takes ten times as long.
  petsc::KrylovTimes measure(const Vector& u, bool for_record = false) const;

  std::vector<std::string> unused_options() const;
  SNES snes() const;  // PETSc's own

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct TimeSpan {
  double from_s = 0, until_s = 0;
  double dt_s = 0;  // the first step; with `fixed` every one
  bool fixed = false;
  int steps_before = 0;  // where PETSc's count begins, of -ts_max_steps and -ts_monitor
  // Unknowns of a node, those without a rate, whose errors do not decide how long steps are.
  std::vector<int> without_control = {};
};

struct TimeResult {
  bool finished = false;  // the end was reached
  std::string reason;
  double t_s = 0, dt_s = 0;  // where it ended, and the step that would have been next
  int steps = 0, rejected = 0, newton_iterations = 0, krylov_iterations = 0;
  std::int64_t residuals = 0, jacobians = 0;  // that were made

  const TimeResult& or_throw() const;
};

// After each step that was accepted, on all ranks; what it throws it throws on all of them.
using StepObserver = std::function<void(double t_s, const Vector& u)>;

class TimeSolver {
 public:
  // Without -ts_type the method is BDF of order 2, with steps that follow its estimate of the error
  // (-ts_rtol, -ts_atol, 1e-4 each). Keeps a reference to `f`. Collective, as run(). Throws PetscError, and
  // PetscOptionError for options that say what the span of run() says (-ts_max_time, ...).
  explicit TimeSolver(GridResidual& f, const std::string& options = "");
  ~TimeSolver();
  TimeSolver(TimeSolver&&) noexcept;

  // u goes from what it is at from_s to until_s, which the last step hits. Not to get there is a result.
  // With steps_before a run goes on with the last one's method of several steps, where time and u are as that
  // left them. Throws what the observer throws, and what the residual does.
  TimeResult run(Vector& u, const TimeSpan& span, const StepObserver& observe = {});
  // For an observer: what run() would give if it ended now.
  TimeResult so_far() const;
  // For an observer, on all ranks: the run ends with this step, before until_s.
  void stop();
  petsc::KrylovTimes measure(const Vector& u, bool for_record = false) const;  // as NonlinearSolver's

  std::vector<std::string> unused_options() const;
  TS ts() const;  // PETSc's own

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quadrille
