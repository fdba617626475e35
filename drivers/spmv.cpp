// `quadrille spmv`: assemble or read an operator, emit its formats, apply each, check it against PETSc, time
// it, and write the fields.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "assembly/operators.hpp"
#include "drivers/commands.hpp"
#include "drivers/fields/field_file.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/format_choice.hpp"
#include "drivers/support/format_run.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "drivers/support/solve_text.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/product.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

template <class T>
class Run {
 public:
  explicit Run(const Options& options) : options_(options), progress_(options) {}

  int operator()() {
    const std::vector<const FormatEntry*> entries = wanted_entries(options_);
    if (options_.formats.front() == "auto") {
      measure_chosen();
      return finish();
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      progress_.say(std::to_string(i + 1) + "/" + std::to_string(entries.size()) + " " + entries[i]->name +
                    " on " + to_string(entries[i]->space));
      report_.records.push_back(formats_.measure(*entries[i]));
    }
    return finish();
  }

 private:
  // --format auto: the best, or the first of the others that can be made here.
  void measure_chosen() {
    progress_.say("choosing");
    const FormatChoice choice = choose_format<T>(
        formats_.loaded().source, wishes_of(options_), &formats_.loaded().structure, &formats_.x(),
        [this](const T* y) { return formats_.reference().compare(y).error_over_bound; });
    progress_.say("");
    if (!options_.quiet) print_choice(std::cout, choice);
    for (const FormatEntry* entry : choice.entries) {
      progress_.say(entry->name + " on " + to_string(entry->space));
      report_.records.push_back(formats_.measure(*entry));
      if (report_.records.back().skipped.empty()) break;
    }
  }

  int finish() {
    progress_.say("");
    const bool used_gpu = std::any_of(report_.records.begin(), report_.records.end(),
                                      [](const Record& r) { return r.space == "cuda"; });
    report_.machine = describe_machine(used_gpu, options_.device);
    report_.command = options_.command_line;
    report_.version = QUADRILLE_REVISION;
    report_.date = utc_now();
    report_.ceilings = ceilings_.all();
    if (!options_.quiet) print();
    each_of({[&] { write_results(options_, to_json(report_), to_csv(report_)); },
             [&] {
               if (!options_.output.empty() && formats_.any_passed()) write_fields();
             },
             flush_standard_output});
    if (formats_.any_failed()) return 1;
    if (!formats_.any_passed())
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
    const OperatorSource<T>& op = formats_.loaded();
    for (const std::string& remark : op.remarks) std::cout << "note: " << remark << "\n";
    char text[64];
    if (op.source.hub) {
      std::snprintf(text, sizeof text, "assembled in %.3f s", op.load_seconds);
      std::cout << text;
      std::snprintf(text, sizeof text, ", CSR of it in %.3f s", op.csr_seconds);
      std::cout << (op.source.csr ? text : "") << "\n";
    }
    if (!op.source.csr) std::cout << "note: no CSR; checked " << formats_.reference().rows_checked() << "\n";
    if (formats_.reference().non_finite_rows() > 0)
      std::cout << "note: " << formats_.reference().non_finite_rows() << " numbers of "
                << to_string(options_.product) << " are NaN or Inf\n";
    const ValuePrecision values = options_.format_options.value_precision;
    const double value_error = rounding_of(values, sizeof(T));
    if (value_error > 0)
      std::cout << "note: values of cds and compact are stored in " << to_string(values)
                << ", and a row may be off by " << formatted("%.1e", value_error)
                << " (|A||x|)_i beside the rounding of its sum\n";
    print_table(std::cout, report_);
  }

  // Of several vectors a field each, with the number of the vector at the end of its name.
  void add_vectors(FieldStep& step, const std::string& name, const std::string& long_name,
                   const std::string& units, const std::vector<T>& values) const {
    const auto count = static_cast<std::size_t>(options_.product.vectors);
    const std::size_t size = values.size() / count;
    for (std::size_t k = 0; k < count; ++k) {
      const std::string number = std::to_string(k);
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * size);
      step.fields.push_back({count == 1 ? name : name + "_" + number,
                             count == 1 ? long_name : long_name + ", vector " + number,
                             units,
                             {begin, begin + static_cast<std::ptrdiff_t>(size)}});
    }
  }

  void write_fields() const {
    const OperatorSource<T>& op = formats_.loaded();
    const bool transposed = options_.product.transposed;
    const std::string title = op.on_grid() ? operator_title(op.name) : op.name;
    FieldFile file;
    file.grid = options_.grid;
    if (!op.on_grid()) file.matrix = MatrixSize{op.rows, op.columns};
    file.options = options_.resolved;
    file.version = QUADRILLE_REVISION;
    FieldStep step;
    const std::string product = transposed ? "y = A^T x" : "y = A x";
    add_vectors(step, "input", "x of " + product, "1", formats_.x());
    add_vectors(step, "result", product + ", A = " + title, op.units, formats_.result());
    if (!transposed && std::any_of(op.rhs.begin(), op.rhs.end(), [](double v) { return v != 0; }))
      step.fields.push_back({"boundary_rhs", "right-hand side from constant faces", op.units, op.rhs});
    file.steps.push_back(std::move(step));
    progress_.say("writing " + options_.output);
    write_field_file(options_.output, file);
    progress_.say("");
  }

  const Options& options_;
  Progress progress_;
  Ceilings ceilings_{options_.device};
  FormatRun<T> formats_{options_, ceilings_, progress_};
  Report report_;
};

}  // namespace

int run_spmv(const Options& options) {
  if (!options.output.empty()) check_field_path(options.output);
  check_result_paths(options);
  use_machine(options);
  if (wanted_entries(options).empty())
    throw CudaError("the formats that were asked for run on a GPU, and this machine has none");
  const petsc::Session session(options.petsc_arguments);
  petsc::require_one_rank();
  const int code = options.precision == Precision::fp64 ? Run<double>(options)() : Run<float>(options)();
  note_unused_options();
  return code;
}

}  // namespace quadrille
