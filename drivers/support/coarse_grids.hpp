// The coarser grids of a PDE for multigrid: their sizes, the interpolations between them and the operators on
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly/pdes.hpp"
#include "kernels/petsc/grid_matrix.hpp"
#include "kernels/petsc/multigrid.hpp"

namespace quadrille {

struct PdeOnGrid {
  std::string pde;
  Grid grid;
  Stencil points;
  Boundary boundary;
  PdeInput input;
  bool indexed = false;  // operators are made from CSR, or may be
  // The operator on the grid, of the type quadrille, and how its products and those of the operators on
  // coarser grids are made.
  petsc::SharedMat matrix = {};
  petsc::GridFormat format = {};
  bool as_aij = false;  // levels multiply as PETSc's own AIJ instead, where `format` would
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
