// What the Krylov solver and its multigrid share. Internal to kernels/petsc.
#pragma once

#include <petscksp.h>

#include "kernels/petsc/check.hpp"
#include "kernels/petsc/krylov.hpp"

namespace quadrille::petsc {

// The unknowns of a node.
int block_size_of(Mat matrix);

// The constants of each unknown of a node, normalised, for vectors like `model`.
Handle<MatNullSpace> constants(Vec model, int block_size);

// After KSPSetFromOptions: the coarse operators are there already, whatever -pc_mg_galerkin says.
void keep_operators(PC pc);

}  // namespace quadrille::petsc
