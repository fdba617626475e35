// PETSc's solver for a problem: the defaults, the options, multigrid's levels, solves and what they take.
// Internal to kernels/petsc and to the library's face.
#pragma once

#include <petscksp.h>

#include <memory>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/multigrid/pcmg.hpp"
#include "kernels/petsc/solve/krylov.hpp"

namespace quadrille::petsc {

// The monitor of a solver, and the residual of iteration 0.
struct KrylovWatch {
  KrylovMonitor monitor;
  double first = 0;
};

// A solver and what was made for it before the first iteration.
struct KrylovSolver {
  std::unique_ptr<KrylovWatch> watch;  // stays longer than `ksp`, which calls it
  Handle<KSP> ksp;
  GridLevelCount levels{0};   // of PETSc's multigrid; 0 without
  std::int64_t made_for = 0;  // changes_of() the matrix
};

// By defaults_of() where PETSc's options database does not say (-ksp_type, -pc_type, -ksp_rtol, ...); set up,
// and on the GPU what PETSc copies there or starts at the first product is there. Collective, as what
// follows. Throws PetscError without a Session and where PETSc fails, PetscOptionError where its options are
// to blame.
KrylovSolver make_solver(const KrylovProblem& problem);

// -ksp_norm_type unpreconditioned of conjugate gradients, unless the options say which residual is tested: of
// a solver that has taken them. Other methods may know no such test.
void test_true_residual(KSP ksp);

// A x = b for vectors as MatCreateVecs() gives them, from zero or from what x is. Values of the matrix may be
// new since the last time. Not to converge is no error, but a result. On several ranks the result is the same
// on all, with the longest time. Throws as make_solver().
KrylovResult solve(const KrylovProblem& problem, KrylovSolver& solver, Vec b, Vec x, bool keep_guess);

// Replaces the residual by |b - A x| / |b| in the 2-norm (not divided where b is zero), and takes back that
// it converged where this is larger than the root of the tolerance (of 1e-8 where it is smaller): PETSc looks
// at the preconditioned residual unless told otherwise, which can be far smaller. Where products round
// values, the residual is that of A without it, and whether it converged is asked of A with it, which was
// solved.
void confirm(const KrylovProblem& problem, Vec b, Vec x, KrylovResult& result);

// What was done for the last solve, of x from b, a few more times; nothing where there was none. For a record
// it takes ten times as long, and does the set-up of quadrille_mg for values that PETSc takes for new.
KrylovTimes measure(KSP ksp, Vec b, Vec x, bool for_record);

}  // namespace quadrille::petsc
