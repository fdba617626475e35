#include "drivers/support/solve_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>
#include <vector>

#include "assembly/pde/counter_hash.hpp"
#include "assembly/pdes.hpp"
#include "drivers/support/expression.hpp"
#include "drivers/support/field_input.hpp"
#include "drivers/support/options_fields.hpp"
#include "drivers/support/options_pdes.hpp"
#include "drivers/support/options_values.hpp"
#include "formats/array.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

void require_numbers(const Formula& formula, int unknowns) {
  const std::size_t count = formula.numbers.size();
  if (count != 1 && count != static_cast<std::size_t>(unknowns))
    throw InputError("gives " + std::to_string(count) + " numbers with commas between; give one" +
                     (unknowns > 1 ? ", or " + std::to_string(unknowns) + ", one of each unknown of a node"
                                   : std::string()));
}

// [node of the box][unknown], of a formula or a dataset for all or one for each; of one number a node, the
// same for all.
void read(const Grid& grid, const NodeBox& box, const std::string& text, int unknowns, std::span<double> to) {
  const std::vector<std::string> parts =
      unknowns > 1 || !field_place(text) ? field_places(text) : std::vector{text};
  if (parts.empty()) {
    const Formula formula = parsed_formula(text);
    require_numbers(formula, unknowns);
    return evaluate(formula, grid, box, unknowns, 0, to);
  }
  std::vector<Array<double>> fields;
  for (const std::string& part : parts) fields.push_back(read_field(*field_place(part)));
  const std::int64_t of_node = fields.front().size() / grid.nodes(), several = std::ssize(fields);
  for (const Array<double>& field : fields)
    if (of_node < 1 || field.size() != of_node * grid.nodes())
      throw InputError("the file has changed since it was first looked at, or its fields differ in size");
  const std::int64_t given = of_node * several;
  if ((given != 1 && given != unknowns) || (several > 1 && of_node > 1))
    throw InputError("has " + std::to_string(given) + " unknowns per node, not 1" +
                     (unknowns > 1 ? " or " + std::to_string(unknowns) : std::string()));
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < box.lines(); ++line) {
    const NodePosition first = box.first_of_line(line);
    const std::int64_t node = node_index(grid, {first[0], first[1], first[2]});
    double* const of_line = to.data() + line * box.size[0] * unknowns;
    for (std::int64_t i = 0; i < box.size[0] * unknowns; ++i) {
      const std::int64_t at = node + i / unknowns, r = given == 1 ? 0 : i % unknowns;
      of_line[i] = several > 1 ? fields[static_cast<std::size_t>(r)][at] : fields.front()[at * of_node + r];
    }
  }
}

// Calls body(), with the option's name in its reasons.
template <class Body>
void named(const std::string& text, const std::string& option, const Body& body) {
  try {
    body();
  } catch (const InputError& error) {
    refuse({text, option, false}, error.what());
  }
}

// Throws with the place of the first number that is none, of [node of the box][unknown].
void require_finite(std::span<const double> values, const NodeBox& box, const std::string& name) {
  std::int64_t first = std::ssize(values);
#pragma omp parallel for schedule(static) reduction(min : first)
  for (std::int64_t i = 0; i < std::ssize(values); ++i)
    if (!std::isfinite(values[i])) first = std::min(first, i);
  if (first == std::ssize(values)) return;
  const std::int64_t unknowns = std::ssize(values) / box.nodes(), node = first / unknowns;
  NodePosition at = box.first_of_line(node / box.size[0]);
  at[0] += node % box.size[0];
  throw InputError(name + " is " + (std::isnan(values[first]) ? "nan" : number_text(values[first])) +
                   " at node (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
                   std::to_string(at[2]) + ")" +
                   (unknowns > 1 ? " for unknown " + std::to_string(first % unknowns) : ""));
}

std::string named_source(const Options& options) {
  return "--source '" + options.source + "'";
}

// Of all unknowns.
std::vector<double> read_finite(const Options& options, const NodeBox& box, const std::string& text,
                                const std::string& option) {
  std::vector<double> values(static_cast<std::size_t>(box.nodes() * options.grid.dof));
  named(text, option, [&] { read(options.grid, box, text, options.grid.dof, values); });
  require_finite(values, box, option + " '" + text + "'");
  return values;
}

// Of all nodes of the grid, [node][number].
Array<double> read_whole(const Grid& grid, const std::string& text, const std::string& option,
                         int numbers = 1) {
  Array<double> values(checked_product(grid.nodes(), numbers, "the numbers of a field"));
  named(text, option, [&] {
    read(grid, whole_box(grid.extents), text, numbers,
         {values.data(), static_cast<std::size_t>(values.size())});
  });
  return values;
}

std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

bool is_given(const std::string& text, const char* word) {
  return !text.empty() && text != word;
}

// Of a node that are given: 1 for all unknowns alike, or theirs.
int source_numbers(const std::string& text, int unknowns) {
  const std::vector<std::string> places = field_places(text);
  const bool alike = places.empty()
                         ? parsed_formula(text).numbers.size() == 1
                         : places.size() == 1 && field_shape(*field_place(places.front())).unknowns == 1;
  return alike ? 1 : unknowns;
}

// Of each unknown where it is the same everywhere; else nothing.
std::vector<double> constant_source(const Options& options) {
  if (!field_places(options.source).empty()) return {};
  const int dof = options.grid.dof;
  std::vector<double> numbers;
  named(options.source, "--source", [&] {
    const Formula formula = at_time(parsed_formula(options.source), 0);
    require_numbers(formula, dof);
    for (int r = 0; r < dof; ++r) {
      const FormulaStep& step = formula.steps[formula.numbers[formula.numbers.size() == 1 ? 0 : r]];
      if (step.operation == FormulaOperation::number) numbers.push_back(step.number);
    }
  });
  if (std::ssize(numbers) < dof) return {};
  require_finite(numbers, {}, named_source(options));
  return numbers;
}

}  // namespace

PdeInput pde_input(const Options& options) {
  PdeInput input{options.seed, options.manufactured, {}, options.coefficient_ratio, {}};
  input.parameters = options.parameters;
  input.reaction = options.reaction;
  for (const auto& [parameter, text] : options.parameter_fields)
    input.fields.emplace_back(parameter, std::make_shared<const Array<double>>(
                                             read_whole(options.grid, text, "--parameter: " + parameter)));
  const std::string name = "--coefficient '" + options.coefficient + "'";
  if (const int numbers = options.coefficient_numbers; numbers > 1)
    input.tensor = std::make_shared<const TensorField>(tensor_field(
        options.grid, read_whole(options.grid, options.coefficient, "--coefficient", numbers), name));
  else if (is_given(options.coefficient, drawn_coefficient))
    input.coefficient = std::make_shared<const CoefficientField>(
        coefficient_field(options.grid, options.boundary,
                          read_whole(options.grid, options.coefficient, "--coefficient"), name));
  if (find_pde(options.pde).assemble != nullptr && is_given(options.source, usual_source_name)) {
    input.source_everywhere = constant_source(options);
    if (!input.source_everywhere.empty()) return input;
    Array<double> f = read_whole(options.grid, options.source, "--source",
                                 source_numbers(options.source, options.grid.dof));
    require_finite({f.data(), static_cast<std::size_t>(f.size())}, whole_box(options.grid.extents),
                   named_source(options));
    input.source = std::make_shared<const Array<double>>(std::move(f));
  }
  return input;
}

namespace {

// 1 in the middle of the nodes, and exp(-1/2) a tenth of the way along x from there.
double hill(const Grid& grid, const std::array<std::int64_t, 3>& node) {
  const double width_m = 0.1 * static_cast<double>(grid.extents[0]) * grid.spacing_m[0];
  double r2 = 0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    const double from_middle =
        static_cast<double>(node[axis]) - 0.5 * static_cast<double>(grid.extents[axis] - 1);
    r2 += std::pow(from_middle * grid.spacing_m[axis] / width_m, 2);
  }
  return std::exp(-r2 / 2);
}

// [node of the box][unknown], of one of the names; any number of ranks has the same.
std::vector<double> named_values(const Options& options, const NodeBox& box) {
  constexpr double most_noise = 0.05;
  const Grid& grid = options.grid;
  std::vector<double> values(static_cast<std::size_t>(box.nodes() * grid.dof));
  if (options.initial == "zero") return values;
  const bool is_hill = options.initial == "hill";
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < box.nodes(); ++node) {
    std::array<std::int64_t, 3> at = box.first_of_line(node / box.size[0]);
    at[0] += node % box.size[0];
    const std::int64_t row = node_index(grid, {at[0], at[1], at[2]}) * grid.dof;
    for (int r = 0; r < grid.dof; ++r) {
      const auto of_row = static_cast<std::uint64_t>(row + r);
      values[static_cast<std::size_t>(node * grid.dof + r)] =
          is_hill ? hill(grid, at) : most_noise * signed_unit(counter_hash(options.seed, of_row));
    }
  }
  return values;
}

}  // namespace

std::vector<double> initial_values(const Options& options, const NodeBox& box) {
  if (std::find(names_at_first.begin(), names_at_first.end(), options.initial) != names_at_first.end())
    return named_values(options, box);
  return read_finite(options, box, options.initial, "--initial");
}

std::vector<double> source_values(const Options& options, const NodeBox& box) {
  return read_finite(options, box, options.source, "--source");
}

std::optional<Formula> source_in_time(const Options& options) {
  if (options.steady || !field_places(options.source).empty()) return std::nullopt;
  Formula formula = parsed_formula(options.source, true);
  if (!depends_on_time(formula)) return std::nullopt;
  named(options.source, "--source", [&] { require_numbers(formula, options.grid.dof); });
  return formula;
}

void write_source(const Options& options, const Formula& formula, const NodeBox& box, double t_s,
                  SpaceKind space, std::span<double> values) {
  const std::string name = named_source(options) + " at t = " + number_text(t_s) + " s";
  if (space != SpaceKind::cuda) {
    evaluate(formula, options.grid, box, options.grid.dof, t_s, values);
    return require_finite(values, box, name);
  }
  if (evaluate_on_device(formula, options.grid, box, options.grid.dof, t_s, values.data()) == 0) return;
  std::vector<double> made(values.size());
  memory::copy_to_host(made.data(), values.data(), static_cast<std::int64_t>(values.size_bytes()));
  require_finite(made, box, name);
}

std::int64_t input_bytes(const Options& options) {
  const bool a = is_given(options.coefficient, drawn_coefficient),
             f = find_pde(options.pde).assemble != nullptr && is_given(options.source, usual_source_name);
  // With the number of each cell's region, and the balanced source; of a tensor with what is read, and a
  // rank's part.
  const int of_node = !a ? 0 : options.coefficient_numbers > 1 ? 24 * options.coefficient_numbers : 8 + 4 + 8;
  // All that may be fields are, in a window, where one is.
  const std::size_t parameters = options.parameters.size() + options.parameter_fields.size(),
                    of_fields =
                        options.parameter_fields.empty() ? 0 : options.parameter_fields.size() + parameters;
  const int of_source =
      f && constant_source(options).empty() ? 8 * source_numbers(options.source, options.grid.dof) : 0;
  return checked_product(options.grid.nodes(), of_node + of_source + 8 * static_cast<std::int64_t>(of_fields),
                         "the fields that are given");
}

void print_parameters(std::ostream& out, const Options& options, const PdeInput& input) {
  if (!options.parameters.empty())
    out << "parameters: " << parameters_text(find_pde(options.pde), options.parameters) << "\n";
  if (!options.reaction.empty()) out << "reaction: as given\n";
  for (std::size_t i = 0; i < input.fields.size(); ++i) {
    const auto& [name, field] = input.fields[i];
    const auto [least, most] = std::minmax_element(field->begin(), field->end());
    out << name << " = " << options.parameter_fields[i].second << ": " << short_text(*least) << " to "
        << short_text(*most) << "\n";
  }
}

void print_coefficient(std::ostream& out, const Options& options, const PdeInput& input) {
  if (input.tensor)
    out << "coefficient " << options.coefficient << ": a tensor of " << options.coefficient_numbers
        << " numbers\n";
  if (!input.coefficient) return;
  const CoefficientField& field = *input.coefficient;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::int64_t barriers = 0;
#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most) reduction(+ : barriers)
  for (std::int64_t i = 0; i < field.a.size(); ++i) {
    barriers += field.a[i] == 0;
    if (field.a[i] > 0) least = std::min(least, field.a[i]), most = std::max(most, field.a[i]);
  }
  out << "coefficient " << options.coefficient << ": " << short_text(least) << " to " << short_text(most);
  const bool in_time = find_pde(options.pde).assemble == nullptr;
  if (field.has_barriers)
    out << ", and 0 in " << barriers << " nodes, where " << (in_time ? "nothing flows" : "u is 0");
  out << "\n";
  if (in_time || field.held.empty()) return;
  out << "note: " << field.held.size()
      << (field.held.size() == 1 ? " region of nodes is" : " regions of nodes are")
      << " cut off from every face that holds a value; there the source's mean is taken off, and u has mean "
         "zero\n";
}

}  // namespace quadrille
