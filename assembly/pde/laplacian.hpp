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

// The residual of such a stencil, without f.
struct MinusLaplacian {
  int radius = 1;
  bool box = false;

  static constexpr bool linear = true, symmetric = true;
  static constexpr bool couples(bool, int r, int c) { return r == c; }
  static constexpr bool has_constants() { return true; }
  constexpr auto operator()(const auto& u, int r) const { return box ? elements(u, r) : differences(u, r); }

 private:
  // -d2/dx2 at distance 0..R, times h^2.
  static constexpr double second_difference[max_stencil_radius][max_stencil_radius + 1] = {
      {2.0, -1.0, 0, 0, 0},
      {5.0 / 2, -4.0 / 3, 1.0 / 12, 0, 0},
      {49.0 / 18, -3.0 / 2, 3.0 / 20, -1.0 / 90, 0},
      {205.0 / 72, -8.0 / 5, 1.0 / 5, -8.0 / 315, 1.0 / 560},
  };
  constexpr auto differences(const auto& u, int r) const {
    auto sum = 0 * u(r);
    for (int axis = 0; axis < u.grid().dimension; ++axis) {
      const double h = u.grid().spacing_m[axis];
      const auto at = [&](int s) { return u.at(axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0, r); };
      sum += second_difference[radius - 1][0] / (h * h) * u(r);
      for (int k = 1; k <= radius; ++k) sum += second_difference[radius - 1][k] / (h * h) * (at(k) + at(-k));
    }
    return sum;
  }
  constexpr auto elements(const auto& u, int r) const {
    auto sum = 0 * u(r);
    const int dimension = u.grid().dimension, deep = dimension == 3 ? 1 : 0;
    for (int z = -deep; z <= deep; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          sum += of_element({x, y, z}, u.grid().spacing_m, dimension) * u.at(x, y, z, r);
    return sum;
  }
  static constexpr double of_element(const std::array<int, 3>& offset, const std::array<double, 3>& spacing_m,
                                     int dimension) {
    double weight = 0;
    for (int derived = 0; derived < dimension; ++derived) {
      double product = 1;
      for (int axis = 0; axis < dimension; ++axis) {
        const bool centre = offset[axis] == 0;
        product *= axis == derived ? (centre ? 2.0 : -1.0) / (spacing_m[axis] * spacing_m[axis])
                                   : (centre ? 4.0 : 1.0) / 6.0;
      }
      weight += product;
    }
    return weight;
  }
};

// Its derivatives, which are the same at all nodes: taken once.
struct Laplacian {
  std::array<double, 27> weight{};  // [point], 1/m^2

  static constexpr bool couples(bool, int r, int c) { return r == c; }
  static constexpr bool has_constants() { return true; }
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int r, int c) const {
    return r == c ? weight[neighbour.point] : 0.0;
  }
};

// Throws InputError for other stencils.
MinusLaplacian minus_laplacian(const Grid& grid, const Stencil& stencil);
Laplacian laplacian(const Grid& grid, const Stencil& stencil);

}  // namespace quadrille
