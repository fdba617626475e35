// How a matrix tells that one of its blocks has no inverse: PETSc's solvers then end with a reason, from
// which a time stepper or Newton's method recovers. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

namespace quadrille::petsc {

// Whether that is to be an error (MatSetErrorIfFailure()).
bool fails_by_error(Mat matrix);
void set_factor_error(Mat matrix, MatFactorError error);

}  // namespace quadrille::petsc
