// PETSc for a whole test program, without options.
#include "tests/petsc_environment.hpp"

namespace {
const auto* const environment = testing::AddGlobalTestEnvironment(new quadrille::PetscEnvironment);
}
