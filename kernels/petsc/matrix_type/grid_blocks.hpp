// Where the coupling of two nodes stands among the values of a matrix on a grid. Internal to kernels/petsc/matrix_type.
#pragma once

#include <vector>

#include "kernels/petsc/matrix_type/grid_values.hpp"

namespace quadrille::petsc {

// Value (r, c) of the block stands at values[place(r, c)].
struct Block {
  PetscInt node = -1;        // global number of the column's node
  double* values = nullptr;  // of the block diagonals or of the ghosts; null outside the stencil
  std::int64_t first = 0, row_step = 0, column_step = 0;
  std::int64_t place(std::int64_t r, std::int64_t c) const { return first + r * row_step + c * column_step; }
  double& at(std::int64_t r, std::int64_t c) const { return values[place(r, c)]; }
};

class GridBlocks {
 public:
  // Both live as long as this.
  GridBlocks(const GridStructure& structure, const GridValues& values)
      : structure_(structure), hub_(*values.hub()), ghost_(values.ghost().get()) {}

  // Own node `node`, from 0, and a node by its global number.
  Block between(std::int64_t node, PetscInt to) const;
  // All of own node `node`, by ascending column.
  void all_of(std::int64_t node, std::vector<Block>& blocks) const;
  // The place of a value in a row of this rank, by global numbers: in the block diagonals, or behind them in the ghosts' values;
  // -1 outside the stencil.
  std::int64_t place_of(PetscInt row, PetscInt column) const;

 private:
  Block own_block(std::int64_t node, PetscInt to, std::int64_t diagonal) const;
  Block ghost_block(std::int64_t node, PetscInt to, std::int64_t place) const;

  const GridStructure& structure_;
  BlockDiagonals<double>& hub_;
  Csr<double>* ghost_;  // null on one rank
};

}  // namespace quadrille::petsc
