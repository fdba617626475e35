// The nodes that a coefficient functor is asked about, and what its coefficients towards a point beyond a
// face come to.
//
// With u the unknown at the last node, h the spacing and a the conductivity, the face of flux and robin has,
// half a spacing beyond,  u_face = (u + u_ghost)/2  and  q = a (u_ghost - u)/h,  so that  A u_face + B q = C
// gives
//
//   u_ghost = (1 - A/s) u + C/s,   s = B a/h + A/2
//
// and, k nodes beyond, k times the difference: the function goes on in a straight line. Where a is 0 nothing
// flows: u_ghost = u.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "grid/boundary.hpp"
#include "grid/grid.hpp"
#include "grid/stencil.hpp"

namespace quadrille {

struct StencilNode {
  std::int64_t index = 0;
  Position position;
};

struct StencilNeighbour {
  int point = 0;            // index in the stencil
  Offset offset;            // stencil.offsets[point], before wrapping or clamping
  Neighbour resolved;       // what stands there
  std::int64_t index = -1;  // of the node it resolves to, or -1
};

namespace coefficient_detail {

// A member function of the name, whatever its arguments; a datum of that name is none.
template <class Function, class Class>
constexpr bool is_function(Function Class::*) {
  return std::is_function_v<Function>;
}
template <class Coefficient>
constexpr bool has_source() {
  if constexpr (requires { is_function(&Coefficient::source); })
    return is_function(&Coefficient::source);
  else
    return false;
}
template <class Coefficient>
constexpr bool has_conductivity() {
  if constexpr (requires { is_function(&Coefficient::conductivity); })
    return is_function(&Coefficient::conductivity);
  else
    return false;
}

}  // namespace coefficient_detail

// Whether a coefficient functor is one, in a sentence where it is not; a source or a conductivity that could
// not be called would be passed over.
template <class Coefficient>
constexpr void require_coefficient() {
  static_assert(std::is_trivially_copyable_v<Coefficient>,
                "a coefficient functor must be trivially copyable: it is copied to every thread and into GPU "
                "memory, so it holds numbers, std::array and raw pointers, and no std::vector, std::function "
                "or std::string");
  static_assert(std::is_invocable_r_v<double, const Coefficient&, const StencilNode&, const StencilNeighbour&,
                                      int, int>,
                "a coefficient functor must have  double operator()(const StencilNode& node, const "
                "StencilNeighbour& neighbour, int r, int c) const");
  static_assert(
      !coefficient_detail::has_source<Coefficient>() ||
          requires(const Coefficient& c, const StencilNode& node) { 0.0 + c.source(node, 0); },
      "the source of a coefficient functor must be  double source(const StencilNode& node, int "
      "unknown) const");
  static_assert(
      !coefficient_detail::has_conductivity<Coefficient>() ||
          requires(const Coefficient& c, const StencilNode& node) { 0.0 + c.conductivity(node, 0, 0); },
      "the conductivity of a coefficient functor must be  double conductivity(const StencilNode& "
      "node, int axis, int unknown) const");
}

// a of the flux q = a du/dn of an unknown, towards an axis: what a functor says by
//
//   constexpr double conductivity(const StencilNode& node, int axis, int unknown) const;
//
// and 1 for those without.
template <class Coefficient>
constexpr double conductivity(const Coefficient& coefficient, const StencilNode& node, int axis,
                              int unknown) {
  if constexpr (requires { coefficient.conductivity(node, axis, unknown); })
    return coefficient.conductivity(node, axis, unknown);
  else
    return 1;
}

namespace ghost {

// Of the nodes beyond a face of flux or robin along one axis: x there is x of the last node, less `less`
// times that, plus `more` times the datum of the face.
struct Line {
  double less = 0, more = 0;
};

constexpr Line line(const FaceBoundary& face, int steps, double spacing, double a) {
  if (a == 0) return {};
  const double s = face.b * a / spacing + 0.5 * face.a;
  return {steps * (face.a / s), steps / s};
}

constexpr int face_of(const StencilNeighbour& to, int axis) {
  return 2 * axis + (to.resolved.beyond[axis] < 0 ? 0 : 1);
}
constexpr int steps(const StencilNeighbour& to, int axis) {
  return to.resolved.beyond[axis] < 0 ? -to.resolved.beyond[axis] : to.resolved.beyond[axis];
}

template <class Coefficient>
constexpr Line line(const Coefficient& coefficient, const StencilNode& node, const StencilNeighbour& to,
                    const Grid& grid, const Faces& faces, int axis, int unknown) {
  return line(faces[face_of(to, axis)], steps(to, axis), grid.spacing_m[axis],
              conductivity(coefficient, node, axis, unknown));
}

// How many times the node that `to` resolves to stands at the point.
template <class Coefficient>
constexpr double weight(const Coefficient& coefficient, const StencilNode& node, const StencilNeighbour& to,
                        const Grid& grid, const Faces& faces, int unknown) {
  double result = 1;
  for (int axis = 0; axis < 3; ++axis)
    if (to.resolved.beyond[axis] != 0)
      result *= 1 - line(coefficient, node, to, grid, faces, axis, unknown).less;
  return result;
}

// X or C of a face. Another type than Boundary that says what stands there has a function of this name.
inline double datum(const Boundary& boundary, int face, const Position& beyond, int unknown) {
  return boundary.data[face] ? boundary.data[face](beyond, unknown) : boundary.of(unknown)[face].value;
}

// What is added to that there, or stands there alone. A corner goes in along one axis after the other.
template <class Coefficient, class Sides>
constexpr double constant(const Coefficient& coefficient, const StencilNode& node, const StencilNeighbour& to,
                          const Grid& grid, const Sides& boundary, int unknown) {
  std::array<std::int64_t, 3> p{node.position.x + to.offset.x, node.position.y + to.offset.y,
                                node.position.z + to.offset.z};
  for (int axis = 0; axis < grid.dimension; ++axis)
    if (boundary.periodic(axis))
      p[axis] = (p[axis] % grid.extents[axis] + grid.extents[axis]) % grid.extents[axis];
  if (to.resolved.kind == Neighbour::Kind::constant)
    return datum(boundary, to.resolved.face, {p[0], p[1], p[2]}, unknown);
  double result = 0, factor = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const bool low = p[axis] < 0;
    if (!low && p[axis] < grid.extents[axis]) continue;
    if (to.resolved.beyond[axis] != 0) {
      const Line on = line(coefficient, node, to, grid, boundary.of(unknown), axis, unknown);
      p[axis] = low ? -1 : grid.extents[axis];
      result += factor * (on.more * datum(boundary, face_of(to, axis), {p[0], p[1], p[2]}, unknown));
      factor *= 1 - on.less;
    }
    p[axis] = low ? 0 : grid.extents[axis] - 1;
  }
  return result;
}

}  // namespace ghost
}  // namespace quadrille
