// The coarser grids of a PDE for multigrid: their sizes, the interpolations between them and the operators on
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assembly/pdes.hpp"
#include "drivers/support/rank_part.hpp"
#include "kernels/petsc/multigrid.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

struct PdeOnGrid {
  std::string pde;
  Grid grid;
  Stencil points;
  Boundary boundary;
  PdeInput input;
  std::shared_ptr<const SpmvOperator<double>> op;
  const FormatEntry* entry = nullptr;  // the format, and the memory, of the operators on every grid
  FormatOptions format_options;
  // On several ranks, of which each has its lines (rank_part.hpp).
  std::shared_ptr<const GhostPart> ghosts = {};
  // Where the interpolations multiply, if not where the format does.
  std::optional<SpaceKind> vectors = {};
};

// The grids of multigrid, the finest first. Each axis of more than one node is halved from one to the next,
// as long as there are more than `enough` unknowns or, where `levels` is not 0, until there are so
// many grids. Discretised again (not `nested`), a grid spans the length of the finest one, with as many nodes
// as fit half as close; nested, its nodes are every other one of the finer grid, and its spacing says
// nothing. Throws InputError where `levels` is more than there can be.
std::vector<Grid> multigrid_grids(const Grid& finest, const Boundary& boundary, int levels, bool nested,
                                  std::int64_t enough);

// The levels below the finest one, as petsc::Coarsen wants them. Discretised again, an operator is multiplied
// by how much more volume a node stands for, which is what the transpose of the interpolation restricts
// residuals to. As suits: Galerkin's for the PDEs whose coefficients coarser grids do not see
// (pde_looks_alike_on_coarser_grids). All ranks do it together.
petsc::CoarseLevels coarsen(const PdeOnGrid& finest, int levels, petsc::CoarseOperators operators);

// About what the levels, with the vectors of all of them, add to the memory of this rank's operator. Throws
// as multigrid_grids(), and FormatError past 64 bits.
std::int64_t multigrid_bytes(const PdeOnGrid& finest, int levels, petsc::CoarseOperators operators);

}  // namespace quadrille
