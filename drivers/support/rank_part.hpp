// What a rank has of an operator on a grid: some planes of the slowest axis. On one rank, all of it.
#pragma once

#include <memory>

#include "assembly/stencil_operator.hpp"
#include "formats/slab.hpp"
#include "grid/subdomain.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

// The planes of this rank, along slab_axis(), and the lines of nodes that they are; none where a coarser grid has fewer planes than there are ranks.
Planes planes_of_rank(const Grid& grid);
LineRange lines_of_rank(const Grid& grid);

// Throws InputError where this grid, the finest one, has fewer planes than there are ranks.
void require_planes_for_all(const Grid& grid);

struct RankSource {
  Source<double> source;                    // of this rank's rows and columns; nothing where it has none
  std::shared_ptr<const GhostPart> ghosts;  // its couplings to the other ranks; null on one rank
};

// From this rank's rows: `values` of lines_of_rank(), as assemble_lines() gives them; with CSR beside the hub where it is wanted.
RankSource rank_source(const Grid& grid, BlockStructure structure, Array<double> values, bool with_csr);

// In a format, which needs CSR in the source unless it is cds or dia.
std::shared_ptr<const SpmvOperator<double>> rank_operator(const RankSource& part, const FormatEntry& entry,
                                                          const FormatOptions& options);

}  // namespace quadrille
