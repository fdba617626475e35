// `quadrille spmv`: assemble or read an operator, emit its formats, apply each, check it against PETSc, time
// it, and write the fields.
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>

#include "drivers/commands.hpp"
#include "drivers/support/atomic_file.hpp"
#include "drivers/support/field_file.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/operator_source.hpp"
#include "drivers/support/report.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/petsc/reference.hpp"
#include "kernels/petsc/session.hpp"

namespace quadrille {
namespace {

// A line that is rewritten in place, on a terminal only.
class Progress {
 public:
  explicit Progress(const Options& options)
      : shown_(options.progress && !options.quiet && isatty(STDERR_FILENO)) {}
  ~Progress() { say(""); }
  void say(const std::string& text) const {
    if (shown_) std::cerr << "\r\033[K" << text << std::flush;
  }

 private:
  bool shown_;
};

bool wanted(const Options& options, const FormatEntry& entry) {
  const bool named =
      options.formats.front() == "all" || options.formats.front() == "auto" ||
      std::find(options.formats.begin(), options.formats.end(), entry.name) != options.formats.end();
  const bool here = options.space == "auto" || entry.peer || options.space == to_string(entry.space);
  const bool offered = options.precision == Precision::fp64 ? bool(entry.make_fp64) : bool(entry.make_fp32);
  return named && here && offered && (entry.space == SpaceKind::cpu || !cuda::devices().empty());
}

template <class T>
class Run {
 public:
  explicit Run(const Options& options) : options_(options), progress_(options) {}

  int operator()() {
    progress_.say("assembling");
    operator_ = load_operator<T>(options_);
    const Csr<T>& csr = *operator_.source.csr;
    x_ = input_vector<T>(options_, csr.columns);
    progress_.say("PETSc's reference");
    reference_ = make_reference(csr);
    result_.assign(static_cast<std::size_t>(csr.rows), std::numeric_limits<T>::quiet_NaN());

    std::vector<const FormatEntry*> entries;
    for (const FormatEntry& entry : registry())
      if (wanted(options_, entry)) entries.push_back(&entry);
    if (options_.formats.front() == "auto") entries = {choose(entries)};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      progress_.say(std::to_string(i + 1) + "/" + std::to_string(entries.size()) + " " + entries[i]->name +
                    " on " + to_string(entries[i]->space));
      report_.records.push_back(measure(*entries[i]));
    }
    progress_.say("");
    return finish();
  }

 private:
  std::unique_ptr<petsc::Reference> make_reference(const Csr<T>& csr) {
    const std::vector<double> x(x_.begin(), x_.end());
    if constexpr (std::is_same_v<T, double>)
      return std::make_unique<petsc::Reference>(csr, x.data());
    else
      return std::make_unique<petsc::Reference>(cast<double>(csr), x.data());
  }

  Record describe(const FormatEntry& entry) const {
    const Csr<T>& csr = *operator_.source.csr;
    Record record;
    record.space = to_string(entry.space);
    record.device = entry.space == SpaceKind::cuda ? "gpu " + std::to_string(options_.device)
                    : entry.peer                   ? "cpu, 1 thread"  // PETSc's own parallelism is MPI
                                 : "cpu, " + std::to_string(omp_get_max_threads()) + " threads";
    record.format = entry.name;
    record.precision = sizeof(T) == 8 ? "fp64" : "fp32";
    record.operator_name = operator_.name;
    if (operator_.source.hub) {
      record.grid = to_string(options_.grid);
      record.stencil = operator_.stencil;
      record.boundary = operator_.boundary;
      record.dof = options_.grid.dof;
    }
    record.rows = csr.rows;
    record.nnz = csr.nnz();
    return record;
  }

  // The format with the fewest compulsory bytes: a product is bound by memory.
  const FormatEntry* choose(const std::vector<const FormatEntry*>& entries) {
    const FormatEntry* best = nullptr;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const bool gpu = std::any_of(entries.begin(), entries.end(),
                                 [](const FormatEntry* e) { return e->space == SpaceKind::cuda; });
    for (const FormatEntry* entry : entries) {
      if (entry->peer || (gpu && entry->space == SpaceKind::cpu)) continue;
      progress_.say("sizing " + entry->name);
      try {
        const std::int64_t bytes =
            entry->make<T>()(operator_.source, options_.format_options)->traffic().compulsory_bytes();
        if (bytes < least) least = bytes, best = entry;
      } catch (const FormatError&) {
      }
    }
    progress_.say("");
    if (!options_.quiet)
      std::cout << "auto: " << best->name << " on " << to_string(best->space)
                << ", the fewest bytes per product (" << bytes_text(least) << ")\n";
    return best;
  }

  Record measure(const FormatEntry& entry) {
    Record record = describe(entry);
    try {
      const auto start = std::chrono::steady_clock::now();
      const auto op = entry.make<T>()(operator_.source, options_.format_options);
      if (entry.space == SpaceKind::cuda) cuda::synchronize();
      record.convert_ms =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      check(*op, record);
      time(*op, record);
    } catch (const FormatError& error) {
      record.skipped = error.what();
    } catch (const MemoryError& error) {
      record.skipped = error.what();
    }
    return record;
  }

  void check(const SpmvOperator<T>& op, Record& record) {
    std::vector<T> y(static_cast<std::size_t>(op.rows()), std::numeric_limits<T>::quiet_NaN());
    host_apply(op, x_, y);
    const petsc::CheckResult check = reference_->compare(y.data());
    record.checked = true;
    record.error_over_bound = check.error_over_bound;
    if (!(check.error_over_bound <= 1)) {
      failed_ = true;
      std::cerr << "quadrille: " << record.format << " on " << record.space << " is wrong in row "
                << check.worst_row << ": " << check.y << ", but PETSc says " << check.y_ref << "\n";
    } else if (!have_result_) {
      result_ = std::move(y);
      have_result_ = true;
    }
  }

  void time(const SpmvOperator<T>& op, Record& record) {
    Timing timing;
    if (op.space() == SpaceKind::cpu) {
      Array<T> y(op.rows());
      timing = time_products(op, x_.data(), y.data(), options_.repetitions);
    } else {
      const auto start = std::chrono::steady_clock::now();
      Array<T, Device> x(op.columns()), y(op.rows());
      memory::copy_to_device(x.data(), x_.data(), x.bytes());
      record.upload_ms =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      timing = time_products(op, x.data(), y.data(), options_.repetitions);
    }
    const Traffic traffic = op.traffic();
    record.stored_bytes = traffic.stored_bytes;
    record.compulsory_bytes = traffic.compulsory_bytes();
    record.ms_median = timing.median_ms;
    record.ms_min = timing.min_ms;
    record.ms_max = timing.max_ms;
    record.repetitions = options_.repetitions;
    record.gflops = 2e-6 * static_cast<double>(record.nnz) / timing.median_ms;
    record.gbps = 1e-6 * static_cast<double>(record.compulsory_bytes) / timing.median_ms;
    record.ceiling_gbps = ceilings_.gbps(op.space(), traffic);
    record.fraction_of_floor = record.ceiling_gbps > 0 ? record.gbps / record.ceiling_gbps : 0;
    record.in_cache = record.compulsory_bytes <= last_cache_bytes(op.space(), options_.device);
  }

  int finish() {
    const bool used_gpu = std::any_of(report_.records.begin(), report_.records.end(),
                                      [](const Record& r) { return r.space == "cuda"; });
    report_.machine = describe_machine(used_gpu, options_.device);
    report_.command = options_.command_line;
    report_.version = QUADRILLE_VERSION;
    report_.date = utc_now();
    report_.ceilings = ceilings_.all();
    if (!options_.quiet) print();
    if (!options_.output.empty() && have_result_) write_fields();
    if (!options_.json.empty()) write_text_file(options_.json, to_json(report_));
    if (!options_.csv.empty()) write_text_file(options_.csv, to_csv(report_));
    if (failed_) return 1;
    if (!have_result_)
      throw FormatError("no format that was asked for can hold this operator" + first_reason());
    return 0;
  }

  std::string first_reason() const {
    for (const Record& record : report_.records)
      if (!record.skipped.empty()) return "; " + record.format + ": " + record.skipped;
    return "";
  }

  void print() const {
    for (const std::string& remark : operator_.remarks) std::cout << "note: " << remark << "\n";
    if (reference_->non_finite_rows() > 0)
      std::cout << "note: " << reference_->non_finite_rows() << " rows of A x are NaN or Inf\n";
    print_table(std::cout, report_);
  }

  void write_fields() const {
    FieldFile file;
    file.grid = options_.grid;
    file.options = options_.resolved;
    file.version = QUADRILLE_VERSION;
    FieldStep step;
    step.fields.push_back({"input", "x of y = A x", "1", {x_.begin(), x_.end()}});
    step.fields.push_back(
        {"result", "y = A x, A the " + operator_.name + " operator", "1", {result_.begin(), result_.end()}});
    if (std::any_of(operator_.rhs.begin(), operator_.rhs.end(), [](double v) { return v != 0; }))
      step.fields.push_back({"boundary_rhs", "right-hand side from constant faces", "1", operator_.rhs});
    file.steps.push_back(std::move(step));
    progress_.say("writing " + options_.output);
    write_field_file(options_.output, file);
    progress_.say("");
  }

  const Options& options_;
  Progress progress_;
  OperatorSource<T> operator_;
  std::vector<T> x_, result_;
  std::unique_ptr<petsc::Reference> reference_;
  Ceilings ceilings_;
  Report report_;
  bool failed_ = false, have_result_ = false;
};

}  // namespace

int run_spmv(const Options& options) {
  if (!options.output.empty()) {
    if (!options.matrix.empty())
      throw InputError("--output needs a grid; a matrix file has no nodes to place a field on");
    check_field_path(options.output);
  }
  for (const std::string& path : {options.json, options.csv})
    if (!path.empty()) check_output_path(path);
  if (options.threads > 0) omp_set_num_threads(options.threads);
  if (options.space == "cuda") cuda::use_device(options.device);
  const petsc::Session session(options.petsc_arguments);
  if (petsc::ranks() > 1) throw InputError("quadrille spmv runs as one process: start it without mpirun");
  const int code = options.precision == Precision::fp64 ? Run<double>(options)() : Run<float>(options)();
  for (const std::string& name : petsc::unused_options())
    std::cerr << "quadrille: note: PETSc did not use the option " << name << "\n";
  return code;
}

}  // namespace quadrille
