// Formulas in x, y and z, some also in the time t, that a user gives as text, by muParser: its operators and
// functions, and pi.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// How many numbers the text gives, which commas stand between; whether one has t in it. Throw InputError with
// muParser's reason, also for a t unless it may be `in_time`.
int count_of_formulas(const std::string& text, bool in_time = false);
bool depends_on_time(const std::string& text);

// [node of the box][unknown] at x, y, z in m from the node at position 0, and at t where there is a time; a
// single number is that of all unknowns. Parallel. Throws InputError with a reason where the text does not
// give 1 or `unknowns` numbers.
std::vector<double> values_of_formulas(const std::string& text, const Grid& grid, const NodeBox& box,
                                       int unknowns, std::optional<double> t_s = {});

// A formula of one number, at x, y, z in m and, where it may have one, t in s. Called by several threads at
// once. Throws InputError with a reason.
std::function<double(double x_m, double y_m, double z_m, double t_s)> formula_at(const std::string& text,
                                                                                 bool in_time);

}  // namespace quadrille
