// Interpolation between the grids of a DMDA by our own kernels, where PETSc's would be AIJ in host memory.
// Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscdm.h>

namespace quadrille::petsc {

// Whether the vectors of the DM are VECCUDA.
bool makes_gpu_vectors(DM dm);

// Whether it gives its matrices zeros, assembled, where they are AIJ (DMSetMatrixPreallocateOnly).
bool fills_matrices(DM dm);

// From now on DMCreateInterpolation from the DMs that `fine`, a DMDA, is coarsened to gives a transfer matrix
// (kernels/petsc/matrix/transfer_matrix.hpp) with the values of PETSc's: for linear interpolation (DMDA_Q1)
// between grids of the same ranks, whose boxes need not lie over each other. What else there is stays
// PETSc's. May be called again.
void offer_interpolation(DM fine);

}  // namespace quadrille::petsc
