// `quadrille plot FILE.h5`: a field that the program wrote as a picture, or its steps as a film.
//
// The drawing is that of plot_field.py (drivers/support), which chooses what is not asked for and says what
// it drew as a line of JSON.
#include <iostream>

#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/support/cells.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/python_script.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "drivers/support/solve_text.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

// Each value behind a =, so that one with a dash in front is no option.
std::vector<std::string> arguments_of(const Options& options) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) arguments.push_back(std::string("--") + name + "=" + value);
  };
  add("field", options.field);
  add("slice", options.slice);
  add("step", options.step ? std::to_string(*options.step) : "");
  add("out", options.out);
  if (options.movie) arguments.emplace_back("--movie");
  arguments.insert(arguments.end(), {"--", options.file});
  return arguments;
}

std::string sentence(const Json& drawn) {
  const auto text = [&](const char* name) { return drawn.at(name).get<std::string>(); };
  const auto number = [&](const char* name) { return drawn.at(name).get<double>(); };
  const int steps = drawn.at("steps").get<int>(), step = drawn.at("step").get<int>();
  return text("out") + ": " + text("field") + " of " + text("file") +
         (drawn.at("slice").is_null() ? "" : ", " + text("slice") + " m") + ", " +
         (steps > 1 ? std::to_string(steps) + " steps to" : "step " + std::to_string(step) + " at") +
         formatted(" %.6g s, from %.4g to %.4g", number("time_s"), number("smallest"), number("largest")) +
         (text("units") == "1" ? "" : " " + text("units"));
}

std::string csv_of(const Json& record) {
  std::vector<std::string> names, values;
  for (const auto& [name, value] : record.items()) {
    names.push_back(name);
    values.push_back(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump());
  }
  return csv_line(names) + csv_line(values);
}

}  // namespace

int run_plot(const Options& options) {
  check_result_paths(options);
  if (!options.out.empty()) check_output_path(options.out);
  const PythonScript script{"plot_field.py", "plot",
                            "matplotlib and h5py; install Debian's python3-matplotlib and python3-h5py"};
  const Json drawn = Json::parse(run_script(script, arguments_of(options)), nullptr, false);
  if (drawn.is_discarded()) throw OutputError("plot: " + find_script(script) + " does not say what it drew");
  if (!options.quiet) std::cout << sentence(drawn) << "\n";
  Report report;
  report.machine = describe_machine(false, 0);
  report.command = options.command_line;
  report.version = QUADRILLE_REVISION;
  report.date = utc_now();
  each_of({[&] { write_results(options, to_json(report, std::vector<Json>{drawn}), csv_of(drawn)); },
           flush_standard_output});
  return all_well;
}

}  // namespace quadrille
