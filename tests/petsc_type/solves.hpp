// Linear solves of the tests of the matrix type: a solver, a symmetric operator, and what came of a solve.
#pragma once

#include "comparison.hpp"

namespace quadrille::type_test {

Handle<KSP> make_ksp(Mat matrix, KSPType method, PCType preconditioner, double tolerance, int most_iterations,
                     MPI_Comm comm = PETSC_COMM_WORLD);

// Minus the Laplacian with values beyond every face, with couplings of a node's unknowns and, of a box, of
// two corners; all times a factor.
void set_laplacian(Mat matrix, DM grid, const Case& c, double factor);

struct Solved {
  std::vector<PetscReal> residuals;
  Handle<Vec> x;
};

// From zero, with vectors of the matrix's own type, by which PETSc's PCPBJACOBI goes.
Solved solved(KSP ksp);

// In each iteration, to `tolerance` of the first one.
void expect_same_residuals(const Solved& mine, const Solved& theirs, double tolerance = 1e-9);

}  // namespace quadrille::type_test
