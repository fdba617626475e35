// How a solve ended, in words, and who is to blame where PETSc fails. Internal to kernels/petsc/solve.
#pragma once

#include <petscksp.h>

#include <functional>
#include <string>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/solve/krylov.hpp"

namespace quadrille::petsc {

std::string in_words(KSPConvergedReason reason);

// Whether other options would have helped: not where the machine, a library or an operator of ours failed.
bool options_may_be_to_blame(const PetscError& error);

// Tolerances of PETSc's solvers with this prefix that are NaN, which no residual is below: PETSc 3.18 takes
// them.
void refuse_nan_tolerances(const char* prefix);

// body(), which works with `solver`: PETSc's errors are put down to its options where there are some that
// may be the reason.
void with_options_to_blame(const KrylovProblem& problem, Handle<KSP>& solver,
                           const std::function<void()>& body);

}  // namespace quadrille::petsc
