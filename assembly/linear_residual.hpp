// A linear PDE that is given by its residual (residual.hpp) as an operator A u = b: the coefficient of
// unknown c at a neighbour in row r is the derivative of F_r by it (dual.hpp), exact to rounding, and b is -F
// of u = 0. All that takes a coefficient functor takes a residual that says `linear`:
//
//   struct Poisson {                                  // -lap u = 1
//     static constexpr bool linear = true;
//     constexpr auto operator()(const auto& u, int r) const { return -u.laplacian(r) - 1; }
//   };
//   assemble<double>(grid, star_stencil(3, 1), faces, Poisson{});
//
// It may ask for nodes as far away as its stencil reaches, not of radius 1 alone; u_t and the time are 0.
// What faces say enters as with other coefficients (neighbour.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "assembly/dual.hpp"
#include "assembly/neighbour.hpp"
#include "assembly/node_window.hpp"
#include "assembly/stencil_operations.hpp"
#include "grid/boundary.hpp"
#include "grid/error.hpp"
#include "grid/partition.hpp"
#include "grid/stencil.hpp"

namespace quadrille {

// Where a linear residual is asked: a box of a grid's nodes.
struct LinearPlaces {
  Grid grid;
  std::array<bool, 3> periodic{};
  NodeBox box{};
  NodeWindow window{};  // window_around() the box: where fields are known
  std::array<double, 3> per_two_h = residual_detail::per_spacing(grid, false);  // 1/m
  std::array<double, 3> per_h2 = residual_detail::per_spacing(grid, true);      // 1/m^2
};

// A node where nothing is known of u: it is 0, or `spread` times a number that differs from neighbour to
// neighbour, at another time. The derivative is the one by an unknown of the neighbour `seed`, or none.
class LinearNode : public residual_detail::StencilOperations<LinearNode, Dual> {
  using Operations = residual_detail::StencilOperations<LinearNode, Dual>;

 public:
  constexpr LinearNode(const LinearPlaces& places, const Position& at, const Offset& seed, int unknown,
                       double spread = 0)
      : places_(places),
        at_(at),
        place_(places.window.place(at)),
        seed_(seed),
        seed_unknown_(unknown),
        spread_(spread) {}

  constexpr Dual operator()(int unknown) const { return at(0, 0, 0, unknown); }
  constexpr Dual rate(int) const { return 0; }
  constexpr Dual at(int dx, int dy, int dz, int unknown) const {
    Offset offset{};
    offset.x = dx, offset.y = dy, offset.z = dz;
    const bool seeded = unknown == seed_unknown_ && offset == seed_;
    const int drawn = 20 + (37 * dx + 59 * dy + 83 * dz + 97 * unknown) % 19;
    return {spread_ == 0 ? 0 : spread_ * drawn, seeded ? 1.0 : 0.0};
  }
  constexpr double field(const double* values, int dx = 0, int dy = 0, int dz = 0) const {
    const NodeWindow& window = places_.window;
    return values[place_ + window.beside(at_, 0, dx, places_.periodic[0]) +
                  window.beside(at_, 1, dy, places_.periodic[1]) +
                  window.beside(at_, 2, dz, places_.periodic[2])];
  }
  // Of all fluxes those that the seed has a part in, added as the star has its points.
  constexpr Dual outflow(int unknown, const double* a, const std::array<double, 3>& per_h2) const {
    if (spread_ != 0) return Operations::outflow(unknown, a, per_h2);
    const int beside = (seed_.x != 0) + (seed_.y != 0) + (seed_.z != 0);
    if (unknown != seed_unknown_ || beside > 1) return 0;
    if (beside == 1) {
      const int axis = seed_.x != 0 ? 0 : seed_.y != 0 ? 1 : 2, step = seed_.x + seed_.y + seed_.z;
      return {0, step * step == 1 ? -(between(a, axis, step) * per_h2[axis]) : 0.0};
    }
    double sum = 0;
    for (int axis = places_.grid.dimension - 1; axis >= 0; --axis) sum += between(a, axis, -1) * per_h2[axis];
    for (int axis = 0; axis < places_.grid.dimension; ++axis) sum += between(a, axis, 1) * per_h2[axis];
    return {0, sum};
  }

  template <class Weight>
  constexpr Dual exchange(int dx, int dy, int dz, int unknown, const Weight& weight) const {
    if (spread_ != 0) return Operations::exchange(dx, dy, dz, unknown, weight);
    if (unknown != seed_unknown_) return 0;
    Offset to{};
    to.x = dx, to.y = dy, to.z = dz;
    if (to == seed_) return {0, weight()};
    return {0, seed_ == Offset{} ? -weight() : 0.0};
  }
  template <class Weight>
  constexpr Dual weighted(int dx, int dy, int dz, int unknown, const Weight& weight) const {
    if (spread_ != 0) return Operations::weighted(dx, dy, dz, unknown, weight);
    Offset to{};
    to.x = dx, to.y = dy, to.z = dz;
    return {0, unknown == seed_unknown_ && to == seed_ ? weight() : 0.0};
  }
  static constexpr bool slopes_alone() { return false; }

  constexpr double time_s() const { return spread_; }
  constexpr const Position& position() const { return at_; }
  constexpr std::int64_t own() const {  // the number in the box
    const NodeBox& box = places_.box;
    return ((at_.z - box.first[2]) * box.size[1] + at_.y - box.first[1]) * box.size[0] + at_.x - box.first[0];
  }
  constexpr const Grid& grid() const { return places_.grid; }
  constexpr const LinearPlaces& state() const { return places_; }

 private:
  // The mean of a field and its neighbour; beyond a face the node's own.
  constexpr double between(const double* a, int axis, int step) const {
    const std::int64_t further = places_.window.beside(at_, axis, step, places_.periodic[axis]);
    return further == 0 ? a[place_] : harmonic_mean(a[place_], a[place_ + further]);
  }

  const LinearPlaces& places_;
  Position at_;
  std::int64_t place_;
  Offset seed_;
  int seed_unknown_;
  double spread_;
};

// The coefficient functor of a linear residual.
template <class Residual>
struct CoefficientsOf {
  Residual residual;
  LinearPlaces places;

  constexpr bool couples(bool centre, int r, int c) const requires requires {
    residual.couples(centre, r, c);
  }
  { return residual.couples(centre, r, c); }
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const requires requires {
    residual.conductivity(node, axis, unknown);
  }
  { return residual.conductivity(node, axis, unknown); }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    return 0.0 + at(node.position, to.offset, r, c).slope;
  }
  constexpr double source(const StencilNode& node, int unknown) const {
    return 0.0 - at(node.position, {}, unknown, -1).value;
  }
  constexpr Dual at(const Position& node, const Offset& seed, int r, int c, double spread = 0) const {
    return residual(LinearNode(places, node, seed, c, spread), r);
  }
};

// Of a residual that is the same at all nodes: what a neighbour has in a row.
template <class Residual>
class LinearWeights {
 public:
  LinearWeights(const Residual& residual, const Grid& grid) : of_{residual, {.grid = grid}} {}
  double of(const Offset& seed, int r, int c) const { return 0.0 + of_.at({}, seed, r, c).slope; }

 private:
  CoefficientsOf<Residual> of_;
};

template <class Model>
concept ResidualFunctor = requires(const Model& model, const LinearNode& u) {
  { model(u, 0) } -> std::convertible_to<Dual>;
};

// What `model` is to the assembly of a box: itself, where it is a coefficient functor.
template <class Model>
constexpr decltype(auto) coefficients_of(const Model& model, const Grid& grid, const Boundary& boundary,
                                         const NodeBox& box) {
  if constexpr (ResidualFunctor<Model>) {
    static_assert(
        requires { requires Model::linear; },
        "a residual whose operator is assembled is linear, and says so: "
        "static constexpr bool linear = true;");
    CoefficientsOf<Model> result{model, {.grid = grid, .box = box, .window = window_around(grid, box)}};
    for (int axis = 0; axis < grid.dimension; ++axis) result.places.periodic[axis] = boundary.periodic(axis);
    require_coefficient<CoefficientsOf<Model>>();
    return result;
  } else {
    require_coefficient<Model>();
    return model;
  }
}

// Throws InputError where a residual is not what it says, seen at some nodes: linear, with coefficients that
// do not change in time, and of no node beyond its stencil.
template <class Coefficient>
void require_kept(const Coefficient&, const Stencil&) {}
template <class Residual>
void require_kept(const CoefficientsOf<Residual>& of, const Stencil& stencil) {
  constexpr double spread = 0.01, rounding = 1e-10;
  const Grid& grid = of.places.grid;
  const NodeBox& box = of.places.box;
  const Stencil around = box_stencil(grid.dimension, std::max(1, stencil.radius));
  const std::int64_t of_row = static_cast<std::int64_t>(around.offsets.size()) * grid.dof,
                     some = std::clamp<std::int64_t>((1 << 18) / (of_row * grid.dof), 3, 64),
                     nodes = std::min(some, box.nodes());
  for (std::int64_t i = 0; i < nodes; ++i) {
    const std::int64_t place = nodes == 1 ? 0 : i * (box.nodes() - 1) / (nodes - 1);
    const NodePosition line = box.first_of_line(place / box.size[0]);
    const Position at{line[0] + place % box.size[0], line[1], line[2]};
    for (int r = 0; r < grid.dof; ++r) {
      double largest = 0, moved = 0, beyond = 0;
      for (const Offset& seed : around.offsets)
        for (int c = 0; c < grid.dof; ++c) {
          const double slope = of.at(at, seed, r, c).slope, there = of.at(at, seed, r, c, spread).slope;
          largest = std::max({largest, std::abs(slope), std::abs(there)});
          moved = std::max(moved, std::abs(slope - there));
          if (std::find(stencil.offsets.begin(), stencil.offsets.end(), seed) == stencil.offsets.end())
            beyond = std::max(beyond, std::abs(slope));
        }
      const std::string who =
          "the residual of unknown " + std::to_string(r) + " at node " + std::to_string(node_index(grid, at));
      if (!(moved <= rounding * largest))
        throw InputError(who + " is not linear in u with coefficients that stay, as it says it is");
      if (beyond > rounding * largest)
        throw InputError(who + " asks for a node that its stencil, " + stencil.name + " of radius " +
                         std::to_string(stencil.radius) + ", has not");
    }
  }
}

}  // namespace quadrille
