// What PETSc says of an error.
#pragma once

#include <gtest/gtest.h>
#include <petscsys.h>

#include <string>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille {

// The message of the PETSc error that `call` raises.
inline std::string error_of(PetscErrorCode code) {
  EXPECT_NE(code, 0);
  try {
    petsc::check(code, "call");
  } catch (const PetscError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace quadrille
