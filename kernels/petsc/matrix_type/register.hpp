// The matrix type `quadrille` for programs that link Quadrille: what `-dll_append libquadrille_petsc.so` does for those that do
// not.
#pragma once

namespace quadrille::petsc {

// Makes "quadrille", "seqquadrille" and "mpiquadrille" known to MatSetType() and -mat_type. Within or after PetscInitialize().
void register_matrix_type();

}  // namespace quadrille::petsc
