// -div grad u = f, for every unknown of a node by itself (diagonal blocks). Sign: positive diagonal. Units of
// the coefficients: 1/m^2, from the grid's spacing h_x, h_y, h_z in m.
//
//   star radius R  central differences of order 2R on each axis, R = 1..4 (Fornberg, Math. Comp. 51, 1988,
//                  table 1)
//   box radius 1   bilinear/trilinear finite elements divided by the cell volume, order 2: with D = [-1 2
//                  -1]/h^2 and M = [1 4 1]/6 on each axis,  Dx My Mz + Mx Dy Mz + Mx My Dz  (in 2D: Dx My +
//                  Mx Dy)
//
// Beyond a face the chosen boundary applies to each unknown by itself: value:X is u = X at the points beyond
// the face, clamp is u mirrored in the face for radius 1 (no flux) and a first-order closure for the larger
// radii, as are flux and robin, whose flux is du/dn (docs/boundaries.md).
#pragma once

#include <array>

#include "assembly/pde/discretisation.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

inline constexpr Discretisation laplacian_stencils{.star = max_stencil_radius, .box = 1};

struct Laplacian {
  std::array<double, 27> weight{};  // [point], 1/m^2

  static constexpr bool couples(bool, int r, int c) { return r == c; }
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int r, int c) const {
    return r == c ? weight[neighbour.point] : 0.0;
  }
};

// Throws InputError for other stencils.
Laplacian laplacian(const Grid& grid, const Stencil& stencil);

}  // namespace quadrille
