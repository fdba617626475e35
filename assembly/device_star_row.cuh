// A row of a star's Jacobian as a thread of a GPU makes it. Internal to assembly's device files.
#pragma once

#include "assembly/residual.hpp"

namespace quadrille::residual_detail {

// Diagonal i of a star, or -1: z -1, y -1, x -1, the node itself, x 1, y 1, z 1.
constexpr int diagonal_of_star(const JacobianShape& shape, int i) {
  constexpr int cube[7] = {Seed<0, 0, -1>::place_in_cube, Seed<0, -1, 0>::place_in_cube,
                           Seed<-1, 0, 0>::place_in_cube, Seed<0, 0, 0>::place_in_cube,
                           Seed<1, 0, 0>::place_in_cube,  Seed<0, 1, 0>::place_in_cube,
                           Seed<0, 0, 1>::place_in_cube};
  return shape.of_cube[cube[i]];
}

// Where the numbers of a star's diagonals stand beside those of the first one, or -1.
struct StarPlaces {
  std::int64_t of[7];
};
constexpr StarPlaces star_places(const JacobianShape& shape, std::int64_t rows) {
  StarPlaces places{};
  for (int i = 0; i < 7; ++i) {
    const int d = diagonal_of_star(shape, i);
    places.of[i] = d < 0 ? -1 : d * shape.dof * rows;
  }
  return places;
}

// A row that was made before, or none: the numbers of diagonal d and column c at values[(d*dof + c)*rows].
struct MadeRow {
  const double* values = nullptr;
  std::int64_t rows = 0;
};

// Row r of the Jacobian at an inner node: the numbers of column c at row[c*rows + place]. Those of all
// neighbours are made before one is stored: what they share is loaded and computed once. And they are made
// when the column that coupled before is stored, not in their turn: a GPU's threads, whose rows couple to
// different columns, then make theirs at the same time, and all store the same column at the same time. Of a
// row that is `made` the numbers are stored instead. `blocks`: of a uniform Jacobian, or null.
template <int dimension, class Residual>
constexpr void inner_row_of_star(const ResidualState& state, const Residual& residual, const InnerPlace& node,
                                 int r, double shift, const JacobianShape& shape, const StarPlaces& places,
                                 const double* blocks, const MadeRow& made, double* row, std::int64_t rows) {
  const int dof = shape.dof;
  const bool is_made = made.values != nullptr;
  const auto slope = [&](auto by, int c) {
    const InnerNode<Dual, decltype(by), dimension, says_linear<Residual>()> u(state, node.at, node.own,
                                                                              node.place, by, c, shift);
    return Dual(residual(u, r)).slope;
  };
  int column = -1;  // whose derivatives by the neighbours are there
  double of[7] = {};
  const auto make_next = [&] {
    column = next_column(residual, false, r, column, dof);
    if (column >= dof) return;
    of[2] = slope(Seed<-1, 0, 0>{}, column), of[4] = slope(Seed<1, 0, 0>{}, column);
    of[1] = slope(Seed<0, -1, 0>{}, column), of[5] = slope(Seed<0, 1, 0>{}, column);
    if constexpr (dimension == 3)
      of[0] = slope(Seed<0, 0, -1>{}, column), of[6] = slope(Seed<0, 0, 1>{}, column);
  };
  for (int c = 0; c < dof; ++c, row += rows) {
    double old[7] = {};
    for (int i = 0; i < 7 && is_made; ++i)
      if (places.of[i] >= 0) old[i] = made.values[(diagonal_of_star(shape, i) * dof + c) * made.rows];
    bool beside = true;
    if constexpr (says_uniform<Residual>()) {
      for (int i = 0; i < 7; ++i)
        if (places.of[i] >= 0) of[i] = blocks[(diagonal_of_star(shape, i) * dof + c) * dof + r];
    } else {
      if (column < c) make_next();
      beside = c == column;
      of[3] = may_couple(residual, true, r, c) ? slope(Seed<0, 0, 0>{}, c) : 0;
    }
    for (int i = 0; i < 7; ++i)
      if (places.of[i] >= 0) row[places.of[i]] = is_made ? old[i] : beside || i == 3 ? of[i] : 0;
  }
}

}  // namespace quadrille::residual_detail
