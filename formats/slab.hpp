// The rows that one rank holds of an operator on a grid: those of some planes of one axis, the slowest that has more than one node.
// Nodes are numbered through the whole grid, so that these rows are consecutive.
//
//   3D, 2 ranks: planes 0 1 2 | 3 4         rows of rank 1:   [ ghost part | own part ]
//
// PETSc's matrices on several ranks are split the same way: the columns of the rank's own rows, here block diagonals again, and
// those of other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"

namespace quadrille {

struct Slab {
  BlockStructure structure;  // of the whole grid
  int axis = 2;              // whose planes these are: 2, or 1 where there is one node along z
  std::int64_t first_plane = 0, planes = 0;
  Array<double> values;  // [diagonal][column][row of the slab]

  std::int64_t plane_nodes() const { return structure.nodes() / structure.extents[axis]; }
  std::int64_t first_node() const { return first_plane * plane_nodes(); }
  std::int64_t nodes() const { return planes * plane_nodes(); }
};

// What a rank's rows couple to in the columns of other ranks.
struct GhostPart {
  Csr<double> values;                       // boundary rows x columns
  std::vector<std::int32_t> boundary_rows;  // of this rank, from 0, ascending
  std::vector<std::int64_t> columns;        // of the whole grid, ascending
};

struct SplitSlab {
  BlockDiagonals<double> own;  // without planes: no values, and 0 nodes along the axis
  GhostPart ghosts;
};

// Takes the slab apart; `own` takes over its values where it has as many block diagonals. Throws FormatError
// where the slab has more rows than 32 bits count, and where a slab with periodic planes holds more than half
// of them but not all.
SplitSlab split(Slab slab);

// Compressed rows over the columns of the whole grid, of which there may be more than a CSR counts.
struct JoinedRows {
  std::int64_t rows = 0, columns = 0;
  Array<std::int32_t> row_ptr;
  Array<std::int64_t> column;  // ascending
  Array<double> value;
};

// The rows of a rank.
JoinedRows joined_rows(const Csr<double>& own, const GhostPart& ghosts, std::int64_t first_row,
                       std::int64_t all_columns);

}  // namespace quadrille
