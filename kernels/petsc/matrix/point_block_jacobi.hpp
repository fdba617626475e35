// Point-block Jacobi for PETSc's solvers, as fast as memory on the GPU. No PETSc header is needed to include
// this.
#pragma once

namespace quadrille::petsc {

// Makes "quadrille_pbjacobi" known to PCSetType() and -pc_type, within or after PetscInitialize(). It is
// PETSc's PCPBJACOBI, y = D^-1 x with the blocks D of MatGetBlockSize() on the diagonal, for any matrix that
// has MatInvertBlockDiagonal: the inverted blocks stand as CDS of one block diagonal, and are applied in the
// memory where the vectors are. Those of the type quadrille on a grid are inverted on the GPU where products
// are there: nothing crosses the bus. Blocks of several sizes (MatSetVariableBlockSizes) are an error. A
// singular block is what MatInvertBlockDiagonal makes of it: an error, or a solve that ends with
// KSP_DIVERGED_PC_FAILED. PETSc's AIJ itself, in version 3.25.6, inverts its blocks once, whatever its
// values become.
void register_point_block_jacobi();

}  // namespace quadrille::petsc
