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
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <utility>

#include "assembly/pdes.hpp"
#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/field_file.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/format_choice.hpp"
#include "drivers/support/format_run.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/progress.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "drivers/support/solve_input.hpp"
#include "drivers/support/solve_record.hpp"
#include "grid/error.hpp"
#include "grid/partition.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/multigrid/pcmg.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "kernels/petsc/solve/format_choice.hpp"
#include "kernels/petsc/solve/krylov.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

// Solved with as PETSc's own matrix, a peer: MATAIJ, or MATAIJCUSPARSE where PETSc has CUDA and the machine a
// GPU.
constexpr const char* petscs_format = "petsc_aij";

// auto takes the GPU where PETSc's vectors can be there too, and otherwise the CPU where the format is there.
// Throws CudaError for a format that needs a GPU where there is none.
const FormatEntry& chosen_entry(const Options& options) {
  const bool prefer_gpu = petsc::has_cuda() && cuda::device_count() > 0;
  const bool petscs_own =
      options.formats.front() == petscs_format && (petsc::has_cuda() || options.space != "cuda");
  const FormatEntry* found = nullptr;
  for (const FormatEntry& entry : petsc::all_products()) {
    if (entry.name != options.formats.front() || !entry.make_fp64) continue;
    if (options.space != "auto" && options.space != to_string(entry.space) && !petscs_own) continue;
    if (!found || (prefer_gpu && entry.space == SpaceKind::cuda)) found = &entry;
  }
  if (found == nullptr)
    throw InputError("--format '" + options.formats.front() + "' does not run in --space " + options.space);
  if ((found->space == SpaceKind::cuda || options.space == "cuda") && cuda::device_count() == 0)
    throw CudaError("the format that was asked for runs on a GPU, and this machine has none");
  return *found;
}

SpaceKind space_of(const Options& options, const FormatEntry& entry) {
  const bool gpu = petsc::has_cuda() && cuda::device_count() > 0 && options.space != "cpu";
  return entry.name == petscs_format && gpu ? SpaceKind::cuda : entry.space;
}

Partition partition_of(const Grid& grid, const Boundary& boundary) {
  std::array<bool, 3> periodic{};
  for (int axis = 0; axis < grid.dimension; ++axis) periodic[axis] = boundary.periodic(axis);
  return make_partition(grid.extents, periodic, petsc::ranks(), petsc::rank());
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
        pde_(find_pde(options.pde)),
        first_(petsc::rank() == 0),
        progress_(options, first_) {
    if (options.formats.front() != "auto")
      take(chosen_entry(options));  // auto: by the operator, once it is there
  }

  int operator()() {
    together([&] { assemble(); });
    together([&] { solve(); });
    together([&] {
      if (!exact_.empty()) compare();
      stored_bytes_ = petsc::sum_over_ranks(petsc::stored_bytes(solved_.get()));
    });
    together([&] {
      progress_.say("");
      if (first_ && !options_.quiet) print();
    });
    each_of({[&] {
               if (result_.converged && !options_.output.empty()) write_fields();
             },
             [&] {
               record_.seconds.total = petsc::largest_over_ranks(seconds_since(start_));
               together([&] {
                 if (first_) write_record();
               });
             },
             [] { together(flush_standard_output); }});
    if (result_.converged) return all_well;
    if (first_)
      std::cerr << "quadrille: the solve did not converge: " << result_.reason << ", after "
                << result_.iterations << " iterations of " << result_.method << " with "
                << result_.preconditioner << ", at a residual of " << formatted("%.3g", result_.residual)
                << " of the right side's" << (options_.output.empty() ? "" : "; no fields are written")
                << "\n";
    return check_failed;
  }

 private:
  void take(const FormatEntry& entry) {
    entry_ = &entry;
    space_ = space_of(options_, entry);
  }

  bool as_aij() const { return entry_->name == petscs_format; }

  // Of a peer: what makes its coarser grids.
  petsc::GridFormat format() const {
    return {as_aij() ? "cds" : entry_->name, space_, options_.format_options};
  }

  // Among the formats that come straight from the grid and, where CSR would be smaller than each of these and
  // there is room for it, those that come from CSR. On the GPU where PETSc's vectors can be there too; by the
  // part of the first rank, for all of them.
  void choose(bool room_for_csr) {
    FormatInput<double> source;
    if (input_.on_device)
      source.device_hub = petsc::own_block_diagonals_on_device(matrix_.get());
    else
      source.hub = petsc::own_block_diagonals(matrix_.get());
    ChoiceWishes wishes = wishes_of(options_);
    const bool gpu = petsc::has_cuda() && cuda::device_count() > 0,
               measured = std::exchange(wishes.measure, false) | std::exchange(wishes.again, false);
    if (!wishes.space) wishes.space = gpu ? SpaceKind::cuda : SpaceKind::cpu;
    wishes.cpu = usual_cpu_model();
    FormatChoice choice;
    const auto choose_on_first = [&] {
      together([&] {
        if (!first_) return;
        progress_.say("choosing");
        choice = choose_format(source, wishes);
        progress_.say("");
      });
    };
    choose_on_first();
    const bool csr =
        room_for_csr && petsc::sum_over_ranks(std::int64_t{first_ && petsc::csr_is_smaller(choice)}) > 0;
    if (csr || measured) source.hub = petsc::own_block_diagonals(matrix_.get());
    if (csr) together([&] { source.csr = std::make_shared<const Csr<double>>(to_csr(*source.hub)); });
    if (measured) {
      wishes = wishes_of(options_);
      if (!wishes.space) wishes.space = gpu ? SpaceKind::cuda : SpaceKind::cpu;
    }
    if (csr || measured) choose_on_first();
    std::int64_t place = 0;  // in registry()
    if (first_) {
      if (!options_.quiet) print_choice(std::cout, choice);
      place = &choice.best() - registry().data();
    }
    take(registry()[static_cast<std::size_t>(petsc::sum_over_ranks(place))]);
  }

  // Where products and multigrid take the values from there.
  bool assembles_on_device() const {
    const bool on_gpu = entry_ != nullptr ? space_ == SpaceKind::cuda && is_the_hub(entry_->name)
                                          : petsc::has_cuda() && options_.space != "cpu";
    return on_gpu && petsc::ranks() == 1 && cuda::device_count() > 0;
  }

  void assemble() {
    progress_.say("assembling");
    const Clock::time_point start = Clock::now();
    together([&] { partition_ = partition_of(options_.grid, options_.boundary); });
    const bool by_choice = entry_ == nullptr, csr = by_choice ? room_for_csr() : needs_csr(*entry_);
    require_memory(csr);
    together([&] { input_ = pde_input(options_); });
    input_.on_device = assembles_on_device();
    petsc::GridRows rows;
    together([&] {
      PdePart part = assemble_pde(pde_.name, options_.grid, options_.points, options_.boundary, input_,
                                  own_box(partition_));
      input_.on_device = part.system.device_values.size() > 0;  // not every PDE can
      rhs_ = std::move(part.system.rhs);
      exact_ = std::move(part.exact);
      singular_ = part.singular;
      region_ = std::move(part.region);
      regions_ = part.regions;
      rows = {std::move(part.system.structure), std::move(part.system.values),
              std::move(part.system.device_values)};
    });
    together([&] { matrix_ = petsc::make_grid_matrix(partition_, std::move(rows)); });
    if (by_choice) {
      choose(csr);
    }
    together([&] { petsc::set_format(matrix_.get(), format()); });
    together(
        [&] { solved_ = as_aij() ? petsc::make_aij(matrix_.get(), space_ == SpaceKind::cuda) : matrix_; });
    record_.seconds.assembly = petsc::largest_over_ranks(seconds_since(start));
  }

  // About what multigrid adds to this rank's memory of the operator.
  std::int64_t multigrid_bytes(const BlockStructure& part, bool csr) const {
    const petsc::SolverDefaults defaults = petsc::solver_defaults(
        entry_ != nullptr && as_aij() ? petsc::Multigrid::by_petsc : petsc::Multigrid::by_operator);
    const petsc::Multigrid kind = petsc::multigrid_request(defaults.preconditioner).kind;
    if (kind == petsc::Multigrid::none) return 0;
    if (kind == petsc::Multigrid::by_operator)
      return space_ == SpaceKind::cuda ? 0 : grid_multigrid_bytes(part);
    // Smoothers, their estimate of eigenvalues and the cycle; weights; the coarser operators, which have the
    // whole box, and the format made from them.
    const std::int64_t box = 27, copies = csr ? 4 : 2;
    return checked_product(part.rows(), 8 * (24 + 8) + copies * 8 * box * part.dof / 7,
                           "the bytes of multigrid");
  }

  // Of this rank's part of the operator, with CSR where that is asked for and the format made from either,
  // and its vectors, those of CG among them.
  std::int64_t needed_bytes(bool csr) const {
    BlockStructure structure = block_structure(options_.grid, options_.points, options_.boundary,
                                               fill_of(pde_.discretisation, options_.grid.dof));
    structure.extents = own_box(partition_).size;
    const std::int64_t vectors = checked_product(structure.rows(), 12 * 8, "the vectors");
    std::int64_t bytes = 0, formatted = 0;
    if (csr)
      formatted = 2 * csr_bytes(structure.rows(), to_index32(most_non_zeros(structure), "non-zeros"), 8);
    if (!csr && entry_ != nullptr && !is_the_hub(entry_->name)) formatted = value_bytes(structure, 8);
    const std::int64_t levels = multigrid_bytes(structure, csr);
    if (__builtin_add_overflow(value_bytes(structure, 8), vectors, &bytes) ||
        __builtin_add_overflow(bytes, formatted, &bytes) || __builtin_add_overflow(bytes, levels, &bytes) ||
        __builtin_add_overflow(bytes, input_bytes(options_), &bytes))
      throw FormatError("the bytes of operator and vectors overflow 64 bits");
    return bytes;
  }

  // Whether every rank can hold its part with CSR.
  bool room_for_csr() const {
    std::int64_t bytes = -1;
    try {
      bytes = needed_bytes(true);
    } catch (const FormatError&) {
    }
    const std::int64_t together = petsc::sum_on_host(std::max<std::int64_t>(0, bytes));
    const bool fits = bytes >= 0 && together <= memory::available_host_bytes();
    return petsc::sum_over_ranks(std::int64_t{fits ? 0 : 1}) == 0;
  }

  // Before the first of it is made; of all ranks on this machine.
  void require_memory(bool csr) const {
    std::int64_t bytes = 0;
    together([&] { bytes = needed_bytes(csr); });
    memory::require_host(petsc::sum_on_host(bytes), petsc::ranks() > 1
                                                        ? "choose a smaller grid, fewer DoF or more machines"
                                                        : "choose a smaller grid or fewer DoF");
  }

  void solve() {
    progress_.say("setting up");
    const petsc::KrylovProblem krylov{solved_, singular_, !options_.petsc_arguments.empty(), matrix_,
                                      !options_.json.empty() || !options_.csv.empty()};
    Clock::time_point said{};
    result_ =
        petsc::krylov_solve(krylov, rhs_, solution_, [&](int iteration, double residual, double tolerance) {
          if (seconds_since(said) < 0.05) return;
          said = Clock::now();
          progress_.say("iteration " + std::to_string(iteration) + ", residual " +
                        formatted("%.2e, wanted %.0e", residual, tolerance));
        });
    remove_means(solution_);
    record_.pde = pde_.name;
    record_.space = to_string(space_);
    record_.format = entry_->name;
    record_.grid = to_string(options_.grid);
    record_.dof = options_.grid.dof;
    record_.ranks = petsc::ranks();
    record_.unknowns = options_.grid.rows();
    for (int axis = 0; axis < options_.grid.dimension; ++axis)
      record_.h = std::max(record_.h, options_.grid.spacing_m[axis]);
    record_.method = result_.method;
    record_.preconditioner = result_.preconditioner;
    record_.iterations = result_.iterations;
    record_.converged = result_.converged;
    record_.reason = result_.reason;
    record_.residual = result_.residual;
    record_.matmult_ms = result_.matmult_ms;
    record_.seconds.setup = result_.setup_s;
    record_.seconds.solve = result_.solve_s;
    record_multigrid();
  }

  // Ranks share the memory of a host: its stream is measured by one alone.
  void record_multigrid() {
    record_.multigrid = !result_.multigrid.empty();
    record_.cycle_ms = result_.cycle_ms;
    record_.setup_again_ms = result_.setup_again_ms;
    if (!result_.cycle_bytes || !result_.product_bytes) return;
    const std::int64_t bytes = *result_.cycle_bytes + *result_.product_bytes;
    record_.bytes_per_unknown_iteration =
        petsc::sum_over_ranks(static_cast<double>(bytes)) / static_cast<double>(record_.unknowns);
    if (record_.ranks > 1 || record_.iterations == 0) return;
    const double gbps =
        Ceilings(options_.device)
            .gbps(space_, petsc::own_product(matrix_.get())->traffic(), omp_get_max_threads());
    if (gbps > 0)
      record_.fraction_of_floor =
          static_cast<double>(bytes) / (gbps * 1e9) / (record_.seconds.solve / record_.iterations);
  }

  // Where they are all that is known.
  void remove_means(std::vector<double>& values) const {
    if (singular_ || regions_ > 0)
      quadrille::remove_means(values, options_.grid.dof, region_, singular_ ? 1 : regions_);
  }

  void compare() {
    remove_means(exact_);
    error_.resize(solution_.size());
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < solution_.size(); ++i) {
      error_[i] = solution_[i] - exact_[i];
      squares += error_[i] * error_[i];
      largest = std::max(largest, std::abs(error_[i]));
    }
    squares = petsc::sum_over_ranks(squares);
    largest = petsc::largest_over_ranks(largest);
    record_.error_l2 = std::sqrt(squares / static_cast<double>(options_.grid.rows()));
    record_.error_max = std::isnan(squares) ? squares : largest;
  }

  void print() const {
    std::cout << pde_.name << ", " << pde_.equation << ": " << record_.grid << ", DoF " << record_.dof << ", "
              << describe(options_.points) << ", boundary "
              << to_string(options_.boundary, options_.grid.dimension) << ": " << record_.unknowns
              << " unknowns\n"
              << entry_->name << " on " << record_.space
              << (record_.ranks > 1 ? ", " + std::to_string(record_.ranks) + " ranks" : "") << ", "
              << bytes_text(stored_bytes_) << ", " << formatted("%.3g", record_.matmult_ms)
              << " ms per product"
              << (space_ == SpaceKind::cuda && !petsc::has_cuda()
                      ? ", x copied to the GPU and y back at each, for this PETSc is without CUDA"
                      : "")
              << "\n";
    print_coefficient(std::cout, options_, input_);
    if (singular_)
      std::cout << "note: no face fixes a value; the right side's mean is taken off, and u has mean zero\n";
    if (!result_.multigrid.empty()) std::cout << "multigrid: " << result_.multigrid << "\n";
    if (record_.cycle_ms) print_cycle();
    std::cout << (result_.converged ? "converged" : "not converged") << " after " << result_.iterations
              << " iterations of " << result_.method << " with " << result_.preconditioner << ": "
              << result_.reason << "; |b - A x| / |b| " << formatted("%.3g", result_.residual) << "\n";
    if (result_.converged && result_.residual > 10 * result_.tolerance)
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
    std::cout << formatted("a cycle takes %.3g ms", *record_.cycle_ms);
    if (record_.bytes_per_unknown_iteration)
      std::cout << formatted("; with a product it moves %.0f bytes per unknown",
                             *record_.bytes_per_unknown_iteration);
    if (record_.fraction_of_floor)
      std::cout << formatted(", for which an iteration takes %.2g times the floor",
                             1 / *record_.fraction_of_floor);
    std::cout << "\n";
  }

  void write_fields() {
    const Clock::time_point start = Clock::now();
    const std::size_t count = exact_.empty() ? 2 : 4;
    together([&] {  // the fields, and the file that HDF5 lays out in memory
      if (petsc::ranks() > 1 && first_)
        memory::require_host(2 * static_cast<std::int64_t>(8 * count) * options_.grid.rows());
    });
    FieldStep step;
    together([&] {
      const auto add = [&](const char* name, const std::string& long_name, const std::string& unit,
                           std::vector<double>& values) {
        std::vector<double> all = petsc::gathered(std::move(values));
        if (first_ && petsc::ranks() > 1) all = in_grid_order(partition_, all, options_.grid.dof);
        step.fields.push_back({name, long_name, unit, std::move(all)});
      };
      add("solution", "u of " + pde_.equation, pde_.solution_units, solution_);
      add("right_side", "f and what constant faces add to it", pde_.source_units, rhs_);
      if (count == 2) return;
      add("exact", "the manufactured solution", pde_.solution_units, exact_);
      add("error", "solution - exact", pde_.solution_units, error_);
    });
    together([&] {
      if (!first_) return;
      FieldFile file;
      file.grid = options_.grid;
      file.options = options_.resolved;
      file.version = QUADRILLE_REVISION;
      file.steps.push_back(std::move(step));
      progress_.say("writing " + options_.output);
      write_field_file(options_.output, file);
      progress_.say("");
    });
    record_.seconds.output = petsc::largest_over_ranks(seconds_since(start));
  }

  void write_record() const {
    Report report;
    report.machine = describe_machine(space_ == SpaceKind::cuda, options_.device);
    report.command = options_.command_line;
    report.version = QUADRILLE_REVISION;
    report.date = utc_now();
    write_results(options_, to_json(report, std::vector<Json>{to_json(record_)}), to_csv(record_));
  }

  const Options& options_;
  const Pde& pde_;
  const bool first_;  // of the ranks
  const Progress progress_;
  const FormatEntry* entry_ = nullptr;  // auto: until the operator is there
  SpaceKind space_ = SpaceKind::cpu;
  const Clock::time_point start_ = Clock::now();
  Partition partition_;
  petsc::SharedMat matrix_;  // of the type quadrille
  petsc::SharedMat solved_;  // the same, or its copy as a peer
  // Of this rank's rows:
  std::vector<double> rhs_, exact_, solution_, error_;  // exact and error of a manufactured solution
  PdeInput input_;
  bool singular_ = false;
  std::vector<std::int32_t> region_;  // [node], as PdePart has it
  std::int64_t regions_ = 0;
  petsc::KrylovResult result_;
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
    use_machine(options, petsc::gpu_of_rank(options.device));
  });
  together([&] {
    petsc::register_matrix_type();
    code = Solve(options)();
  });
  if (petsc::rank() == 0)
    for (const std::string& name : petsc::unused_options())
      std::cerr << "quadrille: note: PETSc did not use the option " << name << "\n";
  return code;
}

}  // namespace quadrille
