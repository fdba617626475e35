// A PETSc call failed: the message names the call and PETSc's own reason.
#pragma once

#include <stdexcept>
#include <string>

namespace quadrille {

struct PetscError : std::runtime_error {
  explicit PetscError(const std::string& what, int petsc_code = 0)
      : std::runtime_error(what), code(petsc_code) {}
  int code;  // PETSc's own (PETSC_ERR_SUP, ...); 0 where it was not PETSc that failed
};

// PETSc could not allocate what it needed: solvers may be half made.
struct PetscMemoryError : PetscError {
  using PetscError::PetscError;
};

// The options that PETSc was given are to blame.
struct PetscOptionError : PetscError {
  using PetscError::PetscError;
};

// A solve did not converge that PETSc was told to make an error of; solve() says it of its own
// in KrylovResult.
struct NotConvergedError : PetscError {
  using PetscError::PetscError;
};

}  // namespace quadrille
