// A smooth function that fulfils the boundary of a grid, with its derivatives: an exact solution to choose right sides by.
//
// Where the faces of the domain are follows from what the operators do beyond the last node (assembly/pde/laplacian.hpp), h
// being the spacing and n the nodes of an axis:
//
//   value:X, drop   u = X (drop: 0) one spacing beyond the last node
//   clamp           no flux half a spacing beyond the last node
//   periodic        the domain is n h long, and node 0 stands on its beginning
//
//   value both ends   |--o--o--o--|    (n+1) h          clamp both ends   |-o--o--o-|    n h
//
// With s = x/L in [0, 1] along each axis,  u = X + (1 + r) prod over axes g(s)  for unknown r, where g is
//
//   value, value   (s - s^2) exp(s)        clamp, clamp   16 (s - s^2)^2        periodic   exp(sin(2 pi s))
//   value, clamp   s exp(-s)               clamp, value   (1-s) exp(s-1)
//
// none of which is an eigenfunction of the difference operator. Where the two faces of an axis hold different constants, X is
// linear between them.
#pragma once

#include <array>
#include <vector>

#include "assembly/stencil_operator.hpp"
#include "grid/boundary.hpp"
#include "grid/grid.hpp"

namespace quadrille {

class Manufactured {
 public:
  // u and its first and second derivative along each axis, in 1/m and 1/m^2, and its derivatives along two axes: mixed[a] along the
  // two axes that are not a.
  struct Jet {
    double u = 0;
    std::array<double, 3> slope{}, curvature{}, mixed{};
    double laplacian() const { return curvature[0] + curvature[1] + curvature[2]; }
  };

  // Throws InputError where no smooth function has these boundary values: different constants on the faces of different axes.
  Manufactured(const Grid& grid, const Boundary& boundary);

  Jet at(const Position& p, int r) const;
  // x/L along each axis.
  std::array<double, 3> fraction(const Position& p) const;
  double length_m(int axis) const { return axes_[axis].length_m; }
  // u at every node of some lines, [row of these lines].
  std::vector<double> values(const LineRange& lines) const;
  std::vector<double> values() const { return values(all_lines(grid_)); }

 private:
  struct Axis {
    double length_m = 1;
    std::vector<std::array<double, 3>> g;  // [node along the axis], with both derivatives by x
    std::vector<double> fraction;
  };

  Grid grid_;
  std::array<Axis, 3> axes_;
  double constant_ = 0, rise_ = 0;  // X = constant + rise * s along one axis
  int rise_axis_ = 0;
};

}  // namespace quadrille
