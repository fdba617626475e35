// PETSc's solver for a problem, ready to run: the defaults, the options, multigrid's levels, and what becomes
// of errors. Internal to kernels/petsc and to the library's face.
#pragma once

#include <petscksp.h>

#include <string>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/multigrid/pcmg.hpp"
#include "kernels/petsc/solve/krylov.hpp"

namespace quadrille::petsc {

std::string in_words(KSPConvergedReason reason);

// A solver and what was made for it before the first iteration.
struct KrylovSolver {
  Handle<KSP> ksp;
  GridLevelCount levels{0};   // of PETSc's multigrid; 0 without
  std::int64_t made_for = 0;  // changes_of() the matrix
};

// By defaults_of() where PETSc's options do not say. Collective. Throws as krylov_solve().
KrylovSolver make_solver(const KrylovProblem& problem);

// Before a solve, where values may be new: PETSc sets up its preconditioners anew by itself, but for levels
// that were made from the old values. Then the solver is another one. Collective.
void follow_values(const KrylovProblem& problem, KrylovSolver& solver);

// Whether other options would have helped. Not where the machine, a library or an operator of ours failed,
// which no option chose.
bool options_may_be_to_blame(const PetscError& error);
// A solver that failed.
void abandon(Handle<KSP>& solver, Mat matrix);
[[noreturn]] void put_down_to_options(const PetscError& error, const KrylovProblem& problem);

// body(), which works with `solver`: PETSc's errors are put down to its options where there are some that
// may be the reason.
template <class Body>
void with_options_to_blame(const KrylovProblem& problem, Handle<KSP>& solver, const Body& body) {
  try {
    body();
  } catch (const PetscOptionError&) {
    throw;
  } catch (const PetscError& error) {
    abandon(solver, problem.matrix.get());
    if (!problem.has_options || !options_may_be_to_blame(error)) throw;
    put_down_to_options(error, problem);
  }
}

}  // namespace quadrille::petsc
