// PETSc's factorisations for seqquadrille. Internal to kernels/petsc/matrix_type.
#pragma once

namespace quadrille::petsc {

void register_factors();

}  // namespace quadrille::petsc
