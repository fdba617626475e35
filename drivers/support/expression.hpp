// Formulas in x, y and z, some also in the time t, that a user gives as text, by muParser: its operators and
// functions, and pi.
#pragma once

#include <functional>
#include <string>

#include "assembly/formula.hpp"

namespace quadrille {

// As many numbers as the text gives, which commas stand between, with the bits of muParser's. Throws
// InputError with its reason, also for a t unless it may be `in_time`.
Formula parsed_formula(const std::string& text, bool in_time = false);

// The same of one number, at x, y, z in m and, where it may have one, t in s. May be called by several
// threads at once. Throws InputError with a reason.
std::function<double(double x_m, double y_m, double z_m, double t_s)> formula_at(const std::string& text,
                                                                                 bool in_time);

}  // namespace quadrille
