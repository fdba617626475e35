// Parts of PETSc that read AIJ's arrays. Internal to kernels/petsc/matrix_type.
#pragma once

namespace quadrille::petsc {

// Lets them read those of the AIJ copy, where the matrix is of this type.
void register_aij_readers();

}  // namespace quadrille::petsc
