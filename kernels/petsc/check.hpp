// Turns PETSc's error codes into PetscError. Internal to kernels/petsc.
#pragma once

#include <petscsys.h>

namespace quadrille::petsc {

// Throws PetscError with `call` and what PETSc said last, unless code is 0. PETSc must be initialised.
void check(PetscErrorCode code, const char* call);
void require_initialised();

}  // namespace quadrille::petsc

#define QUADRILLE_PETSC(call) ::quadrille::petsc::check(call, #call)
