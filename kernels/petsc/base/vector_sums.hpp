// Sums over PETSc's vectors in GPU memory by kernels of ours. VecMDot of PETSc 3.25, which is most of what
// GMRES does beside products and preconditioner, begins 128 blocks whatever the GPU, which read at an eighth
// of an H200's speed; its VecNorm is cuBLAS's, which reads at a seventh and is wrong for vectors with
// subnormal numbers (results/README.md). Internal to kernels/petsc.
#pragma once

#include <petscvec.h>

namespace quadrille::petsc {

// VecMDot() and the 2-norm of this vector and of its duplicates from now on, where it is of PETSc's type
// cuda. The vectors that a matrix makes have them, and those that products on a GPU meet: Krylov methods make
// theirs as duplicates of a program's.
void use_own_sums(Vec vector);

}  // namespace quadrille::petsc
