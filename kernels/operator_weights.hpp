// Interpolation that follows an operator: where coefficients jump, what is smooth for it is not a linear function, but one whose
// flux is continuous. Source: Dendy, J. Comput. Phys. 48 (1982), "Black box multigrid", and its extension to 3D.
#pragma once

#include <array>

#include "formats/block_diagonals.hpp"
#include "grid/axis_interpolation.hpp"

namespace quadrille {

// The weights of every fine row, [corner][row], as GridInterpolation has them. A fine node between two coarse ones along some axes
// gets the value at which its equation holds, with the equation's coefficients added up along the other axes, and its neighbours
// interpolated before it: those between along fewer axes. Unknowns are taken by themselves. Where the coefficients of a row add up to
// zero the weights add up to one. A row whose equation gives no sensible value (a coefficient sum that is not positive) keeps its
// linear weights. Throws FormatError unless the axes are nested (nested_interpolation) ones of this operator's grid, and the operator
// couples neighbours only.
Array<double> operator_weights(const BlockDiagonals<double>& a, const std::array<AxisInterpolation, 3>& axes);

}  // namespace quadrille
