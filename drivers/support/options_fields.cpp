#include "drivers/support/options_fields.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "drivers/support/expression.hpp"
#include "drivers/support/field_input.hpp"
#include "drivers/support/options_pdes.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"

namespace quadrille {
namespace {

FieldShape shape_of(const Setting& setting) {
  try {
    return field_shape(*field_place(setting.text));
  } catch (const InputError& error) {
    refuse(setting, error.what());
  }
}

// The grid, and the spacing where it tells one.
void follow(Settings& settings, const Setting& field, const FieldShape& shape) {
  Grid grid;
  grid.dimension = shape.dimension;
  grid.extents = shape.extents;
  if (const Setting* given = find(settings, "grid")) {
    const Grid other = parse_grid(*given);
    if (other.dimension != grid.dimension || other.extents != grid.extents)
      refuse(field, "has " + to_string(grid) + " nodes, but " + given->place + " is " + given->text +
                        "; the grid follows from the file, so leave --grid out");
  } else {
    settings["grid"] = {to_string(grid), field.place, true};
  }
  if (!shape.spacing_m || settings.contains("spacing")) return;
  std::string lengths;
  for (int axis = 0; axis < grid.dimension; ++axis)
    lengths += (axis > 0 ? "," : "") + number_text((*shape.spacing_m)[axis]);
  settings["spacing"] = {lengths, field.place, true};
}

void follow(Settings& settings, const Setting& field, bool of_unknowns) {
  const FieldShape shape = shape_of(field);
  if (!of_unknowns && shape.unknowns != 1)
    refuse(field, "has " + std::to_string(shape.unknowns) +
                      " unknowns per node; a coefficient has one, a tensor 3 in 2D and 6 in 3D");
  follow(settings, field, shape);
}

// A field in a file, which the grid then follows, or a formula, where `words` would do, too.
// `of_unknowns`: each unknown of a node may have its own. `in_time`: a formula may have t in it.
void require_field_or_formula(Settings& settings, const Setting& given, const Words& words, bool of_unknowns,
                              bool in_time) {
  Words places;
  if (of_unknowns)
    places = field_places(given.text);
  else if (field_place(given.text))
    places = {given.text};
  for (const std::string& place : places)
    follow(settings, {place, given.place, given.from_config}, of_unknowns);
  if (!places.empty()) return;
  const std::string kinds = "must be " + (words.empty() ? "" : listed(words) + ", ") +
                            "FILE.h5:DATASET or a formula in " + (in_time ? "x, y, z and t" : "x, y and z");
  if (given.text.ends_with(".h5") || given.text.ends_with(".hdf5"))
    refuse(given, kinds + "; a file alone names no dataset");
  std::size_t formulas = 0;
  try {
    formulas = parsed_formula(given.text, in_time).numbers.size();
  } catch (const InputError& error) {
    refuse(given, kinds + suggestion(given.text, words) + "; as a formula: " + error.what());
  }
  if (formulas != 1 && !of_unknowns) refuse(given, kinds + " of one number");
}

// The setting's text; without one the first word.
std::string word_field_or_formula(Settings& settings, const std::string& name, const Words& words,
                                  bool of_unknowns = false, bool in_time = false) {
  const Setting* const setting = find(settings, name);
  if (!setting) return words.empty() ? "" : words.front();
  const Setting given = *setting;
  if (std::find(words.begin(), words.end(), given.text) == words.end())
    require_field_or_formula(settings, given, words, of_unknowns, in_time);
  return given.text;
}

bool is_tensor(std::int64_t numbers) {
  return numbers == tensor_numbers(2) || numbers == tensor_numbers(3);
}

// [y][x][number], which looks like [z][y][x] with three nodes along x, where --grid says that it is in 2D.
FieldShape flat_where_grid_is(const Settings& settings, FieldShape shape) {
  const Setting* const given = find(settings, "grid");
  if (!given || shape.unknowns != 1 || shape.dimension != 3 || shape.extents[0] != tensor_numbers(2))
    return shape;
  const Grid grid = parse_grid(*given);
  const std::array<std::int64_t, 3> flat{shape.extents[1], shape.extents[2], 1};
  if (grid.dimension != 2 || grid.extents != flat) return shape;
  shape.dimension = 2;
  shape.unknowns = shape.extents[0];
  shape.extents = flat;
  return shape;
}

// How many numbers a node has where --coefficient is a tensor, whose grid is then followed; or 1.
int read_tensor(Settings& settings, const Setting& given) {
  if (const Words places = field_places(given.text); is_tensor(std::ssize(places))) {
    for (const std::string& place : places) follow(settings, {place, given.place, given.from_config}, false);
    return static_cast<int>(places.size());
  }
  if (field_place(given.text)) {
    const FieldShape shape = flat_where_grid_is(settings, shape_of(given));
    if (shape.unknowns != tensor_numbers(shape.dimension)) return 1;
    follow(settings, given, shape);
    return static_cast<int>(shape.unknowns);
  }
  try {
    const auto numbers = static_cast<int>(parsed_formula(given.text).numbers.size());
    return is_tensor(numbers) ? numbers : 1;
  } catch (const InputError&) {
    return 1;  // a word, or what is refused as one number
  }
}

void read_coefficient(Settings& settings, const Words& words, Options& options) {
  if (const Setting* const given = find(settings, "coefficient");
      given && find_pde(options.pde).with_tensor) {
    const Setting coefficient = *given;
    options.coefficient_numbers = read_tensor(settings, coefficient);
    if (options.coefficient_numbers > 1) {
      options.coefficient = coefficient.text;
      return;
    }
  }
  options.coefficient = word_field_or_formula(settings, "coefficient", words);
}

}  // namespace

void read_field_options(Settings& settings, Options& options) {
  const bool takes_coefficient = find_pde(options.pde).takes_coefficient,
             by_residual = find_pde(options.pde).assemble == nullptr;
  if (!takes_coefficient) {
    const Setting* const given = find(settings, "coefficient");
    const auto& parameters = find_pde(options.pde).parameters;
    const auto varies =
        std::find_if(parameters.begin(), parameters.end(), [](const auto& p) { return p.varies; });
    if (given && !given->from_config && varies != parameters.end())
      refuse(*given, "belongs to solve " + listed(pdes_with_coefficient()) + "; of " + options.pde +
                         " parameters may be fields: --parameter " + varies->name + "=" + given->text);
    leave_to(pdes_with_coefficient(), settings, {"coefficient", "coefficient-ratio"});
  }
  const bool takes_initial = takes_initial_values(find_pde(options.pde));
  if (!takes_initial) leave_to(pdes_with_initial(), settings, {"initial"});
  const Words of_coefficient = by_residual ? Words{} : Words{drawn_coefficient},
              of_source = by_residual ? Words{} : Words{usual_source_name};
  if (takes_coefficient) read_coefficient(settings, of_coefficient, options);
  options.source = word_field_or_formula(settings, "source", of_source, true,
                                         makes_steps(settings, find_pde(options.pde)));
  if (takes_initial && find(settings, "initial"))
    options.initial = word_field_or_formula(settings, "initial", names_at_first, true);
  if (!options.manufactured) return;
  for (const auto& [name, words] : {std::pair("coefficient", of_coefficient), std::pair("source", of_source),
                                    std::pair("initial", Words{})})
    if (const Setting* const setting = find(settings, name);
        setting && std::find(words.begin(), words.end(), setting->text) == words.end())
      refuse(*setting, "does not go with --manufactured, which has one of its own");
}

void read_parameter_field(Settings& settings, const Setting& given, const std::string& name) {
  require_field_or_formula(settings, {given.text, given.place + ": " + name, given.from_config}, {"a number"},
                           false, false);
}

void read_reaction(Settings& settings, Options& options) {
  if (find_pde(options.pde).rate == nullptr) return leave_to(pdes_with_reaction(), settings, {"reaction"});
  const Setting* const setting = find(settings, "reaction");
  if (!setting) return;
  const auto wanted = static_cast<std::size_t>(options.grid.dof * options.grid.dof);
  const std::string shape =
      "is of " + std::to_string(options.grid.dof) + " unknowns (--dof), " + std::to_string(wanted) +
      " numbers row by row with commas between, or FILE.h5:DATASET with as many rows and columns";
  if (const auto place = field_place(setting->text)) {
    const FieldShape found = shape_of(*setting);
    const std::array<std::int64_t, 3> square{options.grid.dof, options.grid.dof, 1};
    if (found.dimension != 2 || found.unknowns != 1 || found.extents != square) refuse(*setting, shape);
    const Array<double> numbers = read_field(*place);
    options.reaction.assign(numbers.begin(), numbers.end());
  } else {
    for (const std::string& part : comma_parts(setting->text))
      if (!parse_finite(part, options.reaction.emplace_back()))
        refuse(*setting, "'" + part + "' is no number; it " + shape);
  }
  if (options.reaction.size() != wanted)
    refuse(*setting, "has " + std::to_string(options.reaction.size()) + " numbers; it " + shape);
  for (const double number : options.reaction)
    if (!std::isfinite(number)) refuse(*setting, "has a number that is not finite");
}

void read_coefficient_ratio(const Settings& settings, Options& options) {
  const int numbers = options.coefficient_numbers, dimension = options.grid.dimension;
  if (numbers > 1 && numbers != tensor_numbers(dimension))
    refuse(settings.at("coefficient"),
           "has " + std::to_string(numbers) + " numbers per node; on the grid " + to_string(options.grid) +
               (dimension == 2 ? " a tensor has 3, Kxx, Kxy, Kyy"
                               : " a tensor has 6, Kxx, Kxy, Kxz, Kyy, Kyz, Kzz") +
               ", and any other coefficient one");
  const Setting* const ratio = find(settings, "coefficient-ratio");
  if (ratio && numbers > 1 && !ratio->from_config)
    refuse(*ratio, "does not go with a tensor, which has numbers of its own along each axis");
  if (ratio && options.manufactured && find_pde(options.pde).assemble == nullptr)
    refuse(*ratio, "does not go with --manufactured, whose coefficient is 1");
  if (ratio && numbers == 1) options.coefficient_ratio = parse_ratio(*ratio, options.grid.dimension);
}

}  // namespace quadrille
