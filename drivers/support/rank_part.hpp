// What a rank has of a grid: some planes of the slowest axis. On one rank, all of it.
#pragma once

#include "assembly/stencil_operator.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// Ranks have none of it where a coarser grid has fewer planes than there are ranks.
Partition partition_of(const Grid& grid, const Boundary& boundary);
// The lines of nodes that this rank has.
LineRange lines_of_rank(const Grid& grid);

// Throws InputError where this grid, the finest one, has fewer planes than there are ranks.
void require_planes_for_all(const Grid& grid);

}  // namespace quadrille
