// Formulas in x, y and z that a user gives as text, by muParser: its operators and functions, and pi.
#pragma once

#include <string>
#include <vector>

#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// How many numbers the text gives, which commas stand between. Throws InputError with muParser's reason.
int count_of_formulas(const std::string& text);

// [node of the box][unknown] at x, y, z in m from the node at position 0; a single number is that of all
// unknowns. Parallel. Throws InputError with a reason where the text does not give 1 or `unknowns` numbers.
std::vector<double> values_of_formulas(const std::string& text, const Grid& grid, const NodeBox& box,
                                       int unknowns);

}  // namespace quadrille
