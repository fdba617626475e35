// A structured grid of nodes with `dof` unknowns on each. x varies fastest, the DoF innermost: row = node *
// dof + r, which is the order of PETSc's DMDA vectors.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace quadrille {

inline constexpr int max_dof = 64;

struct Grid {
  int dimension = 3;                             // 2 or 3
  std::array<std::int64_t, 3> extents{1, 1, 1};  // nodes along x, y, z; z is 1 in 2D
  std::array<double, 3> spacing_m{1, 1, 1};      // distance of neighbouring nodes along each axis
  int dof = 1;                                   // unknowns per node, 1..64

  constexpr std::int64_t nodes() const { return extents[0] * extents[1] * extents[2]; }
  constexpr std::int64_t rows() const { return nodes() * dof; }
};

// The integer position of a node.
struct Position {
  std::int64_t x = 0, y = 0, z = 0;
  bool operator==(const Position&) const = default;
};

constexpr std::int64_t node_index(const Grid& grid, const Position& p) {
  return (p.z * grid.extents[1] + p.y) * grid.extents[0] + p.x;
}

constexpr Position node_position(const Grid& grid, std::int64_t node) {
  const std::int64_t line = node / grid.extents[0];
  return {node % grid.extents[0], line % grid.extents[1], line / grid.extents[1]};
}

// Throws InputError unless dimension, extents, spacing and DoF are usable and rows() fits 63 bits.
void validate(const Grid& grid);

// "256x256" or "64x32x16"; throws InputError with the text and the reason.
Grid parse_grid(const std::string& text);

// The inverse of parse_grid.
std::string to_string(const Grid& grid);

}  // namespace quadrille
