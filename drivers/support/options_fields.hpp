// Options that name a field in a file, and what follows from them. Internal to the options.
#pragma once

#include "drivers/support/options.hpp"
#include "drivers/support/options_values.hpp"

namespace quadrille {

inline constexpr char drawn_coefficient[] = "log_normal", usual_source_name[] = "unit";
inline const Words names_at_first{"zero", "noise", "hill"};

// --coefficient, --source and --initial of solve, as words, FILE.h5:DATASET or formulas. A file gives --grid,
// and --spacing where it tells one: they are added to the settings. Throws InputError for what the PDE does
// not take, for a file that cannot be, and for a --grid that differs.
void read_field_options(Settings& settings, Options& options);

// What --parameter has for one that may be a field, as FILE.h5:DATASET or a formula; likewise.
void read_parameter_field(Settings& settings, const Setting& given, const std::string& name);

// --reaction: numbers with commas between, row by row, or FILE.h5:DATASET. After the grid.
void read_reaction(Settings& settings, Options& options);

// After the grid.
void read_coefficient_ratio(const Settings& settings, Options& options);

}  // namespace quadrille
