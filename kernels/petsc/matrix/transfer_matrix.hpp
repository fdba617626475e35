// The interpolation between two grids as a PETSc matrix, for PCMG and other programs. No PETSc header is
// needed to include this.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/grid_transfer.hpp"

struct _p_Mat;  // PETSc's Mat is a pointer to it, and Vec to the other
struct _p_Vec;

namespace quadrille::petsc {

// A MATSHELL of PETSC_COMM_SELF of fine rows and coarse columns, for the caller to destroy by MatDestroy; it
// shares `transfer`. It has MatMult, MatMultAdd and their transposes, which is what MatInterpolate,
// MatInterpolateAdd and MatRestrict use. Vectors in GPU memory stay there where `transfer` is in it; others
// are copied there and back. Throws PetscError without a Session, FormatError where PETSc's indices cannot
// hold it. What goes wrong later is a PETSc error with a message.
_p_Mat* make_transfer_matrix(std::shared_ptr<const GridTransfer<double>> transfer);

// One rank's part of an interpolation between grids of several ranks.
struct RankTransfer {
  // To the fine nodes of this rank, from those coarse nodes that they read, whoever owns them.
  std::shared_ptr<const GridTransfer<double>> own;
  std::vector<std::int64_t> coarse_nodes;  // numbers of the latter in the coarse grid's vectors, each once
};

// The same for fine and coarse vectors of several ranks: coarse ones like `coarse`, or of PETSC_COMM_WORLD
// with so many rows of this rank, and as many fine rows as the parts have. What comes from other ranks and
// goes back to them is sent by PETSc's scatters, which take it from GPU memory and put it there. In GPU
// memory what comes back from several ranks is added in any order. Collective.
_p_Mat* make_transfer_matrix(RankTransfer part, _p_Vec* coarse);
_p_Mat* make_transfer_matrix(RankTransfer part, std::int64_t coarse_rows);

// The MATAIJ of a matrix that make_transfer_matrix() made, which keeps it; null for any other matrix.
// Collective.
_p_Mat* aij_of_transfer(_p_Mat* matrix);

}  // namespace quadrille::petsc
