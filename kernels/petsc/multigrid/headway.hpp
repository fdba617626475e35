// Whether a Krylov method gets on with its cycles. No PETSc header is needed to include this.
#pragma once

struct _p_KSP;

namespace quadrille::petsc {

// From now on `ksp`, whose preconditioner is a quadrille_mg, is looked at every 30 iterations, while it is of
// a method that lets M be another one in each. Where those that are left, if they go on like that, are worth
// it a larger grid is solved exactly; else, where the residual was not halved, cycles go on in fp64, unless
// an option asks for fp32.
void watch_headway(_p_KSP* ksp);

}  // namespace quadrille::petsc
