// Formulas in x, y and z, some also in the time t, that a user gives as text, by muParser: its operators and
// functions, and pi.
#pragma once

#include <string>

#include "assembly/formula.hpp"

namespace quadrille {

// As many numbers as the text gives, which commas stand between, with the bits of muParser's. Throws
// InputError with its reason, also for a t unless it may be `in_time`.
Formula parsed_formula(const std::string& text, bool in_time = false);

// The same of one number.
Formula single_formula(const std::string& text, bool in_time);

}  // namespace quadrille
