// The levels of multigrid as data, on the host: for cycles that others make of them (PETSc's PCMG). They are
// chosen and made as GridMultigrid's own (multigrid.hpp), and shared by all ranks down to the coarsest.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "grid/axis_interpolation.hpp"
#include "grid/partition.hpp"
#include "kernels/multigrid/ranks.hpp"

namespace quadrille {

// A level below the finest.
struct GridLevel {
  Partition partition;
  BlockStructure structure;  // of the whole grid
  // Of this rank, [diagonal][column][row]: P^T A P, with 1 on the diagonal of a row where that is zero.
  Array<double> values;
  // P, to this rank's nodes of the next finer level, from the nodes with these numbers on this level. Where
  // the weights are not the products of those of the axes, they are here, [corner][fine row].
  std::array<AxisInterpolation, 3> axes;
  std::vector<std::int64_t> coarse_nodes;  // empty on one rank: all of them
  Array<double> weights;
};

struct GridLevelChoice {
  int levels = 0;  // with the finest, at most; 0: until there are few unknowns
  std::int64_t few = 1000,
               few_by_operator = 5000;  // where the interpolation to the second level is linear, or not
};

// Throws as make_grid_multigrid().
std::vector<GridLevel> grid_levels(const BlockDiagonals<double>& a, const GridLevelChoice& choice);
// Collective.
std::vector<GridLevel> grid_levels(const SharedOperator<Host>& a, const GridLevelChoice& choice);

}  // namespace quadrille
