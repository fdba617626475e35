// The rows of a Jacobian that is uniform (residual.hpp): linear, by the same coefficients at all nodes. They
// follow from the blocks of one node that has all its neighbours, near faces with what these make of
// neighbours. Internal to assembly.
#pragma once

#include <cstdint>

#include "assembly/jacobian_shape.hpp"
#include "assembly/residual_node.hpp"

namespace quadrille::residual_detail {

// By the functor's word.
template <class Residual>
constexpr bool says_uniform() {
  if constexpr (requires { Residual::uniform; })
    return Residual::uniform && says_linear<Residual>();
  else
    return false;
}

// The blocks of an inner node of a uniform Jacobian, [diagonal][column][row].
constexpr int blocks_size(const JacobianShape& shape) {
  return shape.diagonals * shape.dof * shape.dof;
}
// Row r of them: the number of column c at row[c*rows + place].
constexpr void copy_row(const double* blocks, int r, const JacobianShape& shape, double* row,
                        std::int64_t rows) {
  const int columns = shape.diagonals * shape.dof;
  for (int k = 0; k < columns; ++k) row[k * rows] = blocks[k * shape.dof + r];
}
// The same near faces: what they make of a neighbour, term(Seed::place_in_cube, unknown), is some part of
// what a diagonal leads to.
template <class Term>
constexpr void uniform_row(const ResidualState& state, const Position& at, int r, const JacobianShape& shape,
                           const double* blocks, const Term& term, double* row, std::int64_t rows) {
  const int dof = shape.dof;
  std::int64_t place[27] = {};
  for (int d = 0; d < shape.diagonals; ++d) {
    Position to;
    place[d] = shape.neighbour(at, d, to) ? state.window.place(to) : -1;
    for (int c = 0; c < dof; ++c) row[(d * dof + c) * rows] = 0;
  }
  for (int of = 0; of < 27; ++of) {
    if (shape.of_cube[of] < 0) continue;
    for (int c = 0; c < dof; ++c) {
      const double coefficient = blocks[(shape.of_cube[of] * dof + c) * dof + r];
      if (coefficient == 0) continue;
      const NeighbourTerm part = term(of, c);
      if (part.weight == 0) continue;
      int d = shape.of_cube[of];
      if (place[d] != part.place)
        for (d = 0; d < shape.diagonals && place[d] != part.place;) ++d;
      if (d < shape.diagonals) row[(d * dof + c) * rows] += part.weight * coefficient;
    }
  }
}
// Of an entry that was made, and the one of the blocks.
constexpr bool differ(double a, double b) {
  constexpr double rounding = 1e-12;
  const double difference = a > b ? a - b : b - a, size = a < 0 ? -a : a;
  return !(difference <= rounding * size);
}

// The rows of a line of inner nodes from `first` on. values: [diagonal][column][row of the box].
inline void uniform_line(const ResidualState& state, const Position& first, std::int64_t count,
                         const JacobianShape& shape, const double* blocks, double* values) {
  const int dof = state.grid.dof;
  const std::int64_t rows = state.box.nodes() * dof;
  double* to = values + state.own(first) * dof;
  for (int k = 0; k < shape.diagonals * dof; ++k, to += rows, blocks += dof)
    for (std::int64_t i = 0; i < count; ++i)
      for (int r = 0; r < dof; ++r) to[i * dof + r] = blocks[r];
}

}  // namespace quadrille::residual_detail
