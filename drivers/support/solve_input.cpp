#include "drivers/support/solve_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <ostream>

#include "drivers/support/field_input.hpp"
#include "drivers/support/options_values.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

// Empty where the option has a word.
Array<double> read(const Grid& grid, const std::string& text, const std::string& option) {
  const std::optional<FieldPlace> place = field_place(text);
  if (!place) return {};
  try {
    Array<double> values = read_field(*place);
    if (values.size() != grid.nodes()) throw InputError("the file has changed since it was first looked at");
    return values;
  } catch (const InputError& error) {
    refuse({text, option, false}, error.what());
  }
}

std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

void check_finite(const Array<double>& values, const std::string& name) {
  for (std::int64_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) throw InputError(name + " is " + number_text(values[i]) + " somewhere");
}

}  // namespace

PdeInput pde_input(const Options& options) {
  PdeInput input{options.seed, options.manufactured, {}, options.coefficient_ratio, {}};
  if (Array<double> a = read(options.grid, options.coefficient, "--coefficient"); a.size() > 0)
    input.coefficient = std::make_shared<const CoefficientField>(coefficient_field(
        options.grid, options.boundary, std::move(a), "--coefficient '" + options.coefficient + "'"));
  if (Array<double> f = read(options.grid, options.source, "--source"); f.size() > 0) {
    check_finite(f, "--source '" + options.source + "'");
    input.source = std::make_shared<const Array<double>>(std::move(f));
  }
  return input;
}

std::int64_t input_bytes(const Options& options) {
  const bool a = field_place(options.coefficient).has_value(), f = field_place(options.source).has_value();
  // With the number of each cell's region, and the balanced source.
  return checked_product(options.grid.nodes(), (a ? 8 + 4 + 8 : 0) + (f ? 8 : 0), "the fields of files");
}

void print_coefficient(std::ostream& out, const Options& options, const PdeInput& input) {
  if (!input.coefficient) return;
  const CoefficientField& field = *input.coefficient;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::int64_t barriers = 0;
  for (std::int64_t i = 0; i < field.a.size(); ++i) {
    barriers += field.a[i] == 0;
    if (field.a[i] > 0) least = std::min(least, field.a[i]), most = std::max(most, field.a[i]);
  }
  out << "coefficient " << options.coefficient << ": " << short_text(least) << " to " << short_text(most);
  if (field.has_barriers) out << ", and 0 in " << barriers << " nodes, where u is 0";
  out << "\n";
  if (field.held.empty()) return;
  out << "note: " << field.held.size()
      << (field.held.size() == 1 ? " region of nodes is" : " regions of nodes are")
      << " cut off from every face that holds a value; there the source's mean is taken off, and u has mean "
         "zero\n";
}

}  // namespace quadrille
