// What a stencil finds beyond a face of the grid. Every unknown of a node has its own kind and constants
// there, or all of them have the same. With h the spacing along the axis, n pointing out of the grid and the
// a of the operator (1 where it has none), the flux is q = a du/dn.
//
//   drop          nothing: the neighbour is left out of the row
//   periodic      the node at the other end of the axis (both faces of an axis, or neither; for all unknowns)
//   value:X       the constant X, which moves to the right side: u = X one spacing beyond the last node
//   clamp         the nearest node inside the grid: q = 0 half a spacing beyond the last node
//   outflow       the same: what an advected quantity has at the last node goes out with it
//   flux:X        q = X half a spacing beyond the last node; clamp is flux:0
//   robin:A,B,C   A u + B q = C at the same place; flux:X is robin:0,1,X
//
//     o----o----o----|----x        o  nodes of the grid     |  the face of clamp, outflow, flux, robin
//              last  h/2  h        x  the point beyond it, where the face of value and drop is
//
// docs/boundaries.md has the discretisation, the orders and the signs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "grid/grid.hpp"
#include "grid/stencil.hpp"

namespace quadrille {

enum class BoundaryKind { drop, periodic, clamp, value, flux, robin, outflow };

// As it is written: "periodic", "value:X", ...
const char* usage(BoundaryKind kind);

// Of one unknown.
struct FaceBoundary {
  BoundaryKind kind = BoundaryKind::drop;
  double value = 0;     // X of value and flux, C of robin
  double a = 0, b = 1;  // A and B of robin; of flux they are these
  bool operator==(const FaceBoundary&) const = default;
};

using Faces = std::array<FaceBoundary, 6>;  // x-, x+, y-, y+, z-, z+

// X or C as a function of place, (const Position& beyond, int unknown), or of place and time, with a third
// argument: t in s. `beyond` is the point that the stencil names: one spacing beyond the last node next to
// the face (of value: as far as the stencil reaches), so one of its coordinates is -1 or the extent; beyond
// two faces, two of them may be. Called by several threads at once; it must not throw. A residual in time
// asks at the time of each evaluation, whoever assembles an operator at t = 0.
class FaceData {
 public:
  FaceData() = default;
  template <class F>
  requires(std::is_invocable_r_v<double, const F&, const Position&, int> ||
           std::is_invocable_r_v<double, const F&, const Position&, int, double>)
      FaceData(F function)  // NOLINT: a lambda is one
  {
    if constexpr (std::is_invocable_r_v<double, const F&, const Position&, int, double>)
      at_ = std::move(function);
    else
      at_ = [function = std::move(function)](const Position& beyond, int unknown, double) {
        return function(beyond, unknown);
      };
  }

  explicit operator bool() const { return static_cast<bool>(at_); }
  double operator()(const Position& beyond, int unknown, double t_s = 0) const {
    return at_(beyond, unknown, t_s);
  }
  // How to_string() writes it, [unknown] or one for all; an empty one is the constant of that unknown.
  std::vector<std::string> written{};
  // The same numbers of an unknown for `count` points along an axis, each `stride` behind the one before;
  // may be empty.
  std::function<void(const Position& first, int axis, std::int64_t count, int unknown, double t_s,
                     std::int64_t stride, double* values)>
      along{};
  bool steady = false;  // they are the same at any time, and whenever they are asked for

 private:
  std::function<double(const Position&, int, double)> at_;
};

struct Boundary {
  Faces faces{};                    // of every unknown
  std::vector<Faces> of_unknown{};  // [unknown], in place of `faces`, where unknowns differ; else empty
  std::array<FaceData, 6> data{};   // of value, flux and robin, in place of the constants; where it is set

  const Faces& of(int unknown) const { return of_unknown.empty() ? faces : of_unknown[unknown]; }
  bool periodic(int axis) const { return of(0)[2 * axis].kind == BoundaryKind::periodic; }
};

// Whether u is held, or dropped, which is to hold 0, one spacing beyond the last node.
constexpr bool holds_value(const FaceBoundary& face) {
  return face.kind == BoundaryKind::value || face.kind == BoundaryKind::drop;
}
// Whether u follows from the face, not only its slope.
constexpr bool fixes_unknown(const FaceBoundary& face) {
  return holds_value(face) || (face.kind == BoundaryKind::robin && face.a != 0);
}
// Whether the points beyond the face are those of the last node, continued.
constexpr bool continues(const FaceBoundary& face) {
  return !holds_value(face) && face.kind != BoundaryKind::periodic;
}
// Whether constants or a function belong to the kind.
constexpr bool takes_data(const FaceBoundary& face) {
  return face.kind == BoundaryKind::value || face.kind == BoundaryKind::flux ||
         face.kind == BoundaryKind::robin;
}

// Whether any face has data but zero.
bool has_data(const Boundary& boundary, int dimension);

// One face for all of them, or one for each separated by commas: x-,x+,y-,y+[,z-,z+]. A face is one kind for
// all unknowns, or one for each separated by slashes. Throws InputError.
Boundary parse_boundary(const std::string& text, int dimension);
std::string to_string(const Boundary& boundary, int dimension);
// The kinds in such a text, [face][unknown], as they are written, without blanks.
std::vector<std::vector<std::string>> boundary_parts(const std::string& text);

// Throws InputError when one face of an axis is periodic and the other is not, or not for all unknowns; when
// a constant is not finite, A and B of robin are both 0, a function is given where nothing takes it, or one
// face of an axis that the dimension lacks differs from the other.
void validate(const Boundary& boundary, int dimension);
// The same, and when kinds are given for another number of unknowns, or A and B of robin have different signs
// and the grid is too coarse for it: |A| h must stay below 2 |B|.
void validate(const Boundary& boundary, const Grid& grid);

// What the stencil point `offset` of the node at `at` refers to.
struct Neighbour {
  enum class Kind { node, constant, nothing };
  Kind kind = Kind::nothing;
  Position position;  // of the node it resolves to, for Kind::node
  int face = -1;      // that has the constant, for Kind::constant
  // How many nodes the point stands beyond a face of flux or robin, along each axis: below 0 at the low face.
  std::array<std::int8_t, 3> beyond{};

  constexpr bool is_beyond() const { return (beyond[0] | beyond[1] | beyond[2]) != 0; }
};

// A point beyond several faces at once (a corner) is dropped if any of them drops it; else it takes the value
// of the first face, in x, y, z order, that has one; else every axis wraps or continues by itself.
constexpr Neighbour resolve_neighbour(const Grid& grid, const Faces& faces, const Position& at,
                                      const Offset& offset) {
  std::array<std::int64_t, 3> p{at.x + offset.x, at.y + offset.y, at.z + offset.z};
  Neighbour result;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t extent = grid.extents[axis];
    if (p[axis] >= 0 && p[axis] < extent) continue;
    const int side = 2 * axis + (p[axis] < 0 ? 0 : 1);
    const BoundaryKind kind = faces[side].kind;
    if (kind == BoundaryKind::drop) return {};
    if (kind == BoundaryKind::value) {
      if (result.face < 0) result.face = side;
    } else if (kind == BoundaryKind::periodic) {
      p[axis] = (p[axis] % extent + extent) % extent;
    } else {
      const std::int64_t last = p[axis] < 0 ? 0 : extent - 1;
      if (kind == BoundaryKind::flux || kind == BoundaryKind::robin)
        result.beyond[axis] = static_cast<std::int8_t>(p[axis] - last);
      p[axis] = last;
    }
  }
  if (result.face >= 0) return {Neighbour::Kind::constant, {}, result.face, {}};
  result.kind = Neighbour::Kind::node;
  result.position = {p[0], p[1], p[2]};
  return result;
}

}  // namespace quadrille
