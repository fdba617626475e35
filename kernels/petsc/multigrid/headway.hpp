// Whether a Krylov method gets on with cycles in fp32. No PETSc header is needed to include this.
#pragma once

struct _p_KSP;

namespace quadrille::petsc {

// From now on `ksp`, whose preconditioner is a quadrille_mg, goes on with cycles in fp64 where 30 iterations
// did not halve its residual, unless an option asks for fp32; while it is of a method that lets M be another
// one in each iteration.
void watch_headway(_p_KSP* ksp);

}  // namespace quadrille::petsc
