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

  bool periodic(int axis) const { return faces[2 * axis].kind == BoundaryKind::periodic; }
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
Neighbour resolve_neighbour(const Grid& grid, const Boundary& boundary, const Position& at,
                            const Offset& offset);

}  // namespace quadrille
