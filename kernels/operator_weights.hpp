// Interpolation that follows an operator: where coefficients jump, what is smooth for it is not a linear
// function, but one whose flux is continuous. Source: Dendy, J. Comput. Phys. 48 (1982), "Black box
// multigrid", and its extension to 3D.
#pragma once

#include <array>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "grid/axis_interpolation.hpp"

namespace quadrille {

// The weights of every fine row, [corner][row], as GridInterpolation has them. A fine node between two coarse
// ones along some axes gets the value at which its equation holds, with the equation's coefficients added up
// along the other axes, and its neighbours interpolated before it: those between along fewer axes. Unknowns
// are taken by themselves. Where the coefficients of a row add up to zero the weights add up to one. A row
// that couples with no other takes no part: no node is interpolated to or from it. A row whose equation gives
// no sensible value (a coefficient sum that is not positive, as where it couples with nothing along the axes
// that it is between on) is the next coarse node that takes no part otherwise, or keeps its linear weights.
// So the columns of coarse nodes that any row reads are independent. Throws FormatError unless the axes are
// nested (nested_interpolation) ones of this operator's grid, and the operator couples neighbours only.
Array<double> operator_weights(const BlockDiagonals<double>& a, const std::array<AxisInterpolation, 3>& axes);

// Some rows of an operator on a grid that several ranks share: whole planes of one axis, and their values.
struct OperatorPlanes {
  const BlockStructure& whole;
  int axis = 2;
  std::vector<std::int32_t> planes;  // numbers in the grid
  const Array<double>& values;       // [diagonal][column][row of these planes]
};

// The weights of the rows of planes first .. first + count - 1 of those, which must have their neighbours
// among them where these are between two coarse planes. `axes` are those of the whole grid; there are 4
// corners where they have one node along z, or where these planes are one along z that is no such plane.
Array<double> operator_weights(const OperatorPlanes& a, const std::array<AxisInterpolation, 3>& axes,
                               std::int64_t first, std::int64_t count);

}  // namespace quadrille
