// `quadrille spmv`: assemble or read an operator, emit its formats, apply each, check it against PETSc, time
// it, and write the fields.
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <new>

#include "assembly/operators.hpp"
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
#include "revision.hpp"

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

// The peer on the CPU runs beside the formats of any space.
bool wanted(const Options& options, const FormatEntry& entry) {
  const bool here = options.space == "auto" || options.space == to_string(entry.space) ||
                    (entry.peer && entry.space == SpaceKind::cpu);
  const bool offered = options.precision == Precision::fp64 ? bool(entry.make_fp64) : bool(entry.make_fp32);
  return is_named(options, entry) && here && offered &&
         (entry.space == SpaceKind::cpu || cuda::device_count() > 0);
}

// What PETSc's product runs on: its own parallelism is MPI.
int threads_of(const FormatEntry& entry) {
  return entry.peer ? 1 : omp_get_max_threads();
}

template <class T>
class Run {
 public:
  explicit Run(const Options& options) : options_(options), progress_(options) {}

  int operator()() {
    progress_.say("assembling");
    operator_ = load_operator<T>(options_);
    const Csr<T>& csr = *operator_.source.csr;
    memory::require_host((csr.columns + csr.rows) * static_cast<std::int64_t>(2 * sizeof(T) + 24));
    x_ = input_vector<T>(options_, csr.columns);
    progress_.say("PETSc's reference");
    reference_ = make_reference(csr);
    result_.assign(static_cast<std::size_t>(csr.rows), std::numeric_limits<T>::quiet_NaN());

    std::vector<const FormatEntry*> entries;
    for (const FormatEntry& entry : registry())
      if (wanted(options_, entry)) entries.push_back(&entry);
    if (entries.empty())
      throw CudaError("the formats that were asked for run on a GPU, and this machine has none");
    if (options_.formats.front() == "auto") {
      const FormatEntry* const best = choose(entries);
      if (best == nullptr) throw FormatError("no format can hold this operator here");
      entries = {best};
    }
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
    if constexpr (std::is_same_v<T, double>) {
      return std::make_unique<petsc::Reference>(csr, x_.data());
    } else {
      const std::vector<double> x(x_.begin(), x_.end());
      return std::make_unique<petsc::Reference>(cast<double>(csr), x.data(), std::numeric_limits<T>::max());
    }
  }

  // The format with the fewest compulsory bytes, since a product is bound by memory: on the GPU where one holds the
  // operator there. Null when none can.
  const FormatEntry* choose(const std::vector<const FormatEntry*>& entries) {
    const FormatEntry* best = nullptr;
    std::int64_t least = 0;
    for (const FormatEntry* entry : entries) {
      if (entry->peer) continue;
      progress_.say("sizing " + entry->name);
      try {
        const std::int64_t bytes =
            entry->make<T>()(operator_.source, options_.format_options)->traffic().compulsory_bytes();
        const bool nearer =
            best == nullptr || (entry->space == SpaceKind::cuda && best->space == SpaceKind::cpu);
        if (nearer || (entry->space == best->space && bytes < least)) least = bytes, best = entry;
      } catch (const FormatError&) {
      } catch (const MemoryError&) {
      }
    }
    progress_.say("");
    if (best != nullptr && !options_.quiet)
      std::cout << "auto: " << best->name << " on " << to_string(best->space)
                << ", the fewest bytes per product (" << bytes_text(least) << ")\n";
    return best;
  }

  // Whatever one format cannot do is a sentence in its record; the others go on.
  Record measure(const FormatEntry& entry) {
    Record record = record_of(options_, operator_, entry);
    if (entry.space == SpaceKind::cpu)
      record.device +=
          threads_of(entry) == 1 ? ", 1 thread" : ", " + std::to_string(threads_of(entry)) + " threads";
    try {
      const double uploaded = memory::upload_seconds();
      const auto start = std::chrono::steady_clock::now();
      const auto op = entry.make<T>()(operator_.source, options_.format_options);
      const double ms =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      record.upload_ms = 1e3 * (memory::upload_seconds() - uploaded);
      record.convert_ms = ms - record.upload_ms;
      check(*op, record);
      time(*op, threads_of(entry), record);
    } catch (const FormatError& error) {
      record.skipped = error.what();
    } catch (const MemoryError& error) {
      record.skipped = record.format + ": " + error.what();
      out_of_memory_ = true;
    } catch (const std::bad_alloc&) {
      record.skipped = record.format + ": not enough memory";
      out_of_memory_ = true;
    } catch (const CudaError& error) {
      if (options_.space == "cuda") throw;
      record.skipped = record.format + ": " + error.what();
      machine_failed_ = true;
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
      progress_.say("");
      std::cerr << "quadrille: " << record.format << " on " << record.space << " is wrong in row "
                << check.worst_row << ": " << check.y << ", but PETSc says " << check.y_ref << "\n";
    } else if (!have_result_) {
      result_ = std::move(y);
      have_result_ = true;
    }
  }

  void time(const SpmvOperator<T>& op, int threads, Record& record) {
    Timing timing;
    if (op.space() == SpaceKind::cpu) {
      Array<T> y(op.rows());
      timing = time_products(op, x_.data(), y.data(), options_.repetitions);
    } else {
      Array<T, Device> x(op.columns()), y(op.rows());
      memory::copy_to_device(x.data(), x_.data(), x.bytes());
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
    record.ceiling_gbps = ceilings_.gbps(op.space(), traffic, threads);
    if (record.gbps > record.ceiling_gbps)  // something else had slowed the stream down
      record.ceiling_gbps = ceilings_.again(op.space(), traffic, threads);
    record.fraction_of_floor = record.ceiling_gbps > 0 ? record.gbps / record.ceiling_gbps : 0;
    record.in_cache = record.compulsory_bytes <= last_cache_bytes(op.space(), options_.device);
  }

  int finish() {
    const bool used_gpu = std::any_of(report_.records.begin(), report_.records.end(),
                                      [](const Record& r) { return r.space == "cuda"; });
    report_.machine = describe_machine(used_gpu, options_.device);
    report_.command = options_.command_line;
    report_.version = QUADRILLE_REVISION;
    report_.date = utc_now();
    report_.ceilings = ceilings_.all();
    if (!options_.quiet) print();
    flush_standard_output();
    if (!options_.output.empty() && have_result_) write_fields();
    if (!options_.json.empty()) write_text_file(options_.json, to_json(report_));
    if (!options_.csv.empty()) write_text_file(options_.csv, to_csv(report_));
    if (failed_) return 1;
    if (!have_result_)
      throw FormatError("no format that was asked for can hold this operator" + first_reason());
    return 0;
  }

  // What the machine could not do, or the operator cannot be: the first refusal.
  std::string first_reason() const {
    for (const Record& record : report_.records)
      if (!record.skipped.empty()) return "; " + record.skipped;
    return "";
  }

  void print() const {
    for (const std::string& remark : operator_.remarks) std::cout << "note: " << remark << "\n";
    char seconds[64];
    std::snprintf(seconds, sizeof seconds, "%.3f s, CSR of it in %.3f s", operator_.load_seconds,
                  operator_.csr_seconds);
    if (operator_.source.hub) std::cout << "assembled in " << seconds << "\n";
    if (reference_->non_finite_rows() > 0)
      std::cout << "note: " << reference_->non_finite_rows() << " rows of A x are NaN or Inf\n";
    print_table(std::cout, report_);
  }

  void write_fields() const {
    FieldFile file;
    file.grid = options_.grid;
    file.options = options_.resolved;
    file.version = QUADRILLE_REVISION;
    FieldStep step;
    step.fields.push_back({"input", "x of y = A x", "1", {x_.begin(), x_.end()}});
    step.fields.push_back({"result",
                           "y = A x, A = " + operator_title(operator_.name),
                           operator_.units,
                           {result_.begin(), result_.end()}});
    if (std::any_of(operator_.rhs.begin(), operator_.rhs.end(), [](double v) { return v != 0; }))
      step.fields.push_back(
          {"boundary_rhs", "right-hand side from constant faces", operator_.units, operator_.rhs});
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
  Ceilings ceilings_{options_.device};
  Report report_;
  bool failed_ = false, machine_failed_ = false, out_of_memory_ = false, have_result_ = false;
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
  if (options.space == "cuda" || (options.space == "auto" && cuda::device_count() > 0))
    cuda::use_device(options.device);
  const petsc::Session session(options.petsc_arguments);
  petsc::require_one_rank();
  const int code = options.precision == Precision::fp64 ? Run<double>(options)() : Run<float>(options)();
  for (const std::string& name : petsc::unused_options())
    std::cerr << "quadrille: note: PETSc did not use the option " << name << "\n";
  return code;
}

}  // namespace quadrille
