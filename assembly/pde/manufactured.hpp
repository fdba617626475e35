// A smooth function that fulfils the boundary of a grid, with its derivatives: an exact solution to choose
// right sides by.
//
// Where the faces of the domain are follows from what the operators do beyond the last node
// (assembly/pde/laplacian.hpp), h being the spacing and n the nodes of an axis:
//
//   value:X, drop          u = X (drop: 0) one spacing beyond the last node
//   clamp, outflow         no flux half a spacing beyond the last node
//   flux, robin            anything, at the same place: their data are taken from u (with_data)
//   periodic               the domain is n h long, and node 0 stands on its beginning
//
//   value both ends   |--o--o--o--|    (n+1) h          clamp both ends   |-o--o--o-|    n h
//
// With s = x/L in [0, 1] along each axis,  u = X + (1 + r) prod over axes g(s)  for unknown r, where g is
//
//   value, value   (s - s^2) exp(s)      clamp, clamp   16 (s - s^2)^2         periodic     exp(sin(2 pi s))
//   value, clamp   s exp(-s)             value, flux    s exp(s - 1)           flux, flux   (2 + s^2) exp(-s)
//   clamp, flux    s^2 exp(-s)           and the same mirrored; robin as flux, outflow as clamp
//
// none of which is an eigenfunction of the difference operator. Where the two faces of an axis hold different
// constants, X is linear between them. Unknowns that have different kinds have different g, L and X.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "assembly/stencil_operator.hpp"
#include "grid/boundary.hpp"
#include "grid/grid.hpp"

namespace quadrille {

class Manufactured {
 public:
  // u and its first and second derivative along each axis, in 1/m and 1/m^2, and its derivatives along two
  // axes: mixed[a] along the two axes that are not a.
  struct Jet {
    double u = 0;
    std::array<double, 3> slope{}, curvature{}, mixed{};
    double laplacian() const { return curvature[0] + curvature[1] + curvature[2]; }
  };

  // Throws InputError where no smooth function has these boundary values: different constants on the faces of
  // different axes.
  Manufactured(const Grid& grid, const Boundary& boundary);

  Jet at(const Position& p, int r) const;
  // x/L along each axis, of unknown 0.
  std::array<double, 3> fraction(const Position& p) const;
  double length_m(int axis) const { return profiles_.front().axes[axis].length_m; }
  // u at every node of some box, [row of these lines].
  std::vector<double> values(const NodeBox& box) const;
  std::vector<double> values() const { return values(whole_box(grid_.extents)); }

  // The boundary with functions that give the faces of flux and robin the data of u, where a du/dn is the
  // flux along an axis for a = conductivity(fraction, axis). They refer to this object.
  using Conductivity = std::function<double(const std::array<double, 3>& fraction, int axis)>;
  Boundary with_data(const Conductivity& conductivity) const;
  // The same for a = 1.
  Boundary with_data() const;
  // The same of what flows out by all unknowns: of unknown r at a place of a face, by their derivatives there
  // along its axis `normal`, which points out of the low face downwards (outwards = -1).
  using Flux = std::function<double(const std::function<Jet(int r)>& at,
                                    const std::array<double, 3>& fraction, int normal, int outwards, int r)>;
  Boundary with_fluxes(const Flux& flux) const;

 private:
  using Values = std::array<double, 3>;  // g and its derivatives by x
  // x/L along each axis, at any places.
  using Place = std::array<double, 3>;
  struct Axis {
    FaceBoundary low, high;
    double length_m = 1, intervals = 1;  // L, also in spacings
    double first = 0;                    // where node 0 stands, in spacings
    std::vector<Values> g;               // [node along the axis]
    double fraction(std::int64_t node) const { return (static_cast<double>(node) + first) / intervals; }
    Values values(double s) const;
  };
  struct Profile {
    std::array<Axis, 3> axes;
    double constant = 0, rise = 0;  // X = constant + rise * s along one axis
    int rise_axis = 0;
  };

  Profile profile(const Faces& faces) const;
  const Profile& of(int r) const {
    return profiles_[profiles_.size() == 1 ? 0 : static_cast<std::size_t>(r)];
  }
  Jet jet(const Profile& profile, const std::array<Values, 3>& g, const Place& s, int r) const;
  double datum(int face, const Position& beyond, int r, const Flux& flux) const;

  Grid grid_;
  Boundary boundary_;
  std::vector<Profile> profiles_;  // of each unknown, or one for all of them
};

// [row of the box] at a time, of a solution that fades by e^-rate t from what it is at first.
std::function<std::vector<double>(double t_s)> fading(std::vector<double> at_first, double rate_1_s = 1);

// For such solutions: throws InputError unless the faces are such as have no data but 0, in a sentence on the
// PDE `who`.
void require_no_data(const Grid& grid, const Boundary& boundary, const std::string& who);

}  // namespace quadrille
