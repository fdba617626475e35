// The entry of libquadrille_petsc.so: PETSc calls it for -dll_append, by the library's name.
#include <petscsys.h>

#include "kernels/petsc/guarded.hpp"
#include "kernels/petsc/matrix_type/register.hpp"

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_quadrille_petsc(void) {
  return quadrille::petsc::guarded("PetscDLLibraryRegister_quadrille_petsc",
                                   [] { quadrille::petsc::register_matrix_type(); });
}
