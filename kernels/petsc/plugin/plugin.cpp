// The entry of libquadrille_petsc.so: PETSc calls it for -dll_append, by the library's name.
#include <petscsys.h>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/uses.hpp"
#include "kernels/petsc/plugin/register.hpp"

namespace quadrille::petsc {
namespace {

// A program that sets its matrix type by itself runs as without the library, which nobody would notice.
PetscErrorCode say_if_unused() {
  return guarded("PetscFinalize_Quadrille", [] {
    long long mine = uses(), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, PETSC_COMM_WORLD);
    if (all > 0) return;
    QUADRILLE_PETSC(
        PetscFPrintf(PETSC_COMM_WORLD, PETSC_STDERR,
                     "quadrille: libquadrille_petsc was loaded, but no matrix of type quadrille was made: "
                     "this program sets its matrix types "
                     "itself, or needs -mat_type quadrille (with a DM: -dm_mat_type quadrille)\n"));
  });
}

}  // namespace
}  // namespace quadrille::petsc

PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_quadrille_petsc(void) {
  using namespace quadrille::petsc;
  return guarded("PetscDLLibraryRegister_quadrille_petsc", [] {
    register_matrix_type();
    QUADRILLE_PETSC(PetscRegisterFinalize(say_if_unused));
  });
}
