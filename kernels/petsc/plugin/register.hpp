// The matrix type `quadrille` for programs that link Quadrille: what `-dll_append libquadrille_petsc.so` does
// for those that do not.
#pragma once

namespace quadrille::petsc {

// Makes "quadrille", "seqquadrille" and "mpiquadrille" known to MatSetType() and -mat_type, and the types of
// preconditioners and solvers of kernels/petsc/matrix/point_block_jacobi.hpp, multigrid/grid_multigrid.hpp
// and solve/conjugate_gradients.hpp. Within or after PetscInitialize(). Collective over PETSC_COMM_WORLD the
// first time.
void register_matrix_type();

}  // namespace quadrille::petsc
