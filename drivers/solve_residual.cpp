// `quadrille solve PDE` of a PDE that is nonlinear or changes in time (assembly/pdes.hpp): its residual and
// Jacobian at the nodes, PETSc's SNES and TS.
//
// On several ranks each has a box of the grid's nodes. All of them run everything here; rank 0 speaks and
// writes the files.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "assembly/pdes.hpp"
#include "drivers/commands.hpp"
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
    if (!options_.output.empty()) {
      std::vector<FieldName> names;
      for (const Unknown& unknown : unknowns_of(pde_, options_.grid.dimension))
        names.emplace_back(unknown.name, unknown.name + " of " + pde_.equation, unknown.unit);
      if (names.empty()) names.emplace_back("solution", "u of " + pde_.equation, pde_.solution_units);
      out_.emplace(options_.output, options_.grid, names, PETSC_COMM_WORLD,
                   FieldOrigin{options_.resolved, QUADRILLE_REVISION});
    }
    record_.seconds.assembly = petsc::largest_over_ranks(seconds_since(start));
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

  // With what unknowns without a rate are at first.
  void begin() {
    if (!problem_.at_first.evaluate) return;
    progress_.say("the state at first");
    residual_->use(problem_.at_first);
    NonlinearSolver(*residual_, problem_.at_first_options).solve(*u_).or_throw();
    residual_->use(problem_.residual);
  }

  // To the end, or from one output that is due to the next.
  void run() {
    begin();
    write(0);
    TimeSolver solver(*residual_, preset());
    Clock::time_point said{};
    const auto observe = [&](double t_s, const Vector&) {
      ++record_.steps;
      if (options_.output_steps > 0 && record_.steps % options_.output_steps == 0) write(t_s);
      if (seconds_since(said) < 0.05) return;
      said = Clock::now();
      progress_.say(formatted("step %d, %.6g s of %.6g s", record_.steps, t_s, options_.until_s));
    };
    TimeResult result;
    double t_s = 0, dt_s = options_.dt_s;
    for (int part = 1; t_s < options_.until_s; ++part) {
      const double end =
          options_.output_s > 0 ? std::min(part * options_.output_s, options_.until_s) : options_.until_s;
      const int before = record_.steps;
      result = solver.run(*u_, {.from_s = t_s, .until_s = end, .dt_s = dt_s, .fixed = options_.steps > 0},
                          observe);
      record_.steps = before + result.steps;
      record_.newton_iterations += result.newton_iterations;
      record_.iterations += result.krylov_iterations;
      t_s = result.t_s;
      if (!result.finished) break;
      dt_s = result.dt_s;
      write(t_s);
    }
    record_.converged = result.finished;
    record_.reason = result.reason;
    record_.residual = std::numeric_limits<double>::quiet_NaN();  // each step had its own
    ended_s_ = t_s;
    failure_ = formatted("the run ended at %.6g s of %.6g s, after %d steps: ", t_s, options_.until_s,
                         record_.steps) +
               result.reason;
    SNES snes = nullptr;
    if (TSGetSNES(solver.ts(), &snes) == 0) note_methods(snes);
    TSType type = nullptr;
    if (TSGetType(solver.ts(), &type) == 0) time_method_ = type;
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
    const std::int64_t vector = 8 * options_.grid.rows(), read = pde_.in_time() ? 2 * vector : vector,
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
  SolveRecord record_;
};

}  // namespace

int solve_residual(const Options& options) {
  return SolveResidual(options)();
}

}  // namespace quadrille
