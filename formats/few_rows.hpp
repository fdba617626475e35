// An operator on a grid of which few rows are all: the same everywhere but near faces, as one of constant
// coefficients is. Each of these rows is there once, whatever the size of the grid (stored_nodes.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "formats/block_diagonals.hpp"
#include "formats/stored_nodes.hpp"

namespace quadrille {

struct FewRows {
  BlockDiagonals<double> a;  // the structure of the whole grid; values: [diagonal][column][stored row]
  StoredNodes stored;        // few_nodes() without words; or all, in the order of the grid

  int nodes(int axis) const { return stored.all ? static_cast<int>(a.extents[axis]) : stored.n[axis]; }
  int along(int axis, int node) const { return stored.all ? node : stored.along(axis, node); }
  std::int64_t stored_nodes() const { return std::int64_t{nodes(0)} * nodes(1) * nodes(2); }
};

// The rows that are enough for the neighbours of such a structure, without values.
FewRows few_rows_of(const BlockStructure& structure);

// Each node of a grid gets the `width` numbers of the stored node that stands for it, of each column.
// few: [column][stored node][width], to: [column][node][width]
void repeat_nodes(const FewRows& rows, const double* few, std::int64_t columns, int width, double* to);
// values: those of the block diagonals, [diagonal][column][row]; of a box of nodes [row of the box].
void repeat_rows(const FewRows& rows, double* values);
void repeat_rows(const FewRows& rows, const std::array<std::int64_t, 3>& first,
                 const std::array<std::int64_t, 3>& size, double* values);
// By how much these differ from the block diagonals at most; infinite where one of them is no number.
double largest_difference(const FewRows& rows, const double* values);

// The same operator, of couplings to neighbours, on a grid that has few nodes more than these: each row
// stands beside each row that it stands beside on the whole one.
BlockDiagonals<double> on_small_grid(const FewRows& rows);
std::array<std::int64_t, 3> small_extents(const FewRows& rows);
// The other way: values of the rows from those of the operator on that grid, [diagonal][column][row].
void take_from_small_grid(const double* values, FewRows& rows);

}  // namespace quadrille
