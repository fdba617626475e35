#include "drivers/support/options_fields.hpp"

#include <algorithm>
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

void follow(Settings& settings, const Setting& field, bool of_unknowns) {
  const FieldShape shape = shape_of(field);
  if (!of_unknowns && shape.unknowns != 1)
    refuse(field,
           "has " + std::to_string(shape.unknowns) + " unknowns per node; a coefficient or a source has one");
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

// A word, a field in a file, which the grid then follows, or a formula; without a setting the first word.
// `of_unknowns`: each unknown of a node may have its own.
std::string word_field_or_formula(Settings& settings, const std::string& name, const Words& words,
                                  bool of_unknowns = false) {
  const Setting* const setting = find(settings, name);
  if (!setting) return words.empty() ? "" : words.front();
  if (std::find(words.begin(), words.end(), setting->text) != words.end()) return setting->text;
  const Setting given = *setting;
  Words places;
  if (of_unknowns)
    places = field_places(given.text);
  else if (field_place(given.text))
    places = {given.text};
  for (const std::string& place : places)
    follow(settings, {place, given.place, given.from_config}, of_unknowns);
  if (!places.empty()) return given.text;
  const std::string kinds =
      "must be " + (words.empty() ? "" : listed(words) + ", ") + "FILE.h5:DATASET or a formula in x, y and z";
  int formulas = 0;
  try {
    formulas = count_of_formulas(given.text);
  } catch (const InputError& error) {
    refuse(given, kinds + suggestion(given.text, words) + "; as a formula: " + error.what());
  }
  if (formulas != 1 && !of_unknowns) refuse(given, kinds + " of one number");
  return given.text;
}

}  // namespace

void read_field_options(Settings& settings, Options& options) {
  const bool takes_coefficient = find_pde(options.pde).takes_coefficient,
             takes_source = takes_given_source(find_pde(options.pde)),
             by_residual = find_pde(options.pde).assemble == nullptr;
  if (!takes_coefficient) leave_to(pdes_with_coefficient(), settings, {"coefficient", "coefficient-ratio"});
  if (!takes_source) leave_to(pdes_with_source(), settings, {"source"});
  const bool takes_initial = takes_initial_values(find_pde(options.pde));
  if (!takes_initial) leave_to(pdes_with_initial(), settings, {"initial"});
  const Words of_coefficient{drawn_coefficient}, of_source = by_residual ? Words{} : Words{usual_source_name};
  if (takes_coefficient) options.coefficient = word_field_or_formula(settings, "coefficient", of_coefficient);
  if (takes_source) options.source = word_field_or_formula(settings, "source", of_source, by_residual);
  if (takes_initial) options.initial = word_field_or_formula(settings, "initial", {}, true);
  if (!options.manufactured) return;
  for (const auto& [name, words] : {std::pair("coefficient", of_coefficient), std::pair("source", of_source),
                                    std::pair("initial", Words{})})
    if (const Setting* const setting = find(settings, name);
        setting && std::find(words.begin(), words.end(), setting->text) == words.end())
      refuse(*setting, "does not go with --manufactured, which has one of its own");
}

void read_coefficient_ratio(const Settings& settings, Options& options) {
  if (const Setting* ratio = find(settings, "coefficient-ratio"))
    options.coefficient_ratio = parse_ratio(*ratio, options.grid.dimension);
}

}  // namespace quadrille
