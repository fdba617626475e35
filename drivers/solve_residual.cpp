// `quadrille solve PDE` of a PDE that is nonlinear or changes in time (assembly/pdes.hpp): its residual and
// Jacobian at the nodes, PETSc's SNES and TS.
//
// On several ranks each has a box of the grid's nodes. All of them run everything here; rank 0 speaks and
// writes the files.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "assembly/pdes.hpp"
#include "drivers/checkpoint.hpp"
#include "drivers/commands.hpp"
#include "drivers/fields/on_signal.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/progress.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "drivers/support/solve_record.hpp"
#include "drivers/support/solve_text.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "quadrille/field_writer.hpp"
#include "quadrille/grid_residual.hpp"
#include "quadrille/time_solver.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

class SolveResidual {
 public:
  explicit SolveResidual(const Options& options)
      : options_(options),
        pde_(find_pde(options.pde)),
        first_(petsc::rank() == 0),
        progress_(options, first_) {}

  int operator()() {
    together([&] { make(); });
    const Clock::time_point start = Clock::now();
    together([&] { in_time() ? run() : solve(); });
    record_.seconds.solve = petsc::largest_over_ranks(seconds_since(start)) - record_.seconds.output;
    together([&] { finish(); });
    together([&] {
      progress_.say("");
      if (first_ && !options_.quiet) print();
    });
    record_.seconds.total = petsc::largest_over_ranks(seconds_since(start_));
    together([&] {
      if (first_) write_record();
    });
    if (record_.converged) return all_well;
    if (first_) std::cerr << "quadrille: " << failure_ << "\n";
    return check_failed;
  }

 private:
  bool in_time() const { return pde_.in_time() && !options_.steady; }

  // Of the Jacobian, of a Krylov method with 30 directions and its multigrid, and of the steps.
  void require_memory() const {
    std::int64_t bytes = 0;
    together([&] {
      BlockStructure part = block_structure(options_.grid, options_.points, options_.boundary);
      part.extents = layout_->box().size;
      const std::int64_t values = value_bytes(part, 8),
                         vectors = checked_product(part.rows(), 50 * 8, "the vectors");
      if (__builtin_add_overflow(2 * values, vectors, &bytes))
        throw FormatError("the bytes of Jacobian and vectors overflow 64 bits");
    });
    memory::require_host(petsc::sum_on_host(bytes), "choose a smaller grid or fewer DoF");
  }

  void make() {
    progress_.say("setting up");
    const Clock::time_point start = Clock::now();
    layout_ = share_grid(PETSC_COMM_WORLD, options_.grid, options_.boundary);
    require_memory();
    PdeInput input;
    input.seed = options_.seed;
    input.manufactured = options_.manufactured;
    input.steady = options_.steady;
    problem_ =
        residual_of_pde(pde_, options_.grid, options_.points, options_.boundary, input, layout_->box());
    residual_.emplace(PETSC_COMM_WORLD, options_.grid, options_.points, options_.boundary, problem_.residual,
                      OperatorOptions{.format = options_.formats.front(),
                                      .space = options_.space,
                                      .options = options_.format_options,
                                      .device = options_.device});
    u_.emplace(residual_->vector());
    u_->assign(problem_.initial);
    for (const Unknown& unknown : unknowns_of(pde_, options_.grid.dimension))
      names_.emplace_back(unknown.name, unknown.name + " of " + pde_.equation, unknown.unit);
    if (names_.empty()) names_.emplace_back("solution", "u of " + pde_.equation, pde_.solution_units);
    if (!options_.output.empty()) {
      require_another_output();
      out_.emplace(options_.output, options_.grid, names_, PETSC_COMM_WORLD,
                   FieldOrigin{options_.resolved, QUADRILLE_REVISION});
    }
    record_.seconds.assembly = petsc::largest_over_ranks(seconds_since(start));
  }

  // What a run wrote before its checkpoint is not written over.
  void require_another_output() const {
    int there = first_ && !options_.restart.empty() && std::filesystem::exists(options_.output);
    MPI_Bcast(&there, 1, MPI_INT, 0, PETSC_COMM_WORLD);
    if (there != 0)
      throw InputError("--output " + options_.output +
                       ": it is there, with what came before the checkpoint perhaps; give another name");
  }

  void write(double t_s) {
    if (!out_ || t_s == written_s_) return;
    const Clock::time_point start = Clock::now();
    out_->write(t_s, *u_);
    written_s_ = t_s;
    record_.seconds.output += seconds_since(start);
  }

  // Options of the PDE's, which are for the CPU: on a GPU multigrid is worth its set-up.
  std::string preset() const {
    return residual_->jacobian().space() == SpaceKind::cpu ? pde_.petsc_options : "";
  }

  void solve() {
    progress_.say("Newton's iterations");
    NonlinearSolver solver(*residual_, pde_.in_time() ? std::string() : preset());
    const NonlinearResult result = solver.solve(*u_);
    record_.converged = result.converged;
    record_.reason = result.reason;
    record_.iterations = result.krylov_iterations;
    record_.newton_iterations = result.newton_iterations;
    record_.residual = result.residual;
    note_methods(solver.snes());
    failure_ = "Newton's iterations did not converge: " + result.reason + ", after " +
               std::to_string(result.newton_iterations) + ", at |F| = " + formatted("%.3g", result.residual);
    if (result.converged) write(0);
  }

  // What a checkpoint is of, and a run that goes on from it must be of, too.
  std::string problem_text() const {
    const Grid& grid = options_.grid;
    std::string text =
        pde_.name + " on " + to_string(grid) + ", DoF " + std::to_string(grid.dof) + ", spacing";
    for (int axis = 0; axis < grid.dimension; ++axis) text += formatted(" %.17g", grid.spacing_m[axis]);
    return text + " m, boundary " + to_string(options_.boundary, grid.dimension);
  }

  // What unknowns without a rate are at first.
  void solve_first() {
    if (!problem_.at_first.evaluate) return;
    progress_.say("the state at first");
    residual_->use(problem_.at_first);
    NonlinearSolver(*residual_, problem_.at_first_options).solve(*u_).or_throw();
    residual_->use(problem_.residual);
  }

  // The beginning, or where a checkpoint was made.
  RunState begin() {
    if (options_.restart.empty()) {
      solve_first();
      write(0);
      return {.t_s = 0, .dt_s = options_.dt_s};
    }
    std::string warning;
    const RunState state = read_checkpoint(options_.restart, problem_text(), names_, *u_, warning);
    if (first_ && !warning.empty()) std::cerr << "quadrille: " << warning << "\n";
    if (state.t_s >= options_.until_s)
      throw InputError(formatted("%s is of %.6g s, which is not before the end of this run, %.6g s",
                                 options_.restart.c_str(), state.t_s, options_.until_s));
    record_.steps = state.steps;
    record_.newton_iterations = state.newton_iterations;
    record_.iterations = state.krylov_iterations;
    write(state.t_s);
    return state;
  }

  enum Pause { none = 0, to_checkpoint = 1, to_end = 2 };

  // Of all ranks, after a step: whether one is asked to end, or a checkpoint is due.
  Pause pause() {
    int mine = none, all = none;
    if (!options_.checkpoint.empty()) {
      if (stop_requested()) mine |= to_end;
      if (options_.wall_time_s > 0 && seconds_since(start_) > options_.wall_time_s) mine |= to_end;
      if (options_.checkpoint_s > 0 && seconds_since(saved_) > options_.checkpoint_s) mine |= to_checkpoint;
      if (options_.checkpoint_steps > 0 && record_.steps % options_.checkpoint_steps == 0)
        mine |= to_checkpoint;
      MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, PETSC_COMM_WORLD);
    }
    return (all & to_end) != 0 ? to_end : static_cast<Pause>(all);
  }

  void save(const RunState& state) {
    const Clock::time_point start = Clock::now();
    write_checkpoint(options_.checkpoint, problem_text(), state, names_, *u_,
                     FieldOrigin{options_.resolved, QUADRILLE_REVISION});
    saved_ = Clock::now();
    record_.seconds.output += seconds_since(start);
  }

  // A number that is none ends the run, with its place; what was saved before stays.
  void require_numbers(double t_s, const Vector& u) const {
    if (std::isfinite(u.norm())) return;
    const HostValues<const double> values = u.values();
    const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    const std::int64_t row = bad - values.begin(), none_here = std::numeric_limits<std::int64_t>::max();
    const NodeBox box = layout_->box();
    std::int64_t mine = none_here, first = none_here;
    if (row < values.size()) {
      const NodePosition at = box.first_of_line(row / options_.grid.dof / box.size[0]);
      mine = node_index(options_.grid, {at[0] + row / options_.grid.dof % box.size[0], at[1], at[2]}) *
                 options_.grid.dof +
             row % options_.grid.dof;
    }
    MPI_Allreduce(&mine, &first, 1, MPI_INT64_T, MPI_MIN, PETSC_COMM_WORLD);
    const Position at = node_position(options_.grid, first / options_.grid.dof);
    throw NotConvergedError(formatted(
        "after step %d, at %.6g s, unknown %d of node (%ld, %ld, %ld) is no number: take a smaller step",
        record_.steps, t_s, static_cast<int>(first % options_.grid.dof), static_cast<long>(at.x),
        static_cast<long>(at.y), static_cast<long>(at.z)));
  }

  void tell(double t_s, Clock::time_point began, double from_s) {
    if (seconds_since(said_) < 0.05) return;
    said_ = Clock::now();
    PetscInt newton = 0, krylov = 0;
    PetscReal dt = 0;
    const TS ts = solver_->ts();
    if (TSGetSNESIterations(ts, &newton) != 0 || TSGetKSPIterations(ts, &krylov) != 0 ||
        TSGetTimeStep(ts, &dt) != 0)
      return;
    const double left = seconds_since(began) * (options_.until_s - t_s) / (t_s - from_s);
    progress_.say(formatted(
        "step %d, %.6g s of %.6g s, dt %.3g s, %d Newton and %d Krylov iterations, %.0f s left",
        record_.steps, t_s, options_.until_s, dt, record_.newton_iterations + static_cast<int>(newton),
        record_.iterations + static_cast<int>(krylov), left));
  }

  // To the end, from one output at its time, or one checkpoint, to the next.
  void run() {
    RunState now = begin();
    const Clock::time_point began = Clock::now();
    const double from_s = now.t_s;
    if (!options_.checkpoint.empty()) stop_on_signals();
    require_numbers(now.t_s, *u_);
    Pause paused = none;
    const auto observe = [&](double t_s, const Vector& u) {
      ++record_.steps;
      require_numbers(t_s, u);
      if (options_.output_steps > 0 && record_.steps % options_.output_steps == 0) write(t_s);
      tell(t_s, began, from_s);
      paused = pause();
      if (paused != none) solver_->stop();
    };
    TimeResult result;
    while (now.t_s < options_.until_s) {
      if (!solver_) solver_.emplace(*residual_, preset());
      double end = options_.until_s;
      if (options_.output_s > 0)
        end = std::min(end, (std::floor(now.t_s / options_.output_s * (1 + 1e-12)) + 1) * options_.output_s);
      const int before = record_.steps;
      paused = none;
      result = solver_->run(
          *u_, {.from_s = now.t_s, .until_s = end, .dt_s = now.dt_s, .fixed = options_.steps > 0}, observe);
      note_time_method();
      record_.newton_iterations += result.newton_iterations;
      record_.iterations += result.krylov_iterations;
      record_.steps = before + result.steps;
      now = {result.t_s, options_.steps > 0 ? options_.dt_s : result.dt_s, record_.steps,
             record_.newton_iterations, record_.iterations};
      if (!result.finished && paused == none) break;
      if (result.finished) write(now.t_s);
      if (paused != none) save(now);
      if (paused == to_end) break;
      if (paused != none) solver_.reset();  // who goes on from there has a new one
    }
    finish_run(result, now, paused == to_end);
  }

  void finish_run(const TimeResult& result, const RunState& now, bool ended) {
    record_.converged = now.t_s >= options_.until_s && result.finished;
    record_.reason = ended && !record_.converged ? "it was ended before" : result.reason;
    record_.residual = std::numeric_limits<double>::quiet_NaN();  // each step had its own
    ended_s_ = now.t_s;
    failure_ = formatted("the run ended at %.6g s of %.6g s, after %d steps: ", now.t_s, options_.until_s,
                         record_.steps) +
               (ended ? (stop_requested() ? "by a signal" : "by --wall-time") + std::string("; --restart ") +
                            options_.checkpoint + " goes on"
                      : result.reason);
  }

  void note_time_method() {
    SNES snes = nullptr;
    TSType type = nullptr;
    if (TSGetSNES(solver_->ts(), &snes) != 0 || TSGetType(solver_->ts(), &type) != 0)
      throw PetscError("PETSc does not say how it stepped");
    note_methods(snes);
    time_method_ = type;
  }

  void note_methods(SNES snes) {
    KSP ksp = nullptr;
    PC pc = nullptr;
    KSPType method = nullptr;
    PCType preconditioner = nullptr;
    if (SNESGetKSP(snes, &ksp) != 0 || KSPGetType(ksp, &method) != 0 || KSPGetPC(ksp, &pc) != 0 ||
        PCGetType(pc, &preconditioner) != 0)
      throw PetscError("PETSc does not say how it solved");
    record_.method = method;
    record_.preconditioner = preconditioner;
  }

  // What the record tells beside, and the error of a known solution.
  void finish() {
    record_.pde = pde_.name;
    record_.space = to_string(residual_->jacobian().space());
    record_.format = residual_->jacobian().format();
    record_.grid = to_string(options_.grid);
    record_.dof = options_.grid.dof;
    record_.ranks = petsc::ranks();
    record_.unknowns = options_.grid.rows();
    record_.nonlinear = true;
    record_.in_time = in_time();
    for (int axis = 0; axis < options_.grid.dimension; ++axis)
      record_.h = std::max(record_.h, options_.grid.spacing_m[axis]);
    if (record_.steps > 0) record_.ms_per_step = 1e3 * record_.seconds.solve / record_.steps;
    measure();
    if (!problem_.exact) return;
    const std::vector<double> exact = problem_.exact(ended_s_), u = u_->numbers();
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      squares += (u[i] - exact[i]) * (u[i] - exact[i]);
      largest = std::max(largest, std::abs(u[i] - exact[i]));
    }
    squares = petsc::sum_over_ranks(squares);
    record_.error_l2 = std::sqrt(squares / static_cast<double>(options_.grid.rows()));
    record_.error_max = std::isnan(squares) ? squares : petsc::largest_over_ranks(largest);
  }

  // Milliseconds of work, the median of a few.
  template <class Work>
  double measure_ms(const Work& work) const {
    const bool on_gpu = residual_->jacobian().space() == SpaceKind::cuda;
    std::array<double, 5> ms{};
    for (double& one : ms) {
      if (on_gpu) cuda::synchronize();
      const Clock::time_point start = Clock::now();
      work();
      if (on_gpu) cuda::synchronize();
      one = 1e3 * petsc::largest_over_ranks(seconds_since(start));
    }
    std::nth_element(ms.begin(), ms.begin() + 2, ms.end());
    return ms[2];
  }

  // Of the Jacobian's product, and of the residual and the Jacobian themselves.
  void measure() {
    Vector y = residual_->vector();
    const Vector rate = residual_->vector();
    record_.matmult_ms = measure_ms([&] { residual_->jacobian().multiply(*u_, y); });
    record_.residual_ms = measure_ms([&] { residual_->evaluate(ended_s_, *u_, rate, y); });
    record_.jacobian_ms = measure_ms([&] { residual_->differentiate(ended_s_, *u_, rate, 1); });
    if (residual_->jacobian().space() != SpaceKind::cuda || record_.ranks > 1) return;
    const std::int64_t vector = 8 * options_.grid.rows(), read = in_time() ? 2 * vector : vector,
                       values =
                           value_bytes(block_structure(options_.grid, options_.points, options_.boundary), 8);
    const auto of_floor = [](std::int64_t reads, std::int64_t writes, double ms) {
      return 1e-6 * static_cast<double>(reads + writes) / cuda::stream_speed(reads, writes, 10).best_gbps /
             ms;
    };
    record_.residual_fraction_of_floor = of_floor(read, vector, record_.residual_ms);
    record_.jacobian_fraction_of_floor = of_floor(vector, values, record_.jacobian_ms);
  }

  void print() const {
    std::cout << pde_.name << ", " << pde_.equation << ": " << record_.grid << ", DoF " << record_.dof
              << ", spacing " << formatted("%.4g", options_.grid.spacing_m[0]) << " m, boundary "
              << to_string(options_.boundary, options_.grid.dimension) << ": " << record_.unknowns
              << " unknowns\n"
              << "Jacobian: " << record_.format << " on " << record_.space
              << (record_.ranks > 1 ? ", " + std::to_string(record_.ranks) + " ranks" : "") << ", "
              << formatted("%.3g", record_.matmult_ms) << " ms per product, "
              << formatted("%.3g", record_.jacobian_ms) << " ms to make it, "
              << formatted("%.3g", record_.residual_ms) << " ms per residual; " << record_.method << " with "
              << record_.preconditioner << "\n";
    if (!problem_.note.empty()) std::cout << problem_.note << "\n";
    if (record_.in_time)
      std::cout << (record_.converged ? "done: " : "not finished: ")
                << formatted("%d steps of %s to %.6g s, %.3g ms each", record_.steps, time_method_.c_str(),
                             ended_s_, record_.ms_per_step.value_or(0));
    else
      std::cout << (record_.converged ? "converged" : "not converged")
                << formatted(": |F| %.3g", record_.residual);
    std::cout << ", " << record_.newton_iterations << " Newton and " << record_.iterations
              << " Krylov iterations: " << record_.reason << "\n";
    if (record_.error_l2)
      std::cout << formatted("error against the exact solution: root mean square %.4g, largest %.4g\n",
                             *record_.error_l2, *record_.error_max);
    std::cout << formatted("seconds: setup %.3f, solve %.3f, output %.3f\n", record_.seconds.assembly,
                           record_.seconds.solve, record_.seconds.output);
  }

  void write_record() const {
    Report report;
    report.machine = describe_machine(residual_->jacobian().space() == SpaceKind::cuda, options_.device);
    report.command = options_.command_line;
    report.version = QUADRILLE_REVISION;
    report.date = utc_now();
    write_results(options_, to_json(report, std::vector<Json>{to_json(record_)}), to_csv(record_));
  }

  const Options& options_;
  const Pde& pde_;
  const bool first_;  // of the ranks
  const Progress progress_;
  const Clock::time_point start_ = Clock::now();
  std::shared_ptr<const GridLayout> layout_;
  ResidualProblem problem_;
  std::optional<GridResidual> residual_;
  std::optional<Vector> u_;
  std::optional<FieldWriter> out_;
  double written_s_ = -1, ended_s_ = 0;
  std::string time_method_, failure_;
  std::vector<FieldName> names_;
  std::optional<TimeSolver> solver_;
  Clock::time_point said_{}, saved_ = Clock::now();  // the last line of progress, the last checkpoint
  SolveRecord record_;
};

}  // namespace

int solve_residual(const Options& options) {
  return SolveResidual(options)();
}

}  // namespace quadrille
