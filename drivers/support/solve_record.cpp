#include "drivers/support/solve_record.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "drivers/support/cells.hpp"
#include "drivers/support/solve_text.hpp"
#include "kernels/petsc/base/ranks.hpp"

namespace quadrille {
namespace {

// JSON and CSV both come from here.
template <class Write>
Cells<Write> cells_before_seconds(const SolveRecord& r, Write write) {
  const auto error = [&](const std::optional<double>& e) { return e ? write(*e) : write(nullptr); };
  return {{"pde", write(r.pde)},
          {"space", write(r.space)},
          {"format", write(r.format)},
          {"precision", write(r.precision)},
          {"grid", write(r.grid)},
          {"dof", write(std::int64_t{r.dof})},
          {"ranks", write(std::int64_t{r.ranks})},
          {"unknowns", write(r.unknowns)},
          {"h", write(r.h)},
          {"iterations", write(std::int64_t{r.iterations})},
          {"converged", write(r.converged)},
          {"reason", write(r.reason)},
          {"residual", std::isnan(r.residual) && r.in_time ? write(nullptr) : write(r.residual)},
          {"error_l2", error(r.error_l2)},
          {"error_max", error(r.error_max)},
          {"matmult_ms", write(r.matmult_ms)}};
}

template <class Write>
Cells<Write> cells_of_seconds(const SolveRecord& r, Write write) {
  return {{"assembly", write(r.seconds.assembly)},
          {"setup", write(r.seconds.setup)},
          {"solve", write(r.seconds.solve)},
          {"output", write(r.seconds.output)},
          {"total", write(r.seconds.total)}};
}

template <class Write>
Cells<Write> cells_after_seconds(const SolveRecord& r, Write write) {
  Cells<Write> cells{{"method", write(r.method)}, {"preconditioner", write(r.preconditioner)}};
  const auto known = [&](const std::optional<double>& v) { return v ? write(*v) : write(nullptr); };
  if (r.value_error > 0) cells.push_back({"value_error", write(r.value_error)});
  if (r.ranks > 1) cells.push_back({"halo", write(r.halo)});
  if (r.in_time) {
    cells.push_back({"steps", write(std::int64_t{r.steps})});
    cells.push_back({"ms_per_step", known(r.ms_per_step)});
  }
  if (r.nonlinear) {
    cells.push_back({"newton_iterations", write(std::int64_t{r.newton_iterations})});
    cells.push_back({"residual_ms", write(r.residual_ms)});
    cells.push_back({"residual_fraction_of_floor", known(r.residual_fraction_of_floor)});
    cells.push_back({"jacobian_ms", write(r.jacobian_ms)});
    cells.push_back({"jacobian_fraction_of_floor", known(r.jacobian_fraction_of_floor)});
  }
  if (r.multigrid) {
    cells.push_back({"cycle_ms", known(r.cycle_ms)});
    cells.push_back({"bytes_per_unknown_iteration", known(r.bytes_per_unknown_iteration)});
  }
  if (r.multigrid || r.nonlinear) cells.push_back({"fraction_of_floor", known(r.fraction_of_floor)});
  if (r.multigrid) cells.push_back({"setup_again_ms", known(r.setup_again_ms)});
  return cells;
}

void add(Json& json, Cells<JsonCell> cells) {
  for (auto& [name, value] : cells) json[name] = std::move(value);
}

}  // namespace

void note_multigrid(SolveRecord& record, const petsc::KrylovTimes& times) {
  record.multigrid = true;
  record.cycle_ms = times.cycle_ms;
  record.setup_again_ms = times.setup_again_ms;
  if (!times.cycle_bytes || !times.product_bytes) return;
  record.bytes_per_unknown_iteration =
      petsc::sum_over_ranks(static_cast<double>(*times.cycle_bytes + *times.product_bytes)) /
      static_cast<double>(record.unknowns);
}

std::string cycle_text(const SolveRecord& record) {
  if (!record.cycle_ms) return "";
  return formatted("a cycle takes %.3g ms", *record.cycle_ms) +
         (record.bytes_per_unknown_iteration ? formatted("; with a product it moves %.0f bytes per unknown",
                                                         *record.bytes_per_unknown_iteration)
                                             : "");
}

std::string rounding_note(const SolveRecord& r) {
  if (r.value_error == 0) return "";
  const std::string start =
      formatted("note: products have values off by up to %.1e of themselves: ", r.value_error);
  return start + (r.nonlinear
                      ? "Newton's iterations correct what that does, the one solve of a step of a "
                        "linear PDE does not\n"
                      : "a nearby system was solved, and |b - A x| is of the operator without that\n");
}

std::string times_text(const SolveRecord& r) {
  const auto of_floor = [](const std::optional<double>& fraction) {
    return fraction ? formatted(" (%.2g times the floor)", 1 / *fraction) : "";
  };
  return formatted("%.3g ms per product, %.3g ms to make it", r.matmult_ms, r.jacobian_ms) +
         of_floor(r.jacobian_fraction_of_floor) + formatted(", %.3g ms per residual", r.residual_ms) +
         of_floor(r.residual_fraction_of_floor);
}

Json to_json(const SolveRecord& r) {
  Json json = Json::object();
  add(json, cells_before_seconds(r, JsonCell{}));
  add(json["seconds"], cells_of_seconds(r, JsonCell{}));
  add(json, cells_after_seconds(r, JsonCell{}));
  for (const auto& [name, value] : r.parameters) json["parameters"][name] = json_value(value);
  for (const auto& [name, text] : r.parameter_fields) json["parameters"][name] = text;
  if (r.history) {
    const auto list = [](const std::vector<double>& values) {
      Json numbers = Json::array();
      for (const double value : values) numbers.push_back(json_value(value));
      return numbers;
    };
    json["history"] = {{"iteration", r.history->iteration},
                       {"residual", list(r.history->residual)},
                       {"seconds", list(r.history->seconds)}};
  }
  return json;
}

std::string to_csv(const SolveRecord& r) {
  std::vector<std::string> names, values;
  const auto add = [&](const Cells<CsvCell>& cells, const std::string& prefix = "") {
    for (const auto& [name, value] : cells) {
      names.push_back(prefix + name);
      values.push_back(value);
    }
  };
  add(cells_before_seconds(r, CsvCell{}));
  add(cells_of_seconds(r, CsvCell{}), "seconds_");
  add(cells_after_seconds(r, CsvCell{}));
  for (const auto& [name, value] : r.parameters) add({{name.c_str(), CsvCell{}(value)}}, "parameters_");
  for (const auto& [name, text] : r.parameter_fields) add({{name.c_str(), CsvCell{}(text)}}, "parameters_");
  return csv_line(names) + csv_line(values);
}

}  // namespace quadrille
