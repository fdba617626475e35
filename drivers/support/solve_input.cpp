#include "drivers/support/solve_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <ostream>
#include <vector>

#include "assembly/pdes.hpp"
#include "drivers/support/expression.hpp"
#include "drivers/support/field_input.hpp"
#include "drivers/support/options_fields.hpp"
#include "drivers/support/options_pdes.hpp"
#include "drivers/support/options_values.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

// [node of the box][unknown], of a formula or a dataset for all or one for each; of one number a node, the
// same for all.
std::vector<double> read(const Grid& grid, const NodeBox& box, const std::string& text, int unknowns,
                         std::optional<double> t_s) {
  const std::vector<std::string> parts =
      unknowns > 1 || !field_place(text) ? field_places(text) : std::vector{text};
  if (parts.empty()) return values_of_formulas(text, grid, box, unknowns, t_s);
  std::vector<Array<double>> fields;
  for (const std::string& part : parts) fields.push_back(read_field(*field_place(part)));
  const std::int64_t of_node = fields.front().size() / grid.nodes(), several = std::ssize(fields);
  for (const Array<double>& field : fields)
    if (of_node < 1 || field.size() != of_node * grid.nodes())
      throw InputError("the file has changed since it was first looked at, or its fields differ in size");
  const std::int64_t given = of_node * several;
  if ((given != 1 && given != unknowns) || (several > 1 && of_node > 1))
    throw InputError("has " + std::to_string(given) + " unknowns per node, not 1 or " +
                     std::to_string(unknowns));
  std::vector<double> values;
  for (std::int64_t line = 0; line < box.lines(); ++line) {
    const NodePosition first = box.first_of_line(line);
    const std::int64_t node = node_index(grid, {first[0], first[1], first[2]});
    for (std::int64_t i = 0; i < box.size[0] * unknowns; ++i) {
      const std::int64_t at = node + i / unknowns, r = given == 1 ? 0 : i % unknowns;
      values.push_back(several > 1 ? fields[static_cast<std::size_t>(r)][at]
                                   : fields.front()[at * of_node + r]);
    }
  }
  return values;
}

// The same with the option's name in messages.
std::vector<double> read(const Grid& grid, const NodeBox& box, const std::string& text,
                         const std::string& option, int unknowns, std::optional<double> t_s = {}) {
  try {
    return read(grid, box, text, unknowns, t_s);
  } catch (const InputError& error) {
    refuse({text, option, false}, error.what());
  }
}

template <class Values>
void require_finite(const Values& values, const std::string& name) {
  for (const double value : values)
    if (!std::isfinite(value)) throw InputError(name + " is " + number_text(value) + " somewhere");
}

// Of all unknowns.
std::vector<double> read_finite(const Options& options, const NodeBox& box, const std::string& text,
                                const std::string& option, std::optional<double> t_s = {}) {
  std::vector<double> values = read(options.grid, box, text, option, options.grid.dof, t_s);
  require_finite(values, option + " '" + text + "'" + (t_s ? " at t = " + number_text(*t_s) + " s" : ""));
  return values;
}

// Of all nodes of the grid, [node][number].
Array<double> read_whole(const Grid& grid, const std::string& text, const std::string& option,
                         int numbers = 1) {
  const std::vector<double> values = read(grid, whole_box(grid.extents), text, option, numbers);
  Array<double> array(static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

bool is_given(const std::string& text, const char* word) {
  return !text.empty() && text != word;
}

}  // namespace

PdeInput pde_input(const Options& options) {
  PdeInput input{options.seed, options.manufactured, {}, options.coefficient_ratio, {}};
  input.parameters = options.parameters;
  const std::string name = "--coefficient '" + options.coefficient + "'";
  if (const int numbers = options.coefficient_numbers; numbers > 1)
    input.tensor = std::make_shared<const TensorField>(tensor_field(
        options.grid, read_whole(options.grid, options.coefficient, "--coefficient", numbers), name));
  else if (is_given(options.coefficient, drawn_coefficient))
    input.coefficient = std::make_shared<const CoefficientField>(
        coefficient_field(options.grid, options.boundary,
                          read_whole(options.grid, options.coefficient, "--coefficient"), name));
  if (find_pde(options.pde).assemble != nullptr && is_given(options.source, usual_source_name)) {
    Array<double> f = read_whole(options.grid, options.source, "--source");
    require_finite(f, "--source '" + options.source + "'");
    input.source = std::make_shared<const Array<double>>(std::move(f));
  }
  return input;
}

std::vector<double> initial_values(const Options& options, const NodeBox& box) {
  return read_finite(options, box, options.initial, "--initial");
}

bool source_depends_on_time(const Options& options) {
  return !options.steady && field_places(options.source).empty() && depends_on_time(options.source);
}

std::vector<double> source_values(const Options& options, const NodeBox& box, double t_s) {
  return read_finite(options, box, options.source, "--source",
                     source_depends_on_time(options) ? std::optional(t_s) : std::nullopt);
}

std::int64_t input_bytes(const Options& options) {
  const bool a = is_given(options.coefficient, drawn_coefficient),
             f = find_pde(options.pde).assemble != nullptr && is_given(options.source, usual_source_name);
  // With the number of each cell's region, and the balanced source; of a tensor with what is read, and a
  // rank's part.
  const int of_node = !a ? 0 : options.coefficient_numbers > 1 ? 24 * options.coefficient_numbers : 8 + 4 + 8;
  return checked_product(options.grid.nodes(), of_node + (f ? 8 : 0), "the fields that are given");
}

void print_parameters(std::ostream& out, const Options& options) {
  if (!options.parameters.empty())
    out << "parameters: " << parameters_text(find_pde(options.pde), options.parameters) << "\n";
}

void print_coefficient(std::ostream& out, const Options& options, const PdeInput& input) {
  if (input.tensor)
    out << "coefficient " << options.coefficient << ": a tensor of " << options.coefficient_numbers
        << " numbers\n";
  if (!input.coefficient) return;
  const CoefficientField& field = *input.coefficient;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::int64_t barriers = 0;
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
