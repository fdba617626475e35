// A PETSc matrix that is destroyed with its last copy. No PETSc header is needed to include this.
#pragma once

#include <memory>

struct _p_Mat;  // PETSc's Mat is a pointer to it

namespace quadrille::petsc {

// All copies go before PetscFinalize().
using SharedMat = std::shared_ptr<_p_Mat>;

// Takes over the caller's reference.
SharedMat shared(_p_Mat* matrix);

}  // namespace quadrille::petsc
