#include "quadrille/time_solver.hpp"

// A private header, of PetscObjectStateGet().
#include <petsc/private/petscimpl.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/solve/krylov_errors.hpp"
#include "kernels/petsc/solve/krylov_solver.hpp"
#include "quadrille/not_finite.hpp"
#include "quadrille/options_in_place.hpp"
#include "quadrille/residual_for_petsc.hpp"

namespace quadrille {
namespace {

void require_solver(const void* solver) {
  if (solver == nullptr)
    throw PetscError("this solver had not enough memory in a solve before: make another one", PETSC_ERR_MEM);
}

MPI_Comm comm_of(const GridResidual& f) {
  return f.layout().comm;
}

struct Steady : Asked {
  explicit Steady(GridResidual& f) : Asked(f), rate(f.vector()) {}
  Vector rate;  // zero
};

PetscErrorCode steady_function(SNES, Vec u, Vec f, void* context) {
  Steady& s = *static_cast<Steady*>(context);
  return s.evaluate(0, u, s.rate.vec(), f);
}

PetscErrorCode steady_jacobian(SNES snes, Vec u, Mat a, Mat p, void* context) {
  Steady& s = *static_cast<Steady*>(context);
  return s.differentiate(snes, 0, u, s.rate.vec(), 0, a, p);
}

PetscErrorCode function_in_time(TS, PetscReal t, Vec u, Vec rate, Vec f, void* context) {
  return static_cast<Asked*>(context)->evaluate(t, u, rate, f);
}

PetscErrorCode jacobian_in_time(TS ts, PetscReal t, Vec u, Vec rate, PetscReal shift, Mat a, Mat p,
                                void* context) {
  SNES snes = nullptr;
  if (const PetscErrorCode code = TSGetSNES(ts, &snes); code) return code;
  return static_cast<Asked*>(context)->differentiate(snes, t, u, rate, shift, a, p);
}

petsc::KrylovTimes measured(SNES snes, const Vector& u, bool for_record) {
  KSP ksp = nullptr;
  QUADRILLE_PETSC(SNESGetKSP(snes, &ksp));
  return petsc::measure(ksp, u.vec(), u.vec(), for_record);
}

// What the observer of a run throws passes PETSc by.
struct Observation {
  const StepObserver& observe;
  const Vector& u;
  bool stop = false;
  std::exception_ptr thrown;
};

PetscErrorCode after_step(TS ts) {
  void* context = nullptr;
  PetscReal t = 0;
  if (const PetscErrorCode code = TSGetApplicationContext(ts, &context); code) return code;
  if (const PetscErrorCode code = TSGetTime(ts, &t); code) return code;
  Observation& o = *static_cast<Observation*>(context);
  TSConvergedReason reason = TS_CONVERGED_ITERATING;
  if (const PetscErrorCode code = TSGetConvergedReason(ts, &reason); code) return code;
  // PETSc comes here after a step that failed, too, where nothing new is to be seen.
  if (!o.observe || reason < 0) return static_cast<PetscErrorCode>(0);
  try {
    o.observe(t, o.u);
  } catch (...) {
    o.thrown = std::current_exception();
  }
  const bool ends = o.thrown || (o.stop && reason == TS_CONVERGED_ITERATING);
  return ends ? TSSetConvergedReason(ts, TS_CONVERGED_USER) : static_cast<PetscErrorCode>(0);
}

// ARKIMEX of PETSc (3.18.5 and 3.25.6) makes the first step of an implicit problem with a solver that gets a
// dense matrix. Methods for u_t = G(t, u) alone crash on F(t, u, u_t) = 0, or do nothing to u. GLLE takes
// steps of its own, thousands for five that were asked for, and does not say that it came to the end.
void refuse_methods(TS ts) {
  PetscBool arkimex = PETSC_FALSE, not_implicit = PETSC_FALSE, own_steps = PETSC_FALSE;
  const auto object = reinterpret_cast<PetscObject>(ts);
  QUADRILLE_PETSC(PetscObjectTypeCompare(object, TSARKIMEX, &arkimex));
  QUADRILLE_PETSC(PetscObjectTypeCompare(object, TSGLLE, &own_steps));
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(object, &not_implicit, TSEULER, TSSSP, TSRK, TSGLEE, TSMIMEX,
                                            TSDISCGRAD, TSBASICSYMPLECTIC, TSALPHA2, ""));
  if (not_implicit)
    throw PetscOptionError(
        "-ts_type: this method is not for implicit problems; choose bdf, cn, theta, beuler, "
        "alpha, rosw or another one");
  if (own_steps)
    throw PetscOptionError(
        "-ts_type glle takes steps of its own in place of those that are asked for; choose bdf, cn, theta, "
        "rosw or another one");
  if (arkimex)
    throw PetscOptionError(
        "-ts_type arkimex begins with a dense matrix of PETSc's; choose bdf, cn, theta, rosw or another one");
}

// Of the estimate of the error.
void leave_out(const std::vector<int>& unknowns, const Vector& model, TS ts) {
  constexpr double any = 1e100;
  PetscReal absolute = 0, relative = 0;
  QUADRILLE_PETSC(TSGetTolerances(ts, &absolute, nullptr, &relative, nullptr));
  Vector tolerances = model;
  tolerances.set(absolute);
  {
    const HostValues<double> of_rows = tolerances.values();
    const int dof = model.layout().grid.dof;
    for (std::int64_t node = 0; node < of_rows.size(); node += dof)
      for (const int r : unknowns) of_rows[node + r] = any;
  }
  QUADRILLE_PETSC(TSSetTolerances(ts, absolute, tolerances.vec(), relative, nullptr));
}

// All there is where that is next to one step: PETSc looks at the end after a step alone.
double first_step(const TimeSpan& span) {
  const double all = span.until_s - span.from_s;
  if (span.dt_s <= 0) return all / 1000;
  return all <= 1.01 * span.dt_s ? all : span.dt_s;
}

// PETSc's counts, of which TSSolve() sets all but the first to 0 where the first is 0; else they go on from
// the run before. And what was asked of the residual.
struct Counts {
  PetscInt steps = 0, rejected = 0, newton = 0, krylov = 0;
  std::int64_t residuals = 0, jacobians = 0;
};

Counts counts_of(TS ts, const Asked& asked) {
  Counts now{.residuals = asked.residuals, .jacobians = asked.jacobians};
  QUADRILLE_PETSC(TSGetStepNumber(ts, &now.steps));
  QUADRILLE_PETSC(TSGetStepRejections(ts, &now.rejected));
  QUADRILLE_PETSC(TSGetSNESIterations(ts, &now.newton));
  QUADRILLE_PETSC(TSGetKSPIterations(ts, &now.krylov));
  return now;
}

Counts counts_before(TS ts, const Asked& asked) {
  const Counts now = counts_of(ts, asked);
  return now.steps == 0 ? Counts{.residuals = now.residuals, .jacobians = now.jacobians} : now;
}

// Where a run ended, and the numbers that u had there: PETSc counts what changes them.
struct RunEnd {
  double t_s = 0;
  PetscObjectId u = 0;
  PetscObjectState state = 0;
  bool operator==(const RunEnd&) const = default;
};

RunEnd end_at(double t_s, Vec u) {
  RunEnd end{t_s};
  QUADRILLE_PETSC(PetscObjectGetId(reinterpret_cast<PetscObject>(u), &end.u));
  QUADRILLE_PETSC(PetscObjectStateGet(reinterpret_cast<PetscObject>(u), &end.state));
  return end;
}

// Of options that would move what the caller asked for, and what comes after it.
void refuse_spans(bool fixed) {
  std::vector<const char*> names{"-ts_init_time", "-ts_max_time", "-ts_time_span", "-ts_eval_times",
                                 "-ts_exact_final_time"};
  if (fixed) names.insert(names.end(), {"-ts_dt", "-ts_time_step"});
  for (const char* name : names) {
    PetscBool given = PETSC_FALSE;
    QUADRILLE_PETSC(PetscOptionsHasName(nullptr, nullptr, name, &given));
    if (given)
      throw PetscOptionError(std::string(name) +
                             " is not for here: begin, end and steps are those of the run itself (of "
                             "quadrille solve --until, --steps, --dt, --restart)");
  }
}

std::string in_words(TSConvergedReason reason) {
  switch (static_cast<int>(reason)) {
    case TS_CONVERGED_TIME:
      return "the end was reached";
    case TS_CONVERGED_USER:
      return "it was stopped";
    case TS_CONVERGED_ITS:
      return "the largest number of steps was made (-ts_max_steps)";
    case TS_DIVERGED_NONLINEAR_SOLVE:
      return "the solves of steps failed too often (-ts_max_snes_failures, -snes_*, -ksp_*, or a smaller "
             "step)";
    case TS_DIVERGED_STEP_REJECTED:
      return "too many steps were rejected, for the error of one is too large however short it is: what it "
             "begins with may not fit the equations (-ts_rtol, -ts_atol, -ts_max_reject)";
    default:
      return std::string("PETSc says ") + TSConvergedReasons[reason];
  }
}

}  // namespace

std::string NonlinearResult::failure() const {
  const std::string what = "Newton's iterations did not converge: " + reason;
  if (!std::isfinite(residual)) return what;
  char text[64];
  std::snprintf(text, sizeof text, ", after %d, at |F| = %.3g", newton_iterations, residual);
  return what + text;
}

const NonlinearResult& NonlinearResult::or_throw() const {
  if (!converged) throw NotConvergedError(failure());
  return *this;
}

const TimeResult& TimeResult::or_throw() const {
  if (!finished)
    throw NotConvergedError("the run ended at " + std::to_string(t_s) + " s: " + reason + ", after " +
                            std::to_string(steps) + " steps");
  return *this;
}

namespace {

// PETSc takes a step that is small beside u for convergence, whatever F is. Where F has hardly fallen, and is
// more than what rounding makes of J u, of which the diagonal tells the least, u is no solution.
bool is_solved(SNES snes, Vec u, double norm) {
  constexpr double fallen = 1e-4, rounding = 1e-14;
  PetscReal* norms = nullptr;
  PetscInt count = 0;
  QUADRILLE_PETSC(SNESGetConvergenceHistory(snes, &norms, nullptr, &count));
  if (count > 0 && norm <= fallen * norms[0]) return true;
  Mat jacobian = nullptr;
  QUADRILLE_PETSC(SNESGetJacobian(snes, &jacobian, nullptr, nullptr, nullptr));
  const petsc::Handle<Vec> terms =
      petsc::make<Vec>("VecDuplicate", [=](Vec* to) { return VecDuplicate(u, to); });
  QUADRILLE_PETSC(MatGetDiagonal(jacobian, terms.get()));
  QUADRILLE_PETSC(VecPointwiseMult(terms.get(), terms.get(), u));
  PetscReal size = 0;
  QUADRILLE_PETSC(VecNorm(terms.get(), NORM_2, &size));
  return norm <= rounding * size;
}

}  // namespace

struct NonlinearSolver::State {
  Steady steady;
  SolverOptions options;
  petsc::Handle<SNES> snes;
};

NonlinearSolver::NonlinearSolver(GridResidual& f, const std::string& options, const std::string& prefix)
    : state_(new State{Steady(f), SolverOptions(options), nullptr}) {
  const OptionsInPlace in_place(state_->options);
  const Mat jacobian = f.jacobian().mat();
  SNES snes = nullptr;
  QUADRILLE_PETSC(SNESCreate(comm_of(f), &snes));
  state_->snes.reset(snes);
  QUADRILLE_PETSC(SNESSetFunction(snes, nullptr, steady_function, &state_->steady));
  QUADRILLE_PETSC(SNESSetJacobian(snes, jacobian, jacobian, steady_jacobian, &state_->steady));
  if (!prefix.empty()) QUADRILLE_PETSC(SNESSetOptionsPrefix(snes, (prefix + "_").c_str()));
  set_newton_defaults(snes, f);
  petsc::refuse_nan_tolerances(prefix.empty() ? nullptr : (prefix + "_").c_str());
  by_options([=] { QUADRILLE_PETSC(SNESSetFromOptions(snes)); });
  QUADRILLE_PETSC(SNESSetConvergenceHistory(snes, nullptr, nullptr, PETSC_DECIDE, PETSC_TRUE));
  if (const Mat near = preconditioned_by(snes, f); near != jacobian)
    QUADRILLE_PETSC(SNESSetJacobian(snes, nullptr, near, nullptr, nullptr));
}

NonlinearSolver::~NonlinearSolver() = default;
NonlinearSolver::NonlinearSolver(NonlinearSolver&&) noexcept = default;

NonlinearResult NonlinearSolver::solve(Vector& u) {
  const OptionsInPlace in_place(state_->options);
  require_solver(state_->snes.get());
  const SNES snes = state_->snes.get();
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  PetscInt newton = 0, krylov = 0;
  PetscReal norm = 0;
  const std::int64_t residuals = state_->steady.residuals, jacobians = state_->steady.jacobians;
  state_->steady.during(state_->snes, [&] { QUADRILLE_PETSC(SNESSolve(snes, nullptr, u.vec())); });
  QUADRILLE_PETSC(SNESGetConvergedReason(snes, &reason));
  QUADRILLE_PETSC(SNESGetIterationNumber(snes, &newton));
  QUADRILLE_PETSC(SNESGetLinearSolveIterations(snes, &krylov));
  QUADRILLE_PETSC(SNESGetFunctionNorm(snes, &norm));
  std::string words = where_not_finite(snes, state_->steady.f.layout());
  if (!words.empty())  // PETSc keeps the norm before
    norm = std::numeric_limits<double>::quiet_NaN();
  else
    words = std::string("PETSc says ") + SNESConvergedReasons[reason] +
            (reason < 0 ? why_krylov_failed(snes, state_->steady.f) : "");
  const bool solved =
      reason > 0 && (reason != SNES_CONVERGED_SNORM_RELATIVE || is_solved(snes, u.vec(), norm));
  if (reason > 0 && !solved)
    words += ", for steps are small beside u, and F has hardly fallen: there may be no solution";
  return {solved,
          words,
          static_cast<int>(newton),
          static_cast<int>(krylov),
          norm,
          state_->steady.residuals - residuals,
          state_->steady.jacobians - jacobians};
}

petsc::KrylovTimes NonlinearSolver::measure(const Vector& u, bool for_record) const {
  const OptionsInPlace in_place(state_->options);
  return measured(snes(), u, for_record);
}

std::vector<std::string> NonlinearSolver::unused_options() const {
  return state_->options.unused();
}

SNES NonlinearSolver::snes() const {
  return state_->snes.get();
}

struct TimeSolver::State {
  Asked asked;
  SolverOptions options;
  petsc::Handle<TS> ts;
  Observation* observation = nullptr;  // of the run that goes on
  Counts before;                       // of PETSc, when the last run began
  std::optional<RunEnd> end;           // of the last run
};

TimeSolver::TimeSolver(GridResidual& f, const std::string& options)
    : state_(new State{Asked(f), SolverOptions(options), nullptr, nullptr, {}, {}}) {
  const OptionsInPlace in_place(state_->options);
  const Mat jacobian = f.jacobian().mat();
  TS ts = nullptr;
  SNES snes = nullptr;
  QUADRILLE_PETSC(TSCreate(comm_of(f), &ts));
  state_->ts.reset(ts);
  QUADRILLE_PETSC(TSSetIFunction(ts, nullptr, function_in_time, &state_->asked));
  QUADRILLE_PETSC(TSSetIJacobian(ts, jacobian, jacobian, jacobian_in_time, &state_->asked));
  QUADRILLE_PETSC(TSSetEquationType(ts, TS_EQ_IMPLICIT));
  QUADRILLE_PETSC(TSSetType(ts, TSBDF));
  QUADRILLE_PETSC(TSBDFSetOrder(ts, 2));
  QUADRILLE_PETSC(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  QUADRILLE_PETSC(TSSetPostStep(ts, after_step));
  QUADRILLE_PETSC(TSGetSNES(ts, &snes));
  set_step_defaults(snes, f);
}

TimeSolver::~TimeSolver() = default;
TimeSolver::TimeSolver(TimeSolver&&) noexcept = default;

TimeResult TimeSolver::run(Vector& u, const TimeSpan& span, const StepObserver& observe) {
  const OptionsInPlace in_place(state_->options);
  require_solver(state_->ts.get());
  const TS ts = state_->ts.get();
  Observation observation{observe, u, false, nullptr};
  state_->observation = &observation;
  TSAdapt adapt = nullptr;
  refuse_spans(span.fixed);
  QUADRILLE_PETSC(TSSetApplicationContext(ts, &observation));
  QUADRILLE_PETSC(TSSetTime(ts, span.from_s));
  QUADRILLE_PETSC(TSSetMaxTime(ts, span.until_s));
  QUADRILLE_PETSC(TSSetTimeStep(ts, first_step(span)));
  QUADRILLE_PETSC(TSSetStepNumber(ts, span.steps_before));
  QUADRILLE_PETSC(TSGetAdapt(ts, &adapt));
  QUADRILLE_PETSC(TSAdaptSetType(adapt, span.fixed ? TSADAPTNONE : TSADAPTBASIC));
  // A step that fails is tried again with half of it, and to fail in the end is a result.
  QUADRILLE_PETSC(TSSetMaxSNESFailures(ts, span.fixed ? 1 : -1));
  QUADRILLE_PETSC(TSSetErrorIfStepFails(ts, PETSC_FALSE));
  petsc::refuse_nan_tolerances(nullptr);
  by_options([=] { QUADRILLE_PETSC(TSSetFromOptions(ts)); });
  refuse_methods(ts);
  if (!span.without_control.empty()) leave_out(span.without_control, u, ts);
  SNES snes = nullptr;
  QUADRILLE_PETSC(TSGetSNES(ts, &snes));
  after_step_options(snes, state_->asked.f);
  const GridResidual& f = state_->asked.f;
  if (const Mat near = preconditioned_by(snes, f); near != f.jacobian().mat())
    QUADRILLE_PETSC(TSSetIJacobian(ts, nullptr, near, nullptr, nullptr));
  state_->before = counts_before(ts, state_->asked);
  // Methods of several steps go on with those of the run before where this one does, on all ranks.
  int other = state_->end != end_at(span.from_s, u.vec()), of_any = 0;
  MPI_Allreduce(&other, &of_any, 1, MPI_INT, MPI_MAX, comm_of(state_->asked.f));
  if (of_any != 0) QUADRILLE_PETSC(TSRestartStep(ts));
  state_->end.reset();
  state_->asked.during(state_->ts, [&] { QUADRILLE_PETSC(TSSolve(ts, u.vec())); });
  QUADRILLE_PETSC(TSSetApplicationContext(ts, nullptr));
  state_->observation = nullptr;
  if (observation.thrown) std::rethrow_exception(observation.thrown);
  TimeResult result = so_far();
  state_->end = end_at(result.t_s, u.vec());
  if (result.finished) return result;
  const std::string where = where_not_finite(snes, state_->asked.f.layout());
  TSConvergedReason reason = TS_CONVERGED_ITERATING;
  QUADRILLE_PETSC(TSGetConvergedReason(ts, &reason));
  if (!where.empty())
    result.reason += "; in the last one " + where;
  else if (reason == TS_DIVERGED_NONLINEAR_SOLVE)
    result.reason += why_krylov_failed(snes, state_->asked.f);
  return result;
}

TimeResult TimeSolver::so_far() const {
  const TS ts = state_->ts.get();
  const Counts now = counts_of(ts, state_->asked), &before = state_->before;
  TSConvergedReason reason = TS_CONVERGED_ITERATING;
  PetscReal t = 0, dt = 0;
  QUADRILLE_PETSC(TSGetConvergedReason(ts, &reason));
  QUADRILLE_PETSC(TSGetTime(ts, &t));
  QUADRILLE_PETSC(TSGetTimeStep(ts, &dt));
  return {reason == TS_CONVERGED_TIME,
          in_words(reason),
          t,
          dt,
          static_cast<int>(now.steps - before.steps),
          static_cast<int>(now.rejected - before.rejected),
          static_cast<int>(now.newton - before.newton),
          static_cast<int>(now.krylov - before.krylov),
          now.residuals - before.residuals,
          now.jacobians - before.jacobians};
}

void TimeSolver::stop() {
  if (state_->observation != nullptr) state_->observation->stop = true;
}

petsc::KrylovTimes TimeSolver::measure(const Vector& u, bool for_record) const {
  const OptionsInPlace in_place(state_->options);
  SNES snes = nullptr;
  QUADRILLE_PETSC(TSGetSNES(ts(), &snes));
  return measured(snes, u, for_record);
}

std::vector<std::string> TimeSolver::unused_options() const {
  return state_->options.unused();
}

TS TimeSolver::ts() const {
  return state_->ts.get();
}

}  // namespace quadrille
