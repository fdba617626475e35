// `quadrille bench NAME`: the papers' experiments. Runs one, writes what it measured and draws its figure.
#include "drivers/bench.hpp"

#include <algorithm>
#include <iostream>

#include "drivers/commands.hpp"
#include "drivers/support/atomic_file.hpp"
#include "drivers/support/bench_plot.hpp"
#include "drivers/support/format_run.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/session.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

// experiment_table() says what each is.
struct Experiment {
  const char* name;
  BenchResult (*run)(const Options&);
};
constexpr Experiment experiments[] = {{"dof-scaling", bench_dof_scaling}, {"bandwidth", bench_bandwidth}};

BenchResult run_experiment(const Options& options) {
  for (const Experiment& experiment : experiments)
    if (options.experiment == experiment.name) return experiment.run(options);
  throw InputError("the experiment " + options.experiment + " is not in this program");
}

BenchResult with_petsc(const Options& options) {
  const petsc::Session session(options.petsc_arguments);
  petsc::require_one_rank();
  BenchResult result = run_experiment(options);
  for (const std::string& name : petsc::unused_options())
    std::cerr << "quadrille: note: PETSc did not use the option " << name << "\n";
  return result;
}

Report report_of(const Options& options, BenchResult result) {
  Report report;
  const bool used_gpu = std::any_of(result.records.begin(), result.records.end(),
                                    [](const Record& r) { return r.space == "cuda"; });
  report.machine = describe_machine(used_gpu, options.device);
  report.command = options.command_line;
  report.version = QUADRILLE_REVISION;
  report.date = utc_now();
  report.ceilings = std::move(result.ceilings);
  report.records = std::move(result.records);
  return report;
}

// 1 where a product was wrong. Throws CudaError, MemoryError or FormatError where there was none.
int exit_code(const std::vector<Record>& records, bool out_of_memory) {
  if (records.empty())
    throw CudaError("the formats that were asked for run on a GPU, and this machine has none");
  const auto passed = [](const Record& r) { return r.error_over_bound && *r.error_over_bound <= 1; };
  if (std::any_of(records.begin(), records.end(), [&](const Record& r) { return r.checked && !passed(r); }))
    return 1;
  if (std::any_of(records.begin(), records.end(), passed)) return 0;
  if (out_of_memory) throw MemoryError("none of these operators was applied; " + records.front().skipped);
  throw FormatError("no format that was asked for can hold any of these operators; " +
                    records.front().skipped);
}

}  // namespace

int run_bench(const Options& options) {
  for (const std::string& path : {options.json, options.csv})
    if (!path.empty()) check_output_path(path);
  for (const char* extension : {".png", ".svg"})
    if (!options.plot.empty()) check_output_path(options.plot + extension);
  use_machine(options);
  BenchResult result = with_petsc(options);
  flush_standard_output();
  const bool out_of_memory = result.out_of_memory;
  const Report report = report_of(options, std::move(result));
  const std::string json = to_json(report);
  if (!options.json.empty()) write_text_file(options.json, json);
  if (!options.csv.empty()) write_text_file(options.csv, to_csv(report));
  const int code = exit_code(report.records, out_of_memory);
  if (!options.plot.empty()) draw_bench(json, options.plot);
  return code;
}

}  // namespace quadrille
