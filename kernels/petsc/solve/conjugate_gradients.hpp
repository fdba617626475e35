// The method of conjugate gradients as a type of PETSc's KSP, with the vectors' work in four passes
// (kernels/conjugate_gradients.hpp). No PETSc header is needed to include this.
#pragma once

namespace quadrille::petsc {

// Makes "quadrille_cg" known to KSPSetType() and -ksp_type, within or after PetscInitialize(). It takes every
// matrix and preconditioner that KSPCG takes, on any ranks, and does the same: residuals, monitors, tests of
// convergence by each norm, and reasons, also of an operator or a preconditioner that is not definite. On one
// rank nothing but the residual's norm comes to the host in an iteration, and once; on several their sums are
// made there. While a solve is under way KSPBuildSolution() gives x, as for every KSP; the vector itself is a
// step behind then. It has no estimates of eigenvalues, and no options of its own.
void register_conjugate_gradients();

}  // namespace quadrille::petsc
