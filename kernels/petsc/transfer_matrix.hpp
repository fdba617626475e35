// The interpolation between two grids as a PETSc matrix, for PCMG and other programs. No PETSc header is needed to include this.
#pragma once

#include <memory>

#include "kernels/grid_transfer.hpp"

struct _p_Mat;  // PETSc's Mat is a pointer to it

namespace quadrille::petsc {

// A MATSHELL of PETSC_COMM_SELF of fine rows and coarse columns, for the caller to destroy by MatDestroy; it shares `transfer`. It
// has MatMult, MatMultAdd and their transposes, which is what MatInterpolate, MatInterpolateAdd and MatRestrict use. Vectors in GPU
// memory stay there where `transfer` is in it; others are copied there and back. Throws PetscError without a Session, FormatError
// where PETSc's indices cannot hold it. What goes wrong later is a PETSc error with a message.
_p_Mat* make_transfer_matrix(std::shared_ptr<const GridTransfer<double>> transfer);

// The MATSEQAIJ of a matrix that make_transfer_matrix() made, which keeps it; null for any other matrix.
_p_Mat* aij_of_transfer(_p_Mat* matrix);

}  // namespace quadrille::petsc
