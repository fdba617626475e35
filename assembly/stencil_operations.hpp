// Differences and finite volumes from u at a node and at its neighbours: what nodes offer to the functor of a
// residual, whatever they know of u. A node has operator()(unknown), at(dx, dy, dz, unknown), field(a, dx,
// dy, dz), grid(), position() and a state() with per_two_h and per_h2.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "assembly/dual.hpp"
#include "grid/grid.hpp"

namespace quadrille {

constexpr double harmonic_mean(double a, double b) {  // 0 of 0 and 0
  const double sum = a + b;
  return 2.0 * (a * b) / (sum > 0 ? sum : 1.0);
}

namespace residual_detail {

// 1 over the spacing, or over its square, for each axis: a division takes a GPU as long as ten additions.
constexpr std::array<double, 3> per_spacing(const Grid& grid, bool squared) {
  std::array<double, 3> result{};
  for (int axis = 0; axis < 3; ++axis) {
    const double h = grid.spacing_m[axis];
    result[axis] = squared ? 1 / (h * h) : 0.5 / h;
  }
  return result;
}

// A number, or the Dual whose slope this is.
template <class S>
constexpr S number(double value, double slope) {
  if constexpr (std::is_same_v<S, Dual>)
    return {value, slope};
  else
    return value;
}

template <class Node, class S>
class StencilOperations {
 public:
  // By central differences, of order 2: d/dx, second derivatives along one axis, their sum, and that along
  // two axes.
  constexpr S slope(int axis, int unknown) const {
    return (next(axis, 1, unknown) - next(axis, -1, unknown)) * self().state().per_two_h[axis];
  }
  constexpr S curvature(int axis, int unknown) const {
    return (next(axis, 1, unknown) - 2 * self()(unknown) + next(axis, -1, unknown)) *
           self().state().per_h2[axis];
  }
  constexpr S laplacian(int unknown) const {  // no loop: axes are then constants to the compiler
    const S of_plane = curvature(0, unknown) + curvature(1, unknown);
    return self().grid().dimension == 2 ? of_plane : of_plane + curvature(2, unknown);
  }
  constexpr S mixed(int axis, int other, int unknown) const {
    const auto& per_two_h = self().state().per_two_h;
    return (across(axis, 1, other, 1, unknown) - across(axis, 1, other, -1, unknown) -
            across(axis, -1, other, 1, unknown) + across(axis, -1, other, -1, unknown)) *
           (per_two_h[axis] * per_two_h[other]);
  }

  // -div(a grad u) by finite volumes around the nodes, of a field a >= 0: across the face between two nodes
  // the harmonic mean of theirs. per_h2: 1/h^2 of each axis, times what a is more along that.
  // All is read before the divisions, behind which a GPU reads nothing ahead.
  constexpr S outflow(int unknown, const double* a, const std::array<double, 3>& per_h2) const {
    const Node& u = self();
    const double here = u.field(a);
    const S at = u(unknown);
    const bool deep = u.grid().dimension == 3;
    const std::array<double, 3> a_x{u.field(a, -1, 0, 0), here, u.field(a, 1, 0, 0)},
        a_y{u.field(a, 0, -1, 0), here, u.field(a, 0, 1, 0)},
        a_z{deep ? u.field(a, 0, 0, -1) : 0, here, deep ? u.field(a, 0, 0, 1) : 0};
    const std::array<S, 3> u_x{next(0, -1, unknown), at, next(0, 1, unknown)},
        u_y{next(1, -1, unknown), at, next(1, 1, unknown)},
        u_z{deep ? next(2, -1, unknown) : S(0), at, deep ? next(2, 1, unknown) : S(0)};
    const S in_plane = per_h2[0] * to_both_sides(a_x, u_x) + per_h2[1] * to_both_sides(a_y, u_y);
    return deep ? in_plane + per_h2[2] * to_both_sides(a_z, u_z) : in_plane;
  }

  // weight() times what u is more at a neighbour than here. Of a linear residual the weight is asked for
  // where the derivative depends on it, and u is not read.
  template <class Weight>
  constexpr S exchange(int dx, int dy, int dz, int unknown, const Weight& weight) const {
    const S there = self().at(dx, dy, dz, unknown), here = self()(unknown);
    if constexpr (std::is_same_v<S, Dual>)
      if (self().slopes_alone()) {
        const double more = there.slope - here.slope;
        return {0, more == 0 ? 0 : weight() * more};
      }
    return weight() * (there - here);
  }

  // weight() times u at a neighbour, asked for likewise.
  template <class Weight>
  constexpr S weighted(int dx, int dy, int dz, int unknown, const Weight& weight) const {
    const S there = self().at(dx, dy, dz, unknown);
    if constexpr (std::is_same_v<S, Dual>)
      if (self().slopes_alone()) return {0, there.slope == 0 ? 0 : weight() * there.slope};
    return weight() * there;
  }

  // Of the node along an axis, in m from the node at position 0.
  constexpr double x(int axis) const {
    const Position& at = self().position();
    const std::int64_t p = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
    return static_cast<double>(p) * self().grid().spacing_m[axis];
  }
  constexpr std::int64_t index() const {  // of the node in the grid
    return node_index(self().grid(), self().position());
  }

 private:
  constexpr const Node& self() const { return static_cast<const Node&>(*this); }
  constexpr S next(int axis, int step, int unknown) const {
    return self().at(axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0, unknown);
  }
  // So many nodes away along two different axes.
  constexpr S across(int axis, int step, int other, int step_other, int unknown) const {
    const auto along = [=](int a) { return a == axis ? step : a == other ? step_other : 0; };
    return self().at(along(0), along(1), along(2), unknown);
  }
  // Along an axis, of what stands before, at and after the node.
  static constexpr S to_both_sides(const std::array<double, 3>& a, const std::array<S, 3>& u) {
    return harmonic_mean(a[1], a[2]) * (u[1] - u[2]) + harmonic_mean(a[1], a[0]) * (u[1] - u[0]);
  }
};

}  // namespace residual_detail
}  // namespace quadrille
