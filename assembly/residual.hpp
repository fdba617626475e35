// A PDE as its residual F(t, u, u_t) = 0 at the nodes of a grid, from one functor: what it comes to, and its
// Jacobian by automatic differentiation (dual.hpp), exact to rounding.
//
// The functor gives the residual of unknown r at a node from what it asks of `u`, a ResidualNode:
//
//   struct Fisher {                               // u_t - d lap u = u (1 - u)
//     double d;
//     constexpr auto operator()(const auto& u, int r) const {
//       return u.rate(r) - d * u.laplacian(r) - u(r) * (1 - u(r));
//     }
//   };
//
// It is trivially copyable and written for any scalar: u(r), u.rate(r) and the like are numbers or Duals. It
// must give the same scalar on every way out, and mathematical functions are found by `using std::exp;`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "assembly/dual.hpp"
#include "assembly/neighbour.hpp"
#include "assembly/node_window.hpp"
#include "formats/block_diagonals.hpp"
#include "grid/boundary.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// Where a residual is evaluated: in a box of a grid's nodes.
struct ResidualState {
  Grid grid;
  const Boundary* boundary = nullptr;
  NodeBox box;
  NodeWindow window;             // window_around() the box: where u is known
  const double* u = nullptr;     // [place in the window][unknown]
  const double* rate = nullptr;  // u_t: [node of the box][unknown]
  double t_s = 0;
};

// One node and what a functor may ask of it. The derivative of a Dual is the one with respect to a single
// unknown, `seed_unknown` of the node at `seed_place`, with u_t moving `shift` times as fast as u.
template <class S, class Residual>
class ResidualNode {
 public:
  ResidualNode(const ResidualState& state, const Residual& residual)
      : state_(state), residual_(residual), dof_(state.grid.dof) {
    for (int axis = 0; axis < state.grid.dimension; ++axis)
      wraps_[axis] = state.boundary->periodic(axis) && state.window.box.size[axis] < state.grid.extents[axis];
  }

  // To the node `own` of the box.
  void move_to(const Position& at, std::int64_t own) {
    node_ = {node_index(state_.grid, at), at};
    own_ = own;
    place_ = state_.window.place(at);
    inner_ = true;
    const std::array<std::int64_t, 3> p{at.x, at.y, at.z};
    for (int axis = 0; axis < state_.grid.dimension; ++axis)
      inner_ = inner_ && (wraps_[axis] || (p[axis] > 0 && p[axis] + 1 < state_.grid.extents[axis]));
  }
  // Differentiates with respect to an unknown from now on.
  void seed(std::int64_t place, int unknown, double shift) {
    seed_place_ = place;
    seed_unknown_ = unknown;
    shift_ = shift;
  }

  S operator()(int unknown) const { return known(place_, unknown, 1); }
  S rate(int unknown) const {
    const double value = state_.rate[own_ * dof_ + unknown];
    if constexpr (std::is_same_v<S, Dual>)
      return {value, place_ == seed_place_ && unknown == seed_unknown_ ? shift_ : 0};
    else
      return value;
  }
  // At a neighbour, dx, dy, dz = -1, 0 or 1 nodes away. Beyond a face: what the face says of it.
  S at(int dx, int dy, int dz, int unknown) const {
    if (inner_) {
      const auto& size = state_.window.box.size;
      return known(place_ + dx + size[0] * (dy + size[1] * dz), unknown, 1);
    }
    return near_face({dx, dy, dz}, unknown);
  }

  // By central differences, of order 2: d/dx, and the sum of second derivatives.
  S slope(int axis, int unknown) const {
    return (next(axis, 1, unknown) - next(axis, -1, unknown)) * (0.5 / state_.grid.spacing_m[axis]);
  }
  S curvature(int axis, int unknown) const {
    const double h = state_.grid.spacing_m[axis];
    return (next(axis, 1, unknown) - 2 * (*this)(unknown) + next(axis, -1, unknown)) * (1 / (h * h));
  }
  S laplacian(int unknown) const {
    S sum = 0;
    for (int axis = 0; axis < state_.grid.dimension; ++axis) sum += curvature(axis, unknown);
    return sum;
  }

  double time_s() const { return state_.t_s; }
  const Position& position() const { return node_.position; }
  std::int64_t index() const { return node_.index; }  // of the node in the grid
  std::int64_t own() const { return own_; }           // and in the box
  // Of the node along an axis, in m from the node at position 0.
  double x(int axis) const {
    const std::array<std::int64_t, 3> p{node_.position.x, node_.position.y, node_.position.z};
    return static_cast<double>(p[axis]) * state_.grid.spacing_m[axis];
  }
  const Grid& grid() const { return state_.grid; }

 private:
  S next(int axis, int step, int unknown) const {
    return at(axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0, unknown);
  }
  // `weight` times u at a place.
  S known(std::int64_t place, int unknown, double weight) const {
    const double value = weight * state_.u[place * dof_ + unknown];
    if constexpr (std::is_same_v<S, Dual>)
      return {value, place == seed_place_ && unknown == seed_unknown_ ? weight : 0};
    else
      return value;
  }
  S near_face(const Offset& offset, int unknown) const {
    const Faces& faces = state_.boundary->of(unknown);
    StencilNeighbour to{0, offset, resolve_neighbour(state_.grid, faces, node_.position, offset)};
    if (to.resolved.kind == Neighbour::Kind::nothing) return 0;
    const bool is_node = to.resolved.kind == Neighbour::Kind::node;
    if (is_node && !to.resolved.is_beyond())
      return known(state_.window.place(to.resolved.position), unknown, 1);
    const double datum = ghost::constant(residual_, node_, to, state_.grid, *state_.boundary, unknown);
    if (!is_node) return datum;
    const double weight = ghost::weight(residual_, node_, to, state_.grid, faces, unknown);
    return known(state_.window.place(to.resolved.position), unknown, weight) + datum;
  }

  const ResidualState& state_;
  const Residual& residual_;
  int dof_;
  std::array<bool, 3> wraps_{};
  StencilNode node_;
  std::int64_t own_ = 0, place_ = 0;
  bool inner_ = false;
  std::int64_t seed_place_ = -1;
  int seed_unknown_ = 0;
  double shift_ = 0;
};

namespace residual_detail {

// body(node, its number in the box, its position) for the nodes of the box, with a ResidualNode that stands
// there. Parallel over lines.
template <class S, class Residual, class Body>
void for_each_node(const ResidualState& state, const Residual& residual, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Residual>,
                "a residual functor holds numbers and raw pointers alone");
  const NodeBox& box = state.box;
#pragma omp parallel
  {
    ResidualNode<S, Residual> node(state, residual);
#pragma omp for schedule(static)
    for (std::int64_t line = 0; line < box.lines(); ++line) {
      const NodePosition first = box.first_of_line(line);
      for (std::int64_t i = 0; i < box.size[0]; ++i) {
        const Position at{first[0] + i, first[1], first[2]};
        node.move_to(at, line * box.size[0] + i);
        body(node, line * box.size[0] + i, at);
      }
    }
  }
}

}  // namespace residual_detail

// f: [row of the box].
template <class Residual>
void evaluate_residual(const ResidualState& state, const Residual& residual, double* f) {
  const int dof = state.grid.dof;
  residual_detail::for_each_node<double>(state, residual,
                                         [=](const auto& node, std::int64_t own, const Position&) {
                                           for (int r = 0; r < dof; ++r) f[own * dof + r] = residual(node, r);
                                         });
}

// dF/du + shift dF/du_t with the block diagonals of `structure`, that of the whole grid, which has all
// neighbours that the functor asks for. values: [diagonal][column][row of the box].
template <class Residual>
void evaluate_jacobian(const ResidualState& state, const Residual& residual, double shift,
                       const BlockStructure& structure, double* values) {
  const int dof = state.grid.dof;
  const std::int64_t rows = state.box.nodes() * dof;
  residual_detail::for_each_node<Dual>(
      state, residual, [&](auto& node, std::int64_t own, const Position& at) {
        for (std::int64_t d = 0; d < structure.diagonals(); ++d) {
          const std::int64_t to = structure.neighbour(at.x, at.y, at.z, structure.offsets[d]);
          const std::int64_t place = to < 0 ? -1 : state.window.place(node_position(state.grid, to));
          for (int c = 0; c < dof; ++c) {
            double* const column = values + (d * dof + c) * rows + own * dof;
            node.seed(place, c, shift);
            for (int r = 0; r < dof; ++r) column[r] = to < 0 ? 0 : Dual(residual(node, r)).slope;
          }
        }
      });
}

// Both with the functor hidden, and what couples in its Jacobian; what it points to stays the caller's.
struct AnyResidual {
  BlockFill fill;
  std::function<void(const ResidualState&, double* f)> evaluate;
  std::function<void(const ResidualState&, double shift, const BlockStructure&, double* values)>
      differentiate;
};

// `dof`: unknowns of a node.
template <class Residual>
AnyResidual any_residual(const Residual& residual, int dof) {
  return {fill_of(residual, dof),
          [residual](const ResidualState& at, double* f) { evaluate_residual(at, residual, f); },
          [residual](const ResidualState& at, double shift, const BlockStructure& structure, double* values) {
            evaluate_jacobian(at, residual, shift, structure, values);
          }};
}

}  // namespace quadrille
