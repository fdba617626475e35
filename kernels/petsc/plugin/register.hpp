// The matrix type `quadrille` for programs that link Quadrille: what `-dll_append libquadrille_petsc.so` does
// for those that do not.
#pragma once

namespace quadrille::petsc {

// Makes "quadrille", "seqquadrille" and "mpiquadrille" known to MatSetType() and -mat_type, and the
// preconditioner of kernels/petsc/matrix/point_block_jacobi.hpp. Within or after PetscInitialize().
// Collective over PETSC_COMM_WORLD the first time.
void register_matrix_type();

}  // namespace quadrille::petsc
