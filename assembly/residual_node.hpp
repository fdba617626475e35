// One node of a grid and what the functor of a residual may ask of it: ResidualNode anywhere, InnerNode where
// no neighbour is beyond a face. A functor is written for both, as `const auto& u`.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "assembly/neighbour.hpp"
#include "assembly/node_window.hpp"
#include "assembly/residual_faces.hpp"
#include "assembly/stencil_operations.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

// Of what few nodes need and functors ask for in many places: each copy takes long to compile.
#if defined(__CUDACC__)
#define QUADRILLE_OUT_OF_LINE __noinline__
#else
#define QUADRILLE_OUT_OF_LINE __attribute__((noinline))
#endif

namespace quadrille {

// Where a residual is evaluated: in a box of a grid's nodes. All arrays are in the memory where that is done.
struct ResidualState {
  Grid grid;
  ResidualFaces faces;
  NodeBox box;
  NodeWindow window;             // window_around() the box: where u is known
  const double* u = nullptr;     // [place in the window][unknown]
  const double* rate = nullptr;  // u_t: [node of the box][unknown]
  double t_s = 0;
  std::array<double, 3> per_two_h = residual_detail::per_spacing(grid, false);  // 1/m
  std::array<double, 3> per_h2 = residual_detail::per_spacing(grid, true);      // 1/m^2

  // Whether the neighbours beyond the first and the last node of an axis are in the window, too.
  constexpr bool wraps(int axis) const {
    return faces.periodic(axis) && window.box.size[axis] < grid.extents[axis];
  }
  // The nodes of the box whose neighbours all stand one node away in the window; of size 0 where none does.
  constexpr NodeBox inner() const {
    NodeBox inside = box;
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (wraps(axis)) continue;
      const std::int64_t end = box.first[axis] + box.size[axis], last = grid.extents[axis] - 1;
      inside.first[axis] = box.first[axis] > 1 ? box.first[axis] : 1;
      inside.size[axis] = (end < last ? end : last) - inside.first[axis];
      if (inside.size[axis] <= 0) return {box.first, {0, 0, 0}};
    }
    return inside;
  }
  constexpr std::int64_t own(const Position& at) const {  // the number in the box
    return ((at.z - box.first[2]) * box.size[1] + at.y - box.first[1]) * box.size[0] + at.x - box.first[0];
  }
};

// By the functor's word.
template <class Residual>
constexpr bool says_linear() {
  if constexpr (requires { Residual::linear; })
    return Residual::linear;
  else
    return false;
}

// That it asks for neighbours off the axes: kernels for stars are not compiled then, which takes a while.
template <class Residual>
constexpr bool says_box() {
  if constexpr (requires { Residual::box; })
    return Residual::box;
  else
    return false;
}

// Of a grid of `Dimension` where the compiler knows that, else 0.
template <int Dimension>
constexpr Grid of_dimension(Grid grid) {
  if constexpr (Dimension > 0) grid.dimension = Dimension;
  return grid;
}

// What a face makes of an unknown of a neighbour, or of one that is no more than that: a value, which is
// `weight` times that of the node at `place` in the window and what the face adds.
struct NeighbourTerm {
  double value = 0, weight = 0;
  std::int64_t place = -1;

  constexpr NeighbourTerm() = default;
  constexpr NeighbourTerm(double of_face) : value(of_face) {}  // NOLINT: as for a Dual
  constexpr NeighbourTerm(double number, double factor, std::int64_t of)
      : value(number), weight(factor), place(of) {}
  friend constexpr NeighbourTerm operator+(const NeighbourTerm& a, double b) {
    return {a.value + b, a.weight, a.place};
  }
};

// Anywhere in the box. The derivative of a Dual is the one with respect to a single unknown, `seed_unknown`
// of the node at `seed_place` in the window, with u_t moving `shift` times as fast as u. A node that is
// `Tabled` looks at no face: it is told the terms of its neighbours, [Seed::place_in_cube][unknown].
template <class S, class Residual, int Dimension = 0, bool Tabled = false>
class ResidualNode
    : public residual_detail::StencilOperations<ResidualNode<S, Residual, Dimension, Tabled>, S> {
 public:
  constexpr ResidualNode(const ResidualState& state, const Residual& residual, const Position& at)
      : state_(state),
        residual_(residual),
        node_{node_index(state.grid, at), at},
        own_(state.own(at)),
        place_(state.window.place(at)) {}
  constexpr void tell(const NeighbourTerm* terms) { terms_ = terms; }
  // Differentiates with respect to an unknown from now on.
  constexpr void seed(std::int64_t place, int unknown, double shift) {
    seed_place_ = place;
    seed_unknown_ = unknown;
    shift_ = shift;
  }

  constexpr S operator()(int unknown) const { return known(place_, unknown, 1); }
  constexpr S rate(int unknown) const {
    return residual_detail::number<S>(state_.rate[own_ * state_.grid.dof + unknown],
                                      place_ == seed_place_ && unknown == seed_unknown_ ? shift_ : 0);
  }
  // At a neighbour, dx, dy, dz = -1, 0 or 1 nodes away. Beyond a face: what the face says of it.
  constexpr S at(int dx, int dy, int dz, int unknown) const {
    if constexpr (Tabled) {
      const NeighbourTerm& term = terms_[((dz + 1) * 9 + (dy + 1) * 3 + dx + 1) * state_.grid.dof + unknown];
      return residual_detail::number<S>(
          term.value, term.place == seed_place_ && unknown == seed_unknown_ ? term.weight : 0);
    }
    if ((dx != 0) + (dy != 0) + (dz != 0) <= 1)
      return along_axis(dx != 0 ? 0 : dy != 0 ? 1 : 2, dx + dy + dz, unknown);
    if (has_beside(0, dx) && has_beside(1, dy) && has_beside(2, dz))
      return known(place_ + dx * places(0) + dy * places(1) + dz * places(2), unknown, 1);
    return near_faces({dx, dy, dz}, unknown);
  }
  // A number of a field, [place in the window], of a whole grid [node]: here, or of a neighbour. Beyond a
  // face that is not periodic: the last node's.
  constexpr double field(const double* values, int dx = 0, int dy = 0, int dz = 0) const {
    return values[place_ + beside(0, dx) + beside(1, dy) + beside(2, dz)];
  }

  static constexpr bool slopes_alone() { return std::is_same_v<S, Dual> && says_linear<Residual>(); }
  constexpr double time_s() const { return state_.t_s; }
  constexpr const Position& position() const { return node_.position; }
  constexpr std::int64_t own() const { return own_; }  // the number in the box
  constexpr Grid grid() const { return of_dimension<Dimension>(state_.grid); }
  constexpr const ResidualState& state() const { return state_; }

 private:
  constexpr std::int64_t places(int axis) const {  // in the window, from node to node
    const auto& size = state_.window.box.size;
    return axis == 0 ? 1 : axis == 1 ? size[0] : size[0] * size[1];
  }
  // Whether the neighbour along an axis stands that far in the window.
  constexpr bool has_beside(int axis, int step) const {
    const Position& at = node_.position;
    const std::int64_t p = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
    if (step == 0 || state_.wraps(axis)) return true;
    return step < 0 ? p > 0 : p + 1 < state_.grid.extents[axis];
  }
  // How many places further it is, or the last node before a face.
  constexpr std::int64_t beside(int axis, int step) const {
    return state_.window.beside(node_.position, axis, step, state_.faces.periodic(axis));
  }
  // `weight` times u at a place.
  constexpr S known(std::int64_t place, int unknown, double weight) const {
    if constexpr (std::is_same_v<S, NeighbourTerm>)
      return {weight * state_.u[place * state_.grid.dof + unknown], weight, place};
    else
      return residual_detail::number<S>(weight * state_.u[place * state_.grid.dof + unknown],
                                        place == seed_place_ && unknown == seed_unknown_ ? weight : 0);
  }
  // As stars ask: what near_faces() gives, without its loops.
  constexpr S along_axis(int axis, int step, int unknown) const {
    if (has_beside(axis, step)) return known(place_ + step * places(axis), unknown, 1);
    const int side = 2 * axis + (step < 0 ? 0 : 1);
    const FaceBoundary& face = state_.faces.of(unknown)[side];
    if (face.kind == BoundaryKind::drop) return 0;
    if (face.kind == BoundaryKind::periodic) return known(place_ + beside(axis, step), unknown, 1);
    if (face.kind == BoundaryKind::clamp || face.kind == BoundaryKind::outflow)
      return known(place_, unknown, 1);
    const Position& at = node_.position;
    const Position beyond{at.x + (axis == 0 ? step : 0), at.y + (axis == 1 ? step : 0),
                          at.z + (axis == 2 ? step : 0)};
    const double value = datum(state_.faces, side, beyond, unknown);
    if (face.kind == BoundaryKind::value) return value;
    const ghost::Line line =
        ghost::line(face, 1, state_.grid.spacing_m[axis], conductivity(residual_, node_, axis, unknown));
    return known(place_, unknown, 1 - line.less) + line.more * value;
  }
  QUADRILLE_OUT_OF_LINE constexpr S near_faces(const Offset& offset, int unknown) const {
    const Faces& faces = state_.faces.of(unknown);
    const StencilNeighbour to{0, offset, resolve_neighbour(state_.grid, faces, node_.position, offset)};
    if (to.resolved.kind == Neighbour::Kind::nothing) return 0;
    const bool is_node = to.resolved.kind == Neighbour::Kind::node;
    if (is_node && !to.resolved.is_beyond())
      return known(state_.window.place(to.resolved.position), unknown, 1);
    const double datum = ghost::constant(residual_, node_, to, state_.grid, state_.faces, unknown);
    if (!is_node) return datum;
    const double weight = ghost::weight(residual_, node_, to, state_.grid, faces, unknown);
    return known(state_.window.place(to.resolved.position), unknown, weight) + datum;
  }

  const ResidualState& state_;
  const Residual& residual_;
  StencilNode node_;
  std::int64_t own_, place_;
  std::int64_t seed_place_ = -1;
  int seed_unknown_ = 0;
  double shift_ = 0;
  const NeighbourTerm* terms_ = nullptr;
};

// Which neighbour an InnerNode differentiates by: known to the compiler, so that what does not depend on it
// costs nothing there, or not, which compiles in a fraction of the time.
template <int dx, int dy, int dz>
struct Seed {
  static constexpr int place_in_cube = (dz + 1) * 9 + (dy + 1) * 3 + dx + 1;
  constexpr bool is(int x, int y, int z) const { return x == dx && y == dy && z == dz; }
};
using NoSeed = Seed<2, 2, 2>;
struct AnySeed {
  int place_in_cube;
  constexpr bool is(int x, int y, int z) const { return (z + 1) * 9 + (y + 1) * 3 + x + 1 == place_in_cube; }
};

// Within ResidualState::inner(), of a grid of this dimension where that is known to the compiler; else 0.
// `of_linear`: it serves the derivatives of a linear residual alone.
template <class S, class By, int Dimension = 0, bool of_linear = false>
class InnerNode : public residual_detail::StencilOperations<InnerNode<S, By, Dimension, of_linear>, S> {
 public:
  // `own`: its number in the box, `place`: that in the window; `unknown` of the neighbour `by` is the one
  // that is differentiated by, or the sum of all unknowns, each By::weight() times. With `lines` the node is
  // that many lines further: of several such nodes whose `lines` the compiler knows, neighbours that they
  // share are loaded once.
  constexpr InnerNode(const ResidualState& state, const Position& at, std::int64_t own, std::int64_t place,
                      By by, int unknown, double shift, int lines = 0)
      : state_(state),
        by_(by),
        at_{at.x, at.y + lines, at.z},
        lines_(lines),
        own_(own + lines * state.box.size[0]),
        line_(state.window.box.size[0] * state.grid.dof),
        plane_(state.window.box.size[1] * line_),
        place_(place),
        u_(state.u + place * state.grid.dof),
        seed_unknown_(unknown),
        shift_(shift) {}

  constexpr S operator()(int unknown) const { return at(0, 0, 0, unknown); }
  constexpr S rate(int unknown) const {
    return residual_detail::number<S>(state_.rate[own_ * state_.grid.dof + unknown],
                                      weight_of(0, 0, 0, unknown) * shift_);
  }
  constexpr S at(int dx, int dy, int dz, int unknown) const {
    return residual_detail::number<S>(
        u_[dx * state_.grid.dof + (dy + lines_) * line_ + dz * plane_ + unknown],
        weight_of(dx, dy, dz, unknown));
  }
  constexpr double field(const double* values, int dx = 0, int dy = 0, int dz = 0) const {
    const auto& size = state_.window.box.size;
    return values[place_ + dx + (dy + lines_) * size[0] + dz * size[0] * size[1]];
  }

  static constexpr bool slopes_alone() { return of_linear; }
  constexpr double time_s() const { return state_.t_s; }
  constexpr const Position& position() const { return at_; }
  constexpr std::int64_t own() const { return own_; }
  constexpr Grid grid() const { return of_dimension<Dimension>(state_.grid); }
  constexpr const ResidualState& state() const { return state_; }

 private:
  constexpr double weight_of(int dx, int dy, int dz, int unknown) const {
    if constexpr (requires { by_.weight(dx, dy, dz, unknown); })
      return by_.weight(dx, dy, dz, unknown);
    else
      return by_.is(dx, dy, dz) && unknown == seed_unknown_ ? 1 : 0;
  }

  const ResidualState& state_;
  By by_;
  Position at_;
  int lines_;
  std::int64_t own_, line_, plane_, place_;
  const double* u_;
  int seed_unknown_;
  double shift_;
};

}  // namespace quadrille
