// A PETSc call failed: the message names the call and PETSc's own reason.
#pragma once

#include <stdexcept>

namespace quadrille {

struct PetscError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// PETSc did not start with the options it was given.
struct PetscOptionError : PetscError {
  using PetscError::PetscError;
};

}  // namespace quadrille
