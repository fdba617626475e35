// Where the coupling of two nodes stands among the values of a matrix on a grid. Internal to
// kernels/petsc/matrix_type.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/petsc/matrix/grid_values.hpp"
#include "kernels/petsc/matrix/index_runs.hpp"

namespace quadrille::petsc {

// Value (r, c) of the block stands at values[place(r, c)], if r and c couple.
struct Block {
  PetscInt node = -1;        // global number of the column's node
  double* values = nullptr;  // of the block diagonals or of the ghosts; null outside the stencil
  std::int64_t first = 0, row_step = 0, column_step = 0;
  const std::uint8_t* fill = nullptr;  // [row][column]: what couples; null for all
  std::int64_t dof = 1;
  // Of ghosts with a fill: neighbour `column_step` of the `row_step` that the node has among them.
  const PackedFill* packed = nullptr;
  std::int64_t place(std::int64_t r, std::int64_t c) const {
    if (packed == nullptr) return first + r * row_step + c * column_step;
    return first + row_step * packed->before[r] + column_step * packed->count[r] + packed->index[r * dof + c];
  }
  double& at(std::int64_t r, std::int64_t c) const { return values[place(r, c)]; }
  bool couples(std::int64_t r, std::int64_t c) const { return fill == nullptr || fill[r * dof + c] != 0; }
};

// Puts the values of these rows and columns there, all of which couple.
void put(const Block& block, const IndexRun& rows, const IndexRun& columns, const GivenValues& given);

// The same of `rows` that stand side by side, from `to` on, and of columns `column_step` apart; `given`
// begins with the first of them.
using PutColumns = void (*)(double* to, std::int64_t column_step, PetscInt rows, PetscInt columns,
                            const GivenValues& given);
PutColumns put_columns_of(PetscInt rows, InsertMode mode);

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
        rows_(hub_.rows()),
        centre_(std::find(hub_.offsets.begin(), hub_.offsets.end(), NodeOffset{}) - hub_.offsets.begin()) {
    if (!hub_.fill.said()) return;
    if (leaves_out(hub_.fill.centre)) fill_[0] = hub_.fill.centre.data();
    if (leaves_out(hub_.fill.beside)) fill_[1] = hub_.fill.beside.data();
  }
  // Whether values of coupled nodes may have no place.
  bool leaves_out() const { return fill_[0] != nullptr || fill_[1] != nullptr; }

  // `to` by its global number.
  Block between(const OwnNode& from, PetscInt to) const {
    const std::int64_t own = std::int64_t{to} - structure_.first_node;
    if (own < 0 || own >= nodes_) return ghost_between(from.number, to);
    const std::int64_t d = structure_.diagonal(from, own);
    return d < 0 ? Block{to} : own_block(from.number, to, d);
  }
  // The place of the coupling where a node has one unknown and nothing is left out; null outside the stencil.
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
  // the ghosts' values; -1 outside the stencil and where the fill leaves it out.
  std::int64_t place_of(PetscInt row, PetscInt column) const;

 private:
  static bool leaves_out(const std::vector<std::uint8_t>& fill) {
    return std::find(fill.begin(), fill.end(), 0) != fill.end();
  }
  Block own_block(std::int64_t node, PetscInt to, std::int64_t diagonal) const {
    return {to, values_, diagonal * dof_ * rows_ + node * dof_, 1, rows_, fill_[diagonal != centre_], dof_};
  }
  Block ghost_between(std::int64_t node, PetscInt to) const;
  Block ghost_block(std::int64_t at, PetscInt to, std::int64_t place) const;  // `at`: of the boundary

  const GridStructure& structure_;
  BlockDiagonals<double>& hub_;
  double* const values_;                            // its own
  Csr<double>* ghost_;                              // null on one rank
  const std::int64_t dof_, nodes_, rows_, centre_;  // centre_: the block diagonal of the nodes themselves
  std::array<const std::uint8_t*, 2> fill_{};       // of the centre and beside it; null for all
};

}  // namespace quadrille::petsc
