// What an operator on a grid may map to zero. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {

// The unknowns of a node.
int block_size_of(Mat matrix);

// The constants of each unknown of a node, normalised, for vectors like `model`.
Handle<MatNullSpace> constants(Vec model, int block_size);

}  // namespace quadrille::petsc
