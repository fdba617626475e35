// `quadrille bench NAME`: the papers' experiments. Runs one, writes what it measured and draws its figure.
#include "drivers/bench.hpp"

#include <algorithm>
#include <iostream>

#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/format_run.hpp"
#include "drivers/support/python_script.hpp"
#include "drivers/support/result_files.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

// experiment_table() says what each is.
struct Experiment {
  const char* name;
  BenchResult (*run)(const Options&);
};
constexpr Experiment experiments[] = {{"dof-scaling", bench_dof_scaling},
                                      {"bandwidth", bench_bandwidth},
                                      {"matrices", bench_matrices},
                                      {"ellr-t", bench_ellr_t},
                                      {"cmrs", bench_cmrs},
                                      {"rgcsr", bench_rgcsr},
                                      {"transpose", bench_transpose},
                                      {"auto", bench_auto}};

BenchResult run_experiment(const Options& options) {
  for (const Experiment& experiment : experiments)
    if (options.experiment == experiment.name) return experiment.run(options);
  throw InputError("the experiment " + options.experiment + " is not in this program");
}

BenchResult with_petsc(const Options& options) {
  const petsc::Session session(options.petsc_arguments);
  petsc::require_one_rank();
  BenchResult result = run_experiment(options);
  note_unused_options();
  return result;
}

Report report_of(const Options& options, BenchResult& result) {
  Report report;
  const bool used_gpu = std::any_of(result.records.begin(), result.records.end(),
                                    [](const Record& r) { return r.space == "cuda"; });
  report.machine = describe_machine(used_gpu, options.device);
  report.command = options.command_line;
  report.version = QUADRILLE_REVISION;
  report.date = utc_now();
  report.ceilings = std::move(result.ceilings);
  report.records = std::move(result.records);
  report.summary = std::move(result.summary);
  report.tables = std::move(result.tables);
  return report;
}

bool passed(const Record& record) {
  return record.error_over_bound && *record.error_over_bound <= 1;
}

// Whether a product was wrong. Throws InputError, CudaError, MemoryError or FormatError where there was none.
bool any_wrong(const std::vector<Record>& records, const BenchResult& result) {
  if (records.empty())
    throw CudaError("the formats that were asked for run on a GPU, and this machine has none");
  if (std::any_of(records.begin(), records.end(), [](const Record& r) { return r.checked && !passed(r); }))
    return true;
  if (std::any_of(records.begin(), records.end(), passed)) return false;
  if (!result.bad_input.empty()) throw InputError(result.bad_input.front());
  if (result.out_of_memory)
    throw MemoryError("none of these operators was applied; " + records.front().skipped);
  throw FormatError("none of these operators was applied in a format that was asked for; " +
                    records.front().skipped);
}

// Each operator once, though it was tried in both precisions.
void require_good_input(std::vector<std::string> reasons) {
  std::sort(reasons.begin(), reasons.end());
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
  if (!reasons.empty())
    throw InputError(std::to_string(reasons.size()) +
                     (reasons.size() == 1 ? " operator was" : " operators were") +
                     " left out: " + reasons.front() + (reasons.size() > 1 ? "; ..." : ""));
}

}  // namespace

int run_bench(const Options& options) {
  check_result_paths(options);
  check_figure_paths(options.plot);
  use_machine(options);
  BenchResult result = with_petsc(options);
  const Report report = report_of(options, result);
  const std::string json = to_json(report);
  bool wrong = false;
  each_of({[&] { write_results(options, json, to_csv(report)); },
           [&] {
             wrong = any_wrong(report.records, result);
             if (!options.plot.empty()) draw_figure("plot_bench.py", json, options.plot);
           },
           flush_standard_output});
  if (wrong) return 1;
  require_good_input(result.bad_input);
  return 0;
}

}  // namespace quadrille
