// A PDE in time by PETSc's TS, from one output or checkpoint to the next.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "drivers/checkpoint.hpp"
#include "drivers/fields/on_signal.hpp"
#include "drivers/fields/ranks.hpp"
#include "drivers/residual_run.hpp"
#include "grid/error.hpp"
#include "quadrille/not_finite.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

class TimeRun {
 public:
  explicit TimeRun(ResidualRun& run) : run_(run) {}

  // To the end, from one output at its time, or one checkpoint, to the next.
  void run() {
    RunState now = begin();
    const Clock::time_point began = Clock::now();
    const double from_s = now.t_s;
    if (!run_.options.checkpoint.empty()) stop_on_signals();
    require_numbers(now.t_s, *run_.u);
    Pause paused = none;
    const auto observe = [&](double t_s, const Vector& u) {
      ++run_.record.steps;
      require_numbers(t_s, u);
      run_.probe(t_s);
      if (run_.options.output_steps > 0 && run_.record.steps % run_.options.output_steps == 0)
        run_.write(t_s);
      tell(t_s, began, from_s);
      paused = pause();
      if (paused != none) run_.in_time->stop();
    };
    bool renew = false;  // of who goes on from a checkpoint: as who starts there
    TimeResult result;
    result.finished = now.t_s >= run_.options.until_s;
    if (result.finished) result.reason = "the checkpoint is of the end";
    while (now.t_s < run_.options.until_s) {
      if (renew || !run_.in_time) run_.in_time.emplace(*run_.residual, run_.preset());
      renew = false;
      double end = run_.options.until_s;
      if (run_.options.output_s > 0)
        end = std::min(
            end, (std::floor(now.t_s / run_.options.output_s * (1 + 1e-12)) + 1) * run_.options.output_s);
      const int before = run_.record.steps;
      paused = none;
      try {
        result = run_.in_time->run(*run_.u,
                                   {.from_s = now.t_s,
                                    .until_s = end,
                                    .dt_s = now.dt_s,
                                    .fixed = run_.options.steps > 0,
                                    .steps_before = before,
                                    .without_control = run_.problem.without_control},
                                   observe);
      } catch (const InputError& error) {  // what is given has no number for the step that was to come
        throw InputError(error.what() + formatted(", in step %d", run_.record.steps + 1) + what_goes_on());
      }
      if (paused != none && is_there(result, end)) {
        result.finished = true;
        result.t_s = end;
        result.reason = "the end was reached";
      }
      note_time_method();
      run_.record.newton_iterations += result.newton_iterations;
      run_.record.iterations += result.krylov_iterations;
      run_.count(result);
      run_.record.steps = before + result.steps;
      now = {result.t_s, run_.options.steps > 0 ? run_.options.dt_s : result.dt_s, run_.record.steps,
             run_.record.newton_iterations, run_.record.iterations};
      if (!result.finished && paused == none) break;
      if (result.finished) run_.write(now.t_s);
      if (paused != none) save(now);
      if (paused == to_end) break;
      renew = paused != none;
    }
    finish_run(result, now, paused == to_end);
  }

 private:
  // Whether a leg that a pause ended lacks nothing but rounding of its times.
  bool is_there(const TimeResult& result, double end_s) const {
    const bool fixed = run_.options.steps > 0;
    return end_s - result.t_s <= (fixed ? 1e-6 * run_.options.dt_s : 1e-9 * result.dt_s);
  }

  // What a checkpoint is of, and a run that goes on from it must be of, too.
  std::string problem_text() const {
    const Grid& grid = run_.options.grid;
    std::string text =
        run_.pde.name + " on " + to_string(grid) + ", DoF " + std::to_string(grid.dof) + ", spacing";
    for (int axis = 0; axis < grid.dimension; ++axis) text += formatted(" %.17g", grid.spacing_m[axis]);
    text += " m, boundary " + to_string(run_.options.boundary, grid.dimension);
    if (run_.options.manufactured) text += ", manufactured";
    if (!run_.options.coefficient.empty()) text += ", coefficient " + run_.options.coefficient;
    if (const auto& ratio = run_.options.coefficient_ratio; ratio != std::array<double, 3>{1, 1, 1})
      text += formatted(", coefficient ratio %.17g %.17g %.17g", ratio[0], ratio[1], ratio[2]);
    for (const PdeParameter& parameter : run_.pde.parameters)
      if (const double value = run_.input.value_of(parameter); value != parameter.usual)
        text += ", " + std::string(parameter.name) + " " + number_text(value);
    for (const auto& [name, field] : run_.options.parameter_fields) text += ", " + name + " " + field;
    if (!run_.options.reaction.empty()) text += ", reaction";
    for (const double number : run_.options.reaction) text += " " + number_text(number);
    return run_.options.source.empty() ? text : text + ", source " + run_.options.source;
  }

  // What unknowns without a rate are at first.
  void complete_first() {
    if (!run_.problem.follow.empty()) take_from_residual();
    if (!run_.problem.at_first.evaluate) return;
    run_.progress.say("the state at first");
    GridResidual at_first = run_.grid_residual(run_.problem.at_first, run_.problem.near_at_first);
    if (!run_.options.source.empty()) {
      Vector source = at_first.vector();
      run_.write_source_at(0, source);
      {
        const HostValues<double> of_rows = source.values();
        for (std::int64_t node = 0; node < of_rows.size(); node += run_.options.grid.dof)
          for (const int r : run_.problem.at_first_without_source) of_rows[node + r] = 0;
      }
      at_first.subtract(std::move(source));
    }
    const std::string by = run_.preset("at_first_") + run_.problem.at_first_options;
    NonlinearSolver(at_first, by, "at_first").solve(*run_.u).or_throw();
  }

  // With 0 for them their residual is what they lack.
  void take_from_residual() {
    const auto set = [&](const auto& value) {
      const HostValues<double> u = run_.u->values();
      for (std::int64_t node = 0; node < u.size(); node += run_.options.grid.dof)
        for (const int r : run_.problem.follow) u[node + r] = value(node + r);
    };
    set([](std::int64_t) { return 0; });
    Vector f = run_.residual->vector();
    run_.residual->evaluate(0, *run_.u, run_.residual->vector(), f);
    const HostValues<const double> lacks = std::as_const(f).values();
    set([&](std::int64_t row) { return -lacks[row]; });
    if (run_.options.initial.empty()) return;
    std::string names;
    for (const int r : run_.problem.follow)
      names += (names.empty() ? "" : ", ") + run_.names[static_cast<std::size_t>(r)].name;
    run_.tell(names + " at first: from the other unknowns, whatever --initial has");
  }

  // The beginning, or where a checkpoint was made.
  RunState begin() {
    if (const std::optional<Restart> from = checkpoint()) return go_on(*from);
    if (run_.first && !run_.problem.initial_note.empty())
      std::cerr << "quadrille: note: " << run_.problem.initial_note << "\n";
    complete_first();
    run_.write(0);
    run_.probe(0);
    return {.t_s = 0, .dt_s = run_.options.dt_s};
  }

  // What --restart gives, which stands in u then.
  std::optional<Restart> checkpoint() {
    const std::string &from = run_.options.restart, &name = run_.options.checkpoint;
    if (from.empty()) return {};
    std::string warning;
    const std::optional<Restart> found =
        read_checkpoint(from, name, problem_text(), run_.names, *run_.u, warning);
    if (run_.first && !warning.empty())
      std::cerr << "quadrille: " << warning << (found ? "" : "; the run starts") << "\n";
    if (found) return found;
    if (warning.empty()) run_.tell("there is no " + name + ".checkpoint-*.h5 to go on from: the run starts");
    run_.u->assign(run_.problem.initial);
    return {};
  }

  RunState go_on(const Restart& from) {
    const RunState& state = from.state;
    const bool at_end = run_.options.restart == "auto" && state.t_s == run_.options.until_s;
    if (state.t_s >= run_.options.until_s && !at_end)
      throw InputError(formatted("%s is of %.6g s, which is not before the end of this run, %.6g s",
                                 from.path.c_str(), state.t_s, run_.options.until_s));
    if (run_.options.steps > 0 && std::abs(state.dt_s - run_.options.dt_s) > 1e-9 * run_.options.dt_s)
      throw InputError(
          formatted("%s has steps of %.6g s, and --steps asks for others, of %.6g s; with --until "
                    "in its place steps follow their error",
                    from.path.c_str(), state.dt_s, run_.options.dt_s));
    run_.tell("going on from " + from.path + formatted(": step %d, %.6g s", state.steps, state.t_s) +
              (at_end ? ", which is the end" : "") +
              (run_.options.initial.empty() ? "" : "; --initial is for the beginning alone"));
    run_.record.steps = run_.steps_before = state.steps;
    run_.record.newton_iterations = state.newton_iterations;
    run_.record.iterations = state.krylov_iterations;
    const bool of_this = is_checkpoint_of(run_.options.checkpoint, from.path);
    if (of_this) kept_ = {state.steps};
    if (run_.probes && of_this)
      run_.probes->go_on(state.steps);
    else
      run_.probe(state.t_s);
    if (run_.out) go_on_with_output(from);
    return state;
  }

  // What the run wrote before its checkpoint stays, and what it wrote after it is written again.
  void go_on_with_output(const Restart& from) {
    const std::string& path = run_.options.output;
    int there = run_.first && std::filesystem::exists(path);
    MPI_Bcast(&there, 1, MPI_INT, 0, PETSC_COMM_WORLD);
    if (there == 0) return run_.write(from.state.t_s);
    if (!is_checkpoint_of(run_.options.checkpoint, from.path))
      throw InputError("--output " + path + ": it is there, and the checkpoint " + from.path +
                       " is not one of it; give another name");
    std::optional<double> last;
    try {
      last = run_.out->go_on(from.state.t_s);
    } catch (const InputError& error) {  // of a run that was killed while it wrote
      const std::string aside = std::filesystem::path(path).replace_extension("unreadable.h5").string();
      on_first<OutputError>({PETSC_COMM_WORLD}, [&] {
        std::cerr << "quadrille: " << error.what() << "; it is " << aside << " now, and a new one begins\n";
        std::error_code failed;
        std::filesystem::rename(path, aside, failed);
        if (failed) throw OutputError("cannot rename " + path + ": " + failed.message());
      });
    }
    if (!last) return run_.write(from.state.t_s);
    run_.written_s = *last;
  }

  enum Pause { none = 0, to_checkpoint = 1, to_end = 2, by_signal = 4 };

  // Of all ranks, after a step: whether one is asked to end, or a checkpoint is due.
  Pause pause() {
    int mine = none, all = none;
    if (!run_.options.checkpoint.empty()) {
      if (stop_requested()) mine |= to_end | by_signal;
      if (run_.options.wall_time_s > 0 && seconds_since(run_.start) > run_.options.wall_time_s)
        mine |= to_end;
      if (run_.options.checkpoint_s > 0 && seconds_since(saved_) > run_.options.checkpoint_s)
        mine |= to_checkpoint;
      if (run_.options.checkpoint_steps > 0 && run_.record.steps % run_.options.checkpoint_steps == 0)
        mine |= to_checkpoint;
      MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, PETSC_COMM_WORLD);
    }
    signalled_ = (all & by_signal) != 0;
    return (all & to_end) != 0 ? to_end : static_cast<Pause>(all);
  }

  void save(const RunState& state) {
    const Clock::time_point start = Clock::now();
    write_checkpoint(run_.options.checkpoint, problem_text(), state, run_.names, *run_.u,
                     FieldOrigin{run_.options.resolved, QUADRILLE_REVISION});
    kept_ = kept_.empty() ? std::vector{state.steps} : std::vector{kept_.back(), state.steps};
    keep_checkpoints(run_.options.checkpoint, kept_);
    saved_ = Clock::now();
    run_.record.seconds.output += seconds_since(start);
  }

  // A number that is none ends the run, with its place; what was saved before stays.
  void require_numbers(double t_s, const Vector& u) const {
    if (std::isfinite(u.norm())) return;
    const std::optional<NotFinite> place = first_not_finite(u.layout(), u.vec());
    if (!place) return;  // the norm alone is too large
    const bool begins = run_.record.steps == run_.steps_before;
    throw NotConvergedError(
        (begins ? std::string("at the beginning") : formatted("after step %d", run_.record.steps)) +
        formatted(", at %.6g s, ", t_s) + to_string(*place) + " is no number: " +
        (begins ? "begin with other values (--initial)" : "take a smaller step") + what_goes_on());
  }
  // After a failure: what was saved before it.
  std::string what_goes_on() const {
    if (kept_.empty()) return "";
    return "; --restart " + checkpoint_path(run_.options.checkpoint, kept_.back()) + " goes on from before";
  }

  void tell(double t_s, Clock::time_point began, double from_s) {
    if (seconds_since(said_) < 0.05) return;
    said_ = Clock::now();
    const TimeResult leg = run_.in_time->so_far();
    const double left = seconds_since(began) * (run_.options.until_s - t_s) / (t_s - from_s);
    run_.progress.say(
        formatted("step %d, %.6g s of %.6g s, dt %.3g s, %d Newton and %d Krylov iterations, %.0f s left",
                  run_.record.steps, t_s, run_.options.until_s, leg.dt_s,
                  run_.record.newton_iterations + leg.newton_iterations,
                  run_.record.iterations + leg.krylov_iterations, left));
  }

  void finish_run(const TimeResult& result, const RunState& now, bool ended) {
    run_.record.converged = now.t_s >= run_.options.until_s && result.finished;
    run_.record.reason = ended && !run_.record.converged ? "it was ended before" : result.reason;
    run_.record.residual = std::numeric_limits<double>::quiet_NaN();  // each step had its own
    run_.ended_s = now.t_s;
    run_.failure = formatted("the run ended at %.6g s of %.6g s, after %d steps: ", now.t_s,
                             run_.options.until_s, run_.record.steps) +
                   (ended ? std::string(signalled_ ? "by a signal" : "by --wall-time") + "; --restart " +
                                checkpoint_path(run_.options.checkpoint, now.steps) + " goes on"
                          : result.reason);
  }

  void note_time_method() {
    SNES snes = nullptr;
    TSType type = nullptr;
    if (TSGetSNES(run_.in_time->ts(), &snes) != 0 || TSGetType(run_.in_time->ts(), &type) != 0)
      throw PetscError("PETSc does not say how it stepped");
    run_.note_methods(snes);
    run_.time_method = type;
  }

  ResidualRun& run_;
  Clock::time_point said_{}, saved_ = Clock::now();  // the last line of progress, the last checkpoint
  bool signalled_ = false;                           // any rank, before the last step
  std::vector<int> kept_;                            // the steps of this run's checkpoints
};

}  // namespace

void run_in_time(ResidualRun& run) {
  TimeRun(run).run();
}

}  // namespace quadrille
