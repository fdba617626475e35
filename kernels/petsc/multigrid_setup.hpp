// Gives a PC its levels where PETSc's options ask for multigrid. Internal to kernels/petsc.
#pragma once

#include <petscksp.h>

#include "kernels/petsc/check.hpp"
#include "kernels/petsc/krylov.hpp"

namespace quadrille::petsc {

// The unknowns of a node.
int block_size_of(Mat matrix);

// The constants of each unknown of a node, normalised, for vectors like `model`.
Handle<MatNullSpace> constants(Vec model, int block_size);

// Before KSPSetFromOptions: makes the levels below `finest`, the matrix of the problem, and hands them to
// `pc`. Smoothers are Chebyshev with Jacobi and the coarsest level is solved by LU of an AIJ matrix, unless
// the options say otherwise. A problem whose constants are null needs no more: each residual is orthogonal to
// them on every level, for the rows of P add up to one, and on the coarsest one the first node of each
// unknown is held, which changes nothing but the constant. Throws what problem.coarsen throws,
// PetscOptionError where the problem has no coarser grids.
bool set_levels(PC pc, const KrylovProblem& problem, Mat finest, const MultigridRequest& request);

// After KSPSetFromOptions: the coarse operators are there already, whatever -pc_mg_galerkin says.
void keep_operators(PC pc, bool galerkin);

}  // namespace quadrille::petsc
