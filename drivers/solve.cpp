// `quadrille solve PDE`: a steady PDE on a grid (assembly/pdes.hpp), assembled into one format and solved by
// PETSc.
//
// Faces: value:X is u = X one spacing beyond the last node, clamp is no flux half a spacing beyond it,
// periodic wraps (assembly/pde/laplacian.hpp). Where no face fixes a value, u is known but for a constant:
// the one of mean zero is found.
//
// On several ranks each has a box of the grid's nodes (grid/partition.hpp). All of them run everything here;
// rank 0 speaks and writes the files.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "assembly/pdes.hpp"
#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/field_file.hpp"
#include "drivers/probe.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/format_run.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/options_pdes.hpp"
#include "drivers/support/progress.hpp"
#include "drivers/support/python_script.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "drivers/support/solve_input.hpp"
#include "drivers/support/solve_record.hpp"
#include "drivers/support/solve_text.hpp"
#include "grid/error.hpp"
#include "grid/partition.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/multigrid/pcmg.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "quadrille/grid_operator.hpp"
#include "quadrille/solver.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

// Solved with as PETSc's own matrix, a peer: MATAIJ, or MATAIJCUSPARSE where PETSc has CUDA and the machine a
// GPU.
constexpr const char* petscs_format = "petsc_aij";

// What the options ask for. PETSc's own matrix is a copy of one in CDS, which its coarser grids are made
// from.
OperatorOptions wish_of(const Options& options) {
  const std::string& format = options.formats.front();
  const petsc::Multigrid kind =
      petsc::multigrid_request(petsc::solver_defaults(petsc::Multigrid::by_operator).preconditioner).kind;
  return {.format = format == petscs_format ? "cds" : format,
          .space = options.space,
          .options = options.format_options,
          .measure = options.tune,
          .again = options.retune,
          .products = kind != petsc::Multigrid::none ? 20 : 0,  // with what comes before them
          .device = options.device,
          .version = QUADRILLE_REVISION};
}

// The one that is named, or nothing: auto, by the operator once it is there. Throws CudaError for a GPU where
// there is none.
std::optional<petsc::GridFormat> format_of(const OperatorOptions& of_program) {
  const OperatorOptions wish = petsc::with_options(of_program);
  if (wish.format == "auto") return {};
  petsc::GridFormat format = petsc::named_format(wish);
  if (!has_format(format.name, format.space) || !find_format(format.name, format.space).make_fp64)
    throw InputError((wish.format == of_program.format ? "--format '" : "-mat_quadrille_format '") +
                     wish.format + "' does not run in --space " + wish.space);
  return format;
}

// Takes the mean of each unknown off, over the nodes of all ranks or, where nodes are said to be in `regions`
// regions, over each of these; those of none (-1) stay.
void remove_means(std::vector<double>& values, int dof, const std::vector<std::int32_t>& region,
                  std::int64_t regions) {
  const auto region_of = [&](std::size_t row) { return region.empty() ? 0 : region[row / dof]; };
  std::vector<double> sum(static_cast<std::size_t>(regions * (dof + 1)), 0.0);  // and, last, the nodes
  for (std::size_t i = 0; i < values.size(); ++i)
    if (region_of(i) >= 0) {
      sum[region_of(i) * (dof + 1) + i % dof] += values[i];
      if (i % dof == 0) ++sum[region_of(i) * (dof + 1) + dof];
    }
  petsc::sum_over_ranks(sum);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (region_of(i) >= 0)
      values[i] -= sum[region_of(i) * (dof + 1) + i % dof] / sum[region_of(i) * (dof + 1) + dof];
}

class Solve {
 public:
  explicit Solve(const Options& options)
      : options_(options),
        pde_(pde_of(options)),
        as_aij_(options.formats.front() == petscs_format),
        first_(petsc::rank() == 0),
        progress_(options, first_),
        wish_(wish_of(options)),
        named_(format_of(wish_)) {}

  int operator()() {
    together([&] { assemble(); });
    together([&] { solve(); });
    together([&] {
      if (!exact_.empty()) compare();
      stored_bytes_ = petsc::sum_over_ranks(solver_->stored_bytes());
    });
    together([&] {
      progress_.say("");
      if (first_ && !options_.quiet) print();
    });
    each_of({[&] {
               if (result_.converged && !options_.output.empty()) write_fields();
             },
             [&] {
               if (result_.converged && !options_.probes.empty()) together([&] { write_probes(); });
             },
             [&] {
               record_.seconds.total = petsc::largest_over_ranks(seconds_since(start_));
               together([&] {
                 if (first_) write_record();
               });
             },
             [] { together(flush_standard_output); }});
    if (first_) note_unused_options();
    if (first_ && result_.converged && !result_.advice.empty())
      std::cerr << "quadrille: note: " << result_.advice << "\n";
    if (result_.converged) return all_well;
    if (first_)
      std::cerr << "quadrille: the solve did not converge: " << result_.reason << ", after "
                << result_.iterations << " iterations of " << result_.method << " with "
                << result_.preconditioner << ", at a residual of " << formatted("%.3g", result_.residual)
                << " of the right side's" << (options_.output.empty() ? "" : "; no fields are written")
                << (result_.advice.empty() ? "" : "; " + result_.advice) << "\n";
    return check_failed;
  }

 private:
  // Where products and multigrid take the values from there.
  bool assembles_on_device() const {
    const bool on_gpu = named_ ? named_->space == SpaceKind::cuda && is_made_on_gpu(named_->name)
                               : petsc::space_of(wish_) == SpaceKind::cuda;
    return on_gpu && cuda::device_count() > 0;
  }

  void assemble() {
    progress_.say("assembling");
    const Clock::time_point start = Clock::now();
    together([&] { layout_ = share_grid(PETSC_COMM_WORLD, options_.grid, options_.boundary); });
    require_memory();
    PdePart part;
    together([&] {
      input_ = pde_input(options_);
      input_.on_device = assembles_on_device();
      part = assemble_pde(options_.pde, options_.grid, options_.points, options_.boundary, input_,
                          layout_->box());
      exact_ = std::move(part.exact);
      singular_ = part.singular;
      region_ = std::move(part.region);
      regions_ = part.regions;
    });
    AssembledBox<double>& system = part.system;
    together([&] {
      operator_.emplace(layout_, options_.points, options_.boundary,
                        petsc::GridRows{std::move(system.structure), std::move(system.values),
                                        std::move(system.device_values), std::move(system.few_rows)},
                        wish_);
    });
    together([&] {
      rhs_.emplace(operator_->vector());
      if (!part.rhs_everywhere.empty())
        rhs_->set(part.rhs_everywhere);
      else
        rhs_->assign(system.rhs);
      if (singular_) rhs_->remove_means();
      solution_.emplace(operator_->vector());
    });
    if (first_ && !options_.quiet) {
      progress_.say("");
      std::cout << operator_->why_this_format();
    }
    record_.seconds.assembly = petsc::largest_over_ranks(seconds_since(start));
  }

  // About what multigrid adds to this rank's memory of the operator.
  std::int64_t multigrid_bytes(const BlockStructure& part, bool csr) const {
    const petsc::SolverDefaults defaults =
        petsc::solver_defaults(as_aij_ ? petsc::Multigrid::by_petsc : petsc::Multigrid::by_operator);
    const petsc::Multigrid kind = petsc::multigrid_request(defaults.preconditioner).kind;
    if (kind == petsc::Multigrid::none) return 0;
    if (kind == petsc::Multigrid::by_operator)
      return named_ && named_->space == SpaceKind::cuda ? 0 : grid_multigrid_bytes(part);
    // Smoothers, their estimate of eigenvalues and the cycle; weights; the coarser operators, which have the
    // whole box, and the format made from them.
    const std::int64_t box = 27, copies = csr ? 4 : 2;
    return checked_product(part.rows(), 8 * (24 + 8) + copies * 8 * box * part.dof / 7,
                           "the bytes of multigrid");
  }

  // Whether a few rows are all that is made of the operator.
  bool by_few_rows() const {
    return assembles_on_device() && pde_.uniform && options_.parameter_fields.empty() &&
           options_.points.radius == 1 && petsc::ranks() == 1 && (!named_ || takes_few_rows(named_->name));
  }

  // Of this rank's part of the operator, with CSR where the format that is named is made from it or is
  // PETSc's, and its vectors, those of CG among them.
  std::int64_t needed_bytes() const {
    BlockStructure structure = block_structure(options_.grid, options_.points, options_.boundary,
                                               fill_of(pde_.discretisation, options_.grid.dof));
    structure.extents = layout_->box().size;
    structure.fill.constants = by_few_rows();
    const std::int64_t vectors = checked_product(structure.rows(), 12 * 8, "the vectors");
    const bool csr = as_aij_ || (named_ && needs_csr(find_format(named_->name, named_->space)));
    std::int64_t bytes = 0, formatted = 0;
    const std::int64_t values = by_few_rows() ? 0 : value_bytes(structure, 8);
    if (csr)
      formatted = 2 * csr_bytes(structure.rows(), to_index32(most_non_zeros(structure), "non-zeros"), 8);
    else if (named_ && !is_the_hub(named_->name))
      formatted = values;
    const std::int64_t levels = multigrid_bytes(structure, csr);
    if (__builtin_add_overflow(values, vectors, &bytes) || __builtin_add_overflow(bytes, formatted, &bytes) ||
        __builtin_add_overflow(bytes, levels, &bytes) ||
        __builtin_add_overflow(bytes, input_bytes(options_), &bytes))
      throw FormatError("the bytes of operator and vectors overflow 64 bits");
    return bytes;
  }

  // Before the first of it is made: of this rank's GPU, or of all ranks on this machine.
  void require_memory() const {
    std::int64_t bytes = 0;
    together([&] {
      bytes = needed_bytes();
      if (assembles_on_device()) memory::require_device(bytes);
    });
    if (assembles_on_device()) return;
    memory::require_host(petsc::sum_on_host(bytes), petsc::ranks() > 1
                                                        ? "choose a smaller grid, fewer DoF or more machines"
                                                        : "choose a smaller grid or fewer DoF");
  }

  // PETSc's, to be corrected; empty where none are given.
  std::string where_options_are() const {
    if (!options_.petsc_arguments.empty()) return "what follows the bare --";
    const char* const all = std::getenv("PETSC_OPTIONS");
    return all != nullptr && all[0] != 0 ? "PETSC_OPTIONS" : "";
  }

  void solve() {
    progress_.say("setting up");
    const Clock::time_point start = Clock::now();
    Clock::time_point said{};
    solver_.emplace(
        *operator_,
        SolverSettings{.constants_are_null = singular_,
                       .petscs_matrix = as_aij_,
                       .options_are = where_options_are(),
                       .monitor = [this, said](int iteration, double residual, double tolerance) mutable {
                         if (record_.history) {
                           record_.history->iteration.push_back(iteration);
                           record_.history->residual.push_back(residual);
                           record_.history->seconds.push_back(seconds_since(solve_start_));
                         }
                         if (seconds_since(said) < 0.05) return;
                         said = Clock::now();
                         progress_.say("iteration " + std::to_string(iteration) + ", residual " +
                                       formatted("%.2e, wanted %.0e", residual, tolerance));
                       }});
    record_.seconds.setup = petsc::largest_over_ranks(seconds_since(start));
    if (!options_.plot.empty()) record_.history.emplace();
    solve_start_ = Clock::now();
    result_ = solver_->solve(*rhs_, *solution_);
    result_ = solver_->confirmed(std::move(result_), *rhs_, *solution_);
    const bool recorded = !options_.json.empty() || !options_.csv.empty();
    const petsc::KrylovTimes times = solver_->measure(*rhs_, *solution_, recorded);
    record_.pde = options_.pde;
    record_.parameters = options_.parameters;
    record_.parameter_fields = options_.parameter_fields;
    record_.space = to_string(operator_->space());
    record_.format = format_name();
    record_.grid = to_string(options_.grid);
    record_.dof = options_.grid.dof;
    record_.ranks = petsc::ranks();
    record_.halo = petsc::halo_path(operator_->space() == SpaceKind::cuda);
    record_.unknowns = options_.grid.rows();
    for (int axis = 0; axis < options_.grid.dimension; ++axis)
      record_.h = std::max(record_.h, options_.grid.spacing_m[axis]);
    record_.method = result_.method;
    record_.preconditioner = result_.preconditioner;
    record_.iterations = result_.iterations;
    record_.converged = result_.converged;
    record_.reason = result_.reason;
    record_.residual = result_.residual;
    record_.matmult_ms = times.matmult_ms;
    record_.value_error = as_aij_ ? 0 : petsc::value_error(operator_->mat());
    record_.seconds.solve = result_.solve_s;
    record_multigrid(times);
  }

  std::string format_name() const { return as_aij_ ? petscs_format : operator_->format(); }

  // Ranks share the memory of a host: its stream is measured by one alone.
  void record_multigrid(const petsc::KrylovTimes& times) {
    if (result_.multigrid.empty()) return;
    note_multigrid(record_, times);
    if (record_.ranks > 1 || record_.iterations == 0 || !record_.bytes_per_unknown_iteration) return;
    const std::int64_t bytes = *times.cycle_bytes + *times.product_bytes;
    const double gbps =
        Ceilings(options_.device)
            .gbps(operator_->space(), petsc::own_product(operator_->mat())->traffic(), omp_get_max_threads());
    const double fraction =
        static_cast<double>(bytes) / (gbps * 1e9) / (record_.seconds.solve / record_.iterations);
    // Above 1 the stream was the slower one, for other work had its cores: there is no floor to compare with.
    if (gbps > 0 && fraction <= 1) record_.fraction_of_floor = fraction;
  }

  // Where they are all that is known.
  void remove_means(std::vector<double>& values) const {
    if (singular_ || regions_ > 0)
      quadrille::remove_means(values, options_.grid.dof, region_, singular_ ? 1 : regions_);
  }

  void compare() {
    remove_means(exact_);
    std::vector<double> error = solution();
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < error.size(); ++i) {
      error[i] -= exact_[i];
      squares += error[i] * error[i];
      largest = std::max(largest, std::abs(error[i]));
    }
    squares = petsc::sum_over_ranks(squares);
    largest = petsc::largest_over_ranks(largest);
    record_.error_l2 = std::sqrt(squares / static_cast<double>(options_.grid.rows()));
    record_.error_max = std::isnan(squares) ? squares : largest;
  }

  std::vector<double> solution() const {
    std::vector<double> values = solution_->numbers();
    remove_means(values);
    return values;
  }

  void print() const {
    std::cout << pde_.name << ", " << pde_.equation << ": " << record_.grid << ", DoF " << record_.dof << ", "
              << describe(options_.points) << ", boundary "
              << to_string(options_.boundary, options_.grid.dimension) << ": " << record_.unknowns
              << " unknowns\n"
              << format_name() << " on " << record_.space
              << (record_.ranks > 1 ? ", " + std::to_string(record_.ranks) + " ranks" : "") << ", "
              << bytes_text(stored_bytes_) << ", " << formatted("%.3g", record_.matmult_ms)
              << " ms per product"
              << (operator_->space() == SpaceKind::cuda && !petsc::has_cuda()
                      ? ", x copied to the GPU and y back at each, for this PETSc is without CUDA"
                      : "")
              << "\n";
    print_coefficient(std::cout, options_, input_);
    print_parameters(std::cout, options_, input_);
    if (singular_)
      std::cout << "note: no face fixes a value; the right side's mean is taken off, and u has mean zero\n";
    if (!result_.multigrid.empty()) std::cout << "multigrid: " << result_.multigrid << "\n";
    if (record_.cycle_ms) print_cycle();
    std::cout << (result_.converged ? "converged" : "not converged") << " after " << result_.iterations
              << " iterations of " << result_.method << " with " << result_.preconditioner << ": "
              << result_.reason << "; |b - A x| / |b| " << formatted("%.3g", result_.residual) << "\n";
    std::cout << rounding_note(record_);
    if (result_.converged && result_.residual > 10 * result_.tolerance && record_.value_error == 0)
      std::cout << formatted(
          "note: that is above the tolerance of %.0e: what PETSc tests follows b - A x by recurrences, from "
          "which rounding leads away, and is the preconditioned residual where the options make it so\n",
          result_.tolerance);
    if (const int order = order_of(pde_, options_.grid, options_.points, options_.boundary);
        order < pde_.order)
      std::cout << "note: a star this wide closes with order " << order << " at faces that are not periodic; "
                << (pde_.discretisation.box > 0 ? "the box, or " : "") << "radius 1, has order " << pde_.order
                << "\n";
    if (record_.error_l2)
      std::cout << formatted("error against the exact solution: root mean square %.4g, largest %.4g\n",
                             *record_.error_l2, *record_.error_max);
    std::cout << formatted("seconds: assembly %.3f, setup %.3f, solve %.3f\n", record_.seconds.assembly,
                           record_.seconds.setup, record_.seconds.solve);
  }

  void print_cycle() const {
    std::cout << cycle_text(record_);
    if (record_.fraction_of_floor)
      std::cout << formatted(", for which an iteration takes %.2g times the floor",
                             1 / *record_.fraction_of_floor);
    std::cout << "\n";
  }

  // Every rank its part.
  void write_fields() {
    const Clock::time_point start = Clock::now();
    FieldFile file;
    file.grid = options_.grid;
    file.options = options_.resolved;
    file.version = QUADRILLE_REVISION;
    if (petsc::ranks() > 1) {
      file.ranks = {MPI_COMM_WORLD};
      file.part = layout_->box();
    }
    FieldStep& step = file.steps.emplace_back();
    together([&] {
      const auto add = [&](const char* name, const std::string& long_name, const std::string& unit,
                           std::vector<double> values) {
        step.fields.push_back({name, long_name, unit, std::move(values)});
      };
      add("solution", "u of " + pde_.equation, pde_.solution_units, solution());
      add("right_side", "f and what constant faces add to it", pde_.source_units, rhs_->numbers());
      if (exact_.empty()) return;
      std::vector<double> error = solution();
      for (std::size_t i = 0; i < error.size(); ++i) error[i] -= exact_[i];
      add("exact", "the manufactured solution", pde_.solution_units, exact_);
      add("error", "solution - exact", pde_.solution_units, std::move(error));
    });
    progress_.say("writing " + options_.output);
    together([&] { write_field_file(options_.output, file); });
    progress_.say("");
    record_.seconds.output = petsc::largest_over_ranks(seconds_since(start));
  }

  void write_probes() const {
    Vector u = *solution_;
    u.assign(solution());
    ProbeFile probes(options_, {{"solution", "", pde_.solution_units}}, u);
    probes.write(0, 0, u);
    if (first_ && !options_.quiet) std::cout << probes.description() << "\n";
  }

  void write_record() const {
    Report report;
    report.machine = describe_machine(operator_->space() == SpaceKind::cuda, options_.device);
    report.command = options_.command_line;
    report.version = QUADRILLE_REVISION;
    report.date = utc_now();
    const std::string json = to_json(report, std::vector<Json>{to_json(record_)});
    each_of({[&] { write_results(options_, json, to_csv(record_)); },
             [&] {
               if (!options_.plot.empty()) draw_figure("plot_solve.py", json, options_.plot);
             }});
  }

  const Options& options_;
  const Pde& pde_;
  const bool as_aij_;  // solved with as PETSc's own matrix, a peer
  const bool first_;   // of the ranks
  const Progress progress_;
  const OperatorOptions wish_;
  const std::optional<petsc::GridFormat> named_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point solve_start_{};
  std::shared_ptr<const GridLayout> layout_;
  std::optional<GridOperator> operator_;
  std::optional<Vector> rhs_, solution_;
  std::optional<Solver> solver_;
  std::vector<double> exact_;  // of this rank's rows, of a manufactured solution
  PdeInput input_;
  bool singular_ = false;
  std::vector<std::int32_t> region_;  // [node], as PdePart has it
  std::int64_t regions_ = 0;
  SolveResult result_;
  std::int64_t stored_bytes_ = 0;  // of all ranks
  SolveRecord record_;
};

}  // namespace

int run_solve(const Options& options) {
  const petsc::Session session(options.petsc_arguments, options.space == "cpu" ? 0 : options.device);
  int code = all_well;
  together([&] {
    if (petsc::rank() == 0 && !options.output.empty()) check_field_path(options.output);
    if (petsc::rank() == 0) check_result_paths(options);
    if (petsc::rank() == 0) check_figure_paths(options.plot);
  });
  together([&] { use_machine(options, petsc::gpu_of_rank(options.device)); });
  together([&] {
    petsc::register_matrix_type();
    code = find_pde(options.pde).residual != nullptr ? solve_residual(options) : Solve(options)();
  });
  return code;
}

}  // namespace quadrille
