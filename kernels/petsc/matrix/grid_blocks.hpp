// Where the coupling of two nodes stands among the values of a matrix on a grid. Internal to
// kernels/petsc/matrix_type.
#pragma once

#include <vector>

#include "kernels/petsc/matrix/grid_values.hpp"
#include "kernels/petsc/matrix/index_runs.hpp"

namespace quadrille::petsc {

// Value (r, c) of the block stands at values[place(r, c)].
struct Block {
  PetscInt node = -1;        // global number of the column's node
  double* values = nullptr;  // of the block diagonals or of the ghosts; null outside the stencil
  std::int64_t first = 0, row_step = 0, column_step = 0;
  std::int64_t place(std::int64_t r, std::int64_t c) const { return first + r * row_step + c * column_step; }
  double& at(std::int64_t r, std::int64_t c) const { return values[place(r, c)]; }
};

// Puts the values of these rows and columns there.
void put(const Block& block, const IndexRun& rows, const IndexRun& columns, const GivenValues& given);

class GridBlocks {
 public:
  // Both live as long as this.
  GridBlocks(const GridStructure& structure, const GridValues& values)
      : structure_(structure),
        hub_(*values.hub()),
        values_(hub_.values.data()),
        ghost_(values.ghost().get()),
        dof_(hub_.dof),
        nodes_(hub_.nodes()),
        rows_(hub_.rows()) {}

  // `to` by its global number.
  Block between(const OwnNode& from, PetscInt to) const {
    const std::int64_t own = std::int64_t{to} - structure_.first_node;
    if (own < 0 || own >= nodes_) return ghost_between(from.number, to);
    const std::int64_t d = structure_.diagonal(from, own);
    return d < 0 ? Block{to} : own_block(from.number, to, d);
  }
  // The place of the coupling where a node has one unknown; null outside the stencil.
  double* single(const OwnNode& from, PetscInt to) const {
    const std::int64_t own = std::int64_t{to} - structure_.first_node;
    if (own >= 0 && own < nodes_) {
      const std::int64_t d = structure_.diagonal(from, own);
      return d < 0 ? nullptr : values_ + d * nodes_ + from.number;
    }
    const Block block = ghost_between(from.number, to);
    return block.values == nullptr ? nullptr : &block.at(0, 0);
  }
  // All of own node `node`, by ascending column.
  void all_of(std::int64_t node, std::vector<Block>& blocks) const;
  // The place of a value in a row of this rank, by global numbers: in the block diagonals, or behind them in
  // the ghosts' values; -1 outside the stencil.
  std::int64_t place_of(PetscInt row, PetscInt column) const;

 private:
  Block own_block(std::int64_t node, PetscInt to, std::int64_t diagonal) const {
    return {to, values_, diagonal * dof_ * rows_ + node * dof_, 1, rows_};
  }
  Block ghost_between(std::int64_t node, PetscInt to) const;
  Block ghost_block(std::int64_t node, PetscInt to, std::int64_t place) const;

  const GridStructure& structure_;
  BlockDiagonals<double>& hub_;
  double* const values_;  // its own
  Csr<double>* ghost_;    // null on one rank
  const std::int64_t dof_, nodes_, rows_;
};

}  // namespace quadrille::petsc
