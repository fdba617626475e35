// What a stencil finds beyond a face of the grid.
//
//   drop       nothing: the neighbour is left out of the row
//   periodic   the node at the other end of the axis (both faces of an axis, or neither)
//   clamp      the nearest node inside the grid
//   value:X    the constant X, which moves to the right-hand side
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "grid/grid.hpp"
#include "grid/stencil.hpp"

namespace quadrille {

enum class BoundaryKind { drop, periodic, clamp, value };

struct FaceBoundary {
  BoundaryKind kind = BoundaryKind::drop;
  double value = 0;  // of the unknowns beyond the face, for BoundaryKind::value
  bool operator==(const FaceBoundary&) const = default;
};

struct Boundary {
  std::array<FaceBoundary, 6> faces{};  // x-, x+, y-, y+, z-, z+

  constexpr bool periodic(int axis) const { return faces[2 * axis].kind == BoundaryKind::periodic; }
};

// One kind for all faces, or one per face separated by commas: x-,x+,y-,y+[,z-,z+]. Throws InputError.
Boundary parse_boundary(const std::string& text, int dimension);
std::string to_string(const Boundary& boundary, int dimension);

// Throws InputError when one face of an axis is periodic and the other is not, or a value is not finite.
void validate(const Boundary& boundary, int dimension);

// What the stencil point `offset` of the node at `at` refers to.
struct Neighbour {
  enum class Kind { node, constant, nothing };
  Kind kind = Kind::nothing;
  Position position;  // of the node it resolves to, for Kind::node
  double value = 0;   // for Kind::constant
};

// A point beyond several faces at once (a corner) is dropped if any of them drops it; else it takes the value of the
// first face, in x, y, z order, that has one; else every axis wraps or clamps by itself.
constexpr Neighbour resolve_neighbour(const Grid& grid, const Boundary& boundary, const Position& at,
                                      const Offset& offset) {
  std::array<std::int64_t, 3> p{at.x + offset.x, at.y + offset.y, at.z + offset.z};
  const FaceBoundary* constant = nullptr;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t extent = grid.extents[axis];
    if (p[axis] >= 0 && p[axis] < extent) continue;
    const FaceBoundary& face = boundary.faces[2 * axis + (p[axis] < 0 ? 0 : 1)];
    switch (face.kind) {
      case BoundaryKind::drop:
        return {};
      case BoundaryKind::value:
        if (constant == nullptr) constant = &face;
        break;
      case BoundaryKind::periodic:
        p[axis] = (p[axis] % extent + extent) % extent;
        break;
      case BoundaryKind::clamp:
        p[axis] = p[axis] < 0 ? 0 : extent - 1;
        break;
    }
  }
  if (constant != nullptr) return {Neighbour::Kind::constant, {}, constant->value};
  return {Neighbour::Kind::node, {p[0], p[1], p[2]}, 0};
}

}  // namespace quadrille
