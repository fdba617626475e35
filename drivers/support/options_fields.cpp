#include "drivers/support/options_fields.hpp"

#include <algorithm>

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

void follow(Settings& settings, const Setting& field) {
  const FieldShape shape = shape_of(field);
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

// A word, or a field in a file, which the grid then follows.
std::string word_or_field(Settings& settings, const std::string& name, const Words& words) {
  const Setting* const setting = find(settings, name);
  if (!setting) return words.front();
  if (std::find(words.begin(), words.end(), setting->text) != words.end()) return setting->text;
  if (!field_place(setting->text))
    refuse(*setting, "must be " + listed(words) + ", or FILE.h5:DATASET" + suggestion(setting->text, words));
  follow(settings, Setting(*setting));
  return setting->text;
}

}  // namespace

void read_field_options(Settings& settings, Options& options) {
  const bool takes_coefficient = find_pde(options.pde).takes_coefficient,
             takes_source = find_pde(options.pde).assemble != nullptr;
  if (!takes_coefficient) leave_to(pdes_with_coefficient(), settings, {"coefficient", "coefficient-ratio"});
  if (!takes_source) leave_to(pdes_with_source(), settings, {"source"});
  if (options.manufactured)
    for (const char* name : {"coefficient", "source"})
      if (const Setting* const setting = find(settings, name); setting && field_place(setting->text))
        refuse(*setting, "does not go with --manufactured, which has one of its own");
  if (takes_coefficient) options.coefficient = word_or_field(settings, "coefficient", {drawn_coefficient});
  if (takes_source) options.source = word_or_field(settings, "source", {usual_source_name});
}

void read_coefficient_ratio(const Settings& settings, Options& options) {
  if (const Setting* ratio = find(settings, "coefficient-ratio"))
    options.coefficient_ratio = parse_ratio(*ratio, options.grid.dimension);
}

}  // namespace quadrille
