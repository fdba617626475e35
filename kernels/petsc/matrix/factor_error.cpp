// PETSc has functions that read these alone.
#include "kernels/petsc/matrix/factor_error.hpp"

#include <petsc/private/matimpl.h>

namespace quadrille::petsc {

bool fails_by_error(Mat matrix) {
  return matrix->erroriffailure == PETSC_TRUE;
}

void set_factor_error(Mat matrix, MatFactorError error) {
  matrix->factorerrortype = error;
}

}  // namespace quadrille::petsc
