// `quadrille solve PDE` of a PDE that is nonlinear or changes in time (assembly/pdes.hpp): its residual and
// Jacobian at the nodes, PETSc's SNES and TS.
//
// On several ranks each has a box of the grid's nodes. All of them run everything here; rank 0 speaks and
// writes the files.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/residual_run.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "drivers/support/solve_input.hpp"
#include "grid/error.hpp"
#include "kernels/cpu/stream.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

class SolveResidual {
 public:
  explicit SolveResidual(const Options& options) : run_(options) {}

  int operator()() {
    together([&] { make(); });
    const Clock::time_point start = Clock::now();
    together([&] { in_time() ? run_in_time(run_) : solve(); });
    run_.record.seconds.solve = petsc::largest_over_ranks(seconds_since(start)) - run_.record.seconds.output;
    together([&] { finish(); });
    together([&] {
      run_.progress.say("");
      if (run_.first && !run_.options.quiet) print();
    });
    run_.record.seconds.total = petsc::largest_over_ranks(seconds_since(run_.start));
    each_of({[&] {
               together([&] {
                 if (run_.first) write_record();
               });
             },
             [] { together(flush_standard_output); }});
    const bool at_end = in_time() && run_.record.steps == run_.steps_before;  // no solver was made
    if (run_.first && !at_end) note_unused_options();
    if (run_.record.converged) return all_well;
    if (run_.first) std::cerr << "quadrille: " << run_.failure << "\n";
    return check_failed;
  }

 private:
  bool in_time() const { return run_.pde.in_time() && !run_.options.steady; }

  static constexpr const char* advice = "choose a smaller grid or fewer DoF";

  // Of the Jacobian and its multigrid, of a Krylov method, with 30 directions unless it is CG, and of the
  // steps. Where unknowns are preconditioned apart: of a Jacobian near it and of the parts, too; where few
  // rows are all of it, and multigrid is of these, of neither.
  struct Needs {
    int jacobians = 0, vectors = 0;
    bool on_gpu = false;
  };

  // Whatever the residual turns out to be: asked before it, and what it begins with, is made.
  Needs least_needs() const {
    const bool on_gpu = cuda::device_count() > 0 &&
                        petsc::space_of(petsc::with_options(run_.operator_options())) == SpaceKind::cuda;
    return {on_gpu ? 0 : most_jacobians(), 20, on_gpu};
  }

  Needs needs() const {
    const AnyResidual& residual = run_.problem.residual;
    const OperatorOptions wish = petsc::with_options(run_.operator_options());
    const bool on_gpu = residual.differentiate_on_device && least_needs().on_gpu,
               few = on_gpu && residual.tested && residual.rows_by_blocks && petsc::ranks() == 1 &&
                     (wish.format == "auto" || takes_few_rows(wish.format));
    return {few ? 0 : most_jacobians(), residual.linear && residual.symmetric ? 20 : 50, on_gpu};
  }

  int most_jacobians() const { return run_.pde.preconditions_apart ? 3 : 2; }

  void require_memory(const Needs& needs) const {
    std::int64_t bytes = 0, at_first = 0;
    together([&] {
      BlockStructure part = block_structure(run_.options.grid, run_.options.points, run_.options.boundary);
      part.extents = run_.layout->box().size;
      const auto vectors = [&](int count) { return checked_product(part.rows(), 8 * count, "the vectors"); };
      std::int64_t values = 0;
      if (__builtin_mul_overflow(needs.jacobians, value_bytes(part, 8), &values) ||
          __builtin_add_overflow(values, vectors(needs.vectors), &bytes) ||
          __builtin_add_overflow(bytes, input_bytes(run_.options), &bytes))
        throw FormatError("the bytes of Jacobian and vectors overflow 64 bits");
      at_first = vectors(2);
      if (needs.on_gpu) memory::require_device(bytes);
    });
    memory::require_host(petsc::sum_on_host(needs.on_gpu ? at_first : bytes), advice);
  }

  void make() {
    run_.progress.say("setting up");
    const Clock::time_point start = Clock::now();
    run_.layout = share_grid(PETSC_COMM_WORLD, run_.options.grid, run_.options.boundary);
    require_memory(least_needs());
    PdeInput& input = run_.input;
    together([&] { input = pde_input(run_.options); });
    input.steady = run_.options.steady;
    input.without_source = !run_.options.source.empty();
    run_.problem = residual_of_pde(find_pde(run_.options.pde), run_.options.grid, run_.options.points,
                                   run_.options.boundary, input, run_.layout->box());
    if (!run_.problem.no_solution.empty()) throw InputError(run_.problem.no_solution);
    require_memory(needs());
    if (!run_.options.initial.empty()) {
      run_.problem.initial = initial_values(run_.options, run_.layout->box());
      run_.problem.initial_note.clear();
    }
    run_.residual.emplace(run_.grid_residual(run_.problem.residual, run_.problem.near));
    if (input.without_source) {
      together([&] { run_.source_in_time = source_in_time(run_.options); });
      if (run_.source_in_time) {
        run_.residual->subtract([this](double t_s, Vector& source) { run_.write_source_at(t_s, source); });
      } else {
        Vector steady = run_.residual->vector();
        run_.write_source_at(0, steady);
        run_.residual->subtract(std::move(steady));
      }
    }
    run_.u.emplace(run_.residual->vector());
    run_.u->assign(run_.problem.initial);
    for (const Unknown& unknown : unknowns_of(run_.pde, run_.options.grid.dimension))
      run_.names.emplace_back(unknown.name, unknown.name + " of " + run_.pde.equation, unknown.unit);
    if (run_.names.empty())
      run_.names.emplace_back("solution", "u of " + run_.pde.equation, run_.pde.solution_units);
    if (!run_.options.output.empty())
      run_.out.emplace(run_.options.output, run_.options.grid, run_.names, PETSC_COMM_WORLD,
                       FieldOrigin{run_.options.resolved, QUADRILLE_REVISION});
    if (!run_.options.probes.empty()) {
      run_.probes.emplace(run_.options, run_.names, *run_.u);
      run_.tell(run_.probes->description());
    }
    run_.record.seconds.assembly = petsc::largest_over_ranks(seconds_since(start));
  }

  void solve() {
    run_.progress.say("Newton's iterations");
    run_.newton.emplace(*run_.residual, run_.preset());
    const NonlinearResult result = run_.newton->solve(*run_.u);
    run_.count(result);
    run_.record.converged = result.converged;
    run_.record.reason = result.reason;
    run_.record.iterations = result.krylov_iterations;
    run_.record.newton_iterations = result.newton_iterations;
    run_.record.residual = result.residual;
    run_.note_methods(run_.newton->snes());
    run_.failure = result.failure();
    if (!result.converged) return;
    run_.write(0);
    run_.probe(0);
  }

  // What the record tells beside, and the error of a known solution.
  void finish() {
    run_.record.pde = run_.options.pde;
    run_.record.parameters = run_.options.parameters;
    run_.record.parameter_fields = run_.options.parameter_fields;
    run_.record.space = to_string(run_.residual->jacobian().space());
    run_.record.format = run_.residual->jacobian().format();
    run_.record.value_error = petsc::value_error(run_.residual->jacobian().mat());
    run_.record.halo = petsc::halo_path(run_.residual->jacobian().space() == SpaceKind::cuda);
    run_.record.grid = to_string(run_.options.grid);
    run_.record.dof = run_.options.grid.dof;
    run_.record.ranks = petsc::ranks();
    run_.record.unknowns = run_.options.grid.rows();
    run_.record.nonlinear = true;
    run_.record.in_time = in_time();
    for (int axis = 0; axis < run_.options.grid.dimension; ++axis)
      run_.record.h = std::max(run_.record.h, run_.options.grid.spacing_m[axis]);
    if (const int made = run_.record.steps - run_.steps_before; made > 0)
      run_.record.ms_per_step = 1e3 * run_.record.seconds.solve / made;
    measure();
    if (!run_.problem.exact) return;
    const std::vector<double> exact = run_.problem.exact(run_.ended_s), u = run_.u->numbers();
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      squares += (u[i] - exact[i]) * (u[i] - exact[i]);
      largest = std::max(largest, std::abs(u[i] - exact[i]));
    }
    squares = petsc::sum_over_ranks(squares);
    run_.record.error_l2 = std::sqrt(squares / static_cast<double>(run_.options.grid.rows()));
    run_.record.error_max = std::isnan(squares) ? squares : petsc::largest_over_ranks(largest);
  }

  // Milliseconds of work, the median of a few; on a GPU of several that are queued, as steps queue them.
  template <class Work>
  double measure_ms(const Work& work) const {
    const bool on_gpu = run_.residual->jacobian().space() == SpaceKind::cuda;
    const int queued = on_gpu ? 10 : 1;
    std::array<double, 5> ms{};
    for (double& one : ms) {
      if (on_gpu) cuda::synchronize();
      const Clock::time_point start = Clock::now();
      for (int i = 0; i < queued; ++i) work();
      if (on_gpu) cuda::synchronize();
      one = 1e3 * petsc::largest_over_ranks(seconds_since(start)) / queued;
    }
    std::nth_element(ms.begin(), ms.begin() + 2, ms.end());
    return ms[2];
  }

  // Of the last linear solve, of the Jacobian's product, and of the residual and the Jacobian themselves.
  void measure() {
    const bool recorded = !run_.options.json.empty() || !run_.options.csv.empty();
    petsc::KrylovTimes krylov;
    if (run_.in_time) krylov = run_.in_time->measure(*run_.u, recorded);
    if (run_.newton) krylov = run_.newton->measure(*run_.u, recorded);
    run_.in_time.reset(), run_.newton.reset();  // with their vectors
    if (!run_.multigrid.empty()) note_multigrid(run_.record, krylov);
    Vector y = run_.residual->vector();
    const Vector rate = run_.residual->vector();
    run_.record.matmult_ms = measure_ms([&] { run_.residual->jacobian().multiply(*run_.u, y); });
    run_.record.residual_ms = measure_ms([&] { run_.residual->evaluate(run_.ended_s, *run_.u, rate, y); });
    run_.record.jacobian_ms =
        measure_ms([&] { run_.residual->differentiate(run_.ended_s, *run_.u, rate, 1); });
    const bool on_gpu = run_.residual->jacobian().space() == SpaceKind::cuda;
    if (on_gpu && run_.record.ranks > 1) return;
    BlockStructure part = block_structure(run_.options.grid, run_.options.points, run_.options.boundary,
                                          run_.problem.residual.fill);
    part.extents = run_.layout->box().size;
    const std::int64_t vector = 8 * part.rows(), read = in_time() ? 2 * vector : vector,
                       values = 8 * most_non_zeros(part);
    run_.record.residual_fraction_of_floor = of_floor(on_gpu, read, vector, run_.record.residual_ms);
    run_.record.jacobian_fraction_of_floor = of_floor(on_gpu, vector, values, run_.record.jacobian_ms);
    if (run_.record.ranks > 1 || !krylov.product_bytes || !krylov.cycle_bytes || run_.made.iterations == 0)
      return;
    const std::int64_t stored = petsc::stored_bytes(run_.residual->jacobian().mat()),
                       of_iteration = *krylov.product_bytes + *krylov.cycle_bytes;
    const auto per_iteration = [&](std::int64_t bytes) { return bytes / run_.made.iterations; };
    run_.record.fraction_of_floor = of_floor(
        on_gpu, of_iteration + per_iteration(run_.made.residuals * read + run_.made.jacobians * vector),
        per_iteration(run_.made.residuals * vector + run_.made.jacobians * stored),
        1e3 * run_.record.seconds.solve / static_cast<double>(run_.made.iterations));
  }

  // The time of a stream of so many bytes, over this one, by a part of the bytes, which is as fast; on CPUs
  // of all ranks at once, the slowest one's. What stays in the cache may be faster than the stream: there is
  // no floor to compare with.
  std::optional<double> of_floor(bool on_gpu, std::int64_t reads, std::int64_t writes, double ms) const {
    const double most_bytes = on_gpu ? 1 << 30 : 1 << 27;
    const auto bytes = static_cast<double>(reads + writes);
    const double part = std::min(1.0, most_bytes / bytes);
    const auto of = [part](std::int64_t all) {
      return static_cast<std::int64_t>(part * static_cast<double>(all));
    };
    const double gbps = on_gpu ? cuda::stream_speed(of(reads), of(writes), 10).best_gbps
                               : cpu::stream_gbps(of(reads), of(writes), omp_get_max_threads(), 5),
                 fraction = petsc::largest_over_ranks(1e-6 * bytes / gbps) / ms;
    if (fraction > 1) return {};
    return fraction;
  }

  void print() const {
    std::cout << run_.pde.name << ", " << run_.pde.equation << ": " << run_.record.grid << ", DoF "
              << run_.record.dof << ", spacing " << formatted("%.4g", run_.options.grid.spacing_m[0])
              << " m, boundary " << to_string(run_.options.boundary, run_.options.grid.dimension) << ": "
              << run_.record.unknowns << " unknowns\n"
              << "Jacobian: " << run_.record.format << " on " << run_.record.space
              << (run_.record.ranks > 1 ? ", " + std::to_string(run_.record.ranks) + " ranks" : "") << ", "
              << times_text(run_.record)
              << (run_.record.method.empty()
                      ? ""
                      : "; " + run_.record.method + " with " + run_.record.preconditioner)
              << "\n";
    if (!run_.multigrid.empty()) std::cout << "multigrid: " << run_.multigrid << "\n";
    if (run_.record.cycle_ms) std::cout << cycle_text(run_.record) << "\n";
    print_coefficient(std::cout, run_.options, run_.input);
    print_parameters(std::cout, run_.options, run_.input);
    if (!run_.problem.note.empty()) std::cout << run_.problem.note << "\n";
    if (run_.record.in_time)
      std::cout << (run_.record.converged ? "done: " : "not finished: ")
                << formatted("%d steps%s to %.6g s", run_.record.steps,
                             run_.time_method.empty() ? "" : (" of " + run_.time_method).c_str(),
                             run_.ended_s)
                << (run_.record.ms_per_step ? formatted(", %.3g ms each", *run_.record.ms_per_step) : "");
    else
      std::cout << (run_.record.converged ? "converged" : "not converged")
                << formatted(": |F| %.3g", run_.record.residual);
    std::cout << ", " << run_.record.newton_iterations << " Newton and " << run_.record.iterations
              << " Krylov iterations: " << run_.record.reason << "\n";
    std::cout << rounding_note(run_.record);
    if (run_.record.error_l2 && (run_.record.converged || run_.record.steps > 0))
      std::cout << formatted("error against the exact solution: root mean square %.4g, largest %.4g\n",
                             *run_.record.error_l2, *run_.record.error_max);
    std::cout << formatted("seconds: setup %.3f, solve %.3f, output %.3f", run_.record.seconds.assembly,
                           run_.record.seconds.solve, run_.record.seconds.output)
              << (run_.record.fraction_of_floor
                      ? formatted("; the solve takes %.2g times the floor of what it must move",
                                  1 / *run_.record.fraction_of_floor)
                      : "")
              << "\n";
  }

  void write_record() const {
    Report report;
    report.machine =
        describe_machine(run_.residual->jacobian().space() == SpaceKind::cuda, run_.options.device);
    report.command = run_.options.command_line;
    report.version = QUADRILLE_REVISION;
    report.date = utc_now();
    write_results(run_.options, to_json(report, std::vector<Json>{to_json(run_.record)}),
                  to_csv(run_.record));
  }

  ResidualRun run_;
};

}  // namespace

int solve_residual(const Options& options) {
  return SolveResidual(options)();
}

}  // namespace quadrille
