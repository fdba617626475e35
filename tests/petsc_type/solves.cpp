#include "solves.hpp"

namespace quadrille::type_test {

Handle<KSP> make_ksp(Mat matrix, KSPType method, PCType preconditioner, double tolerance, int most_iterations,
                     MPI_Comm comm) {
  Handle<KSP> ksp = make<KSP>("KSPCreate", [=](KSP* k) { return KSPCreate(comm, k); });
  PC pc = nullptr;
  CALL(KSPSetOperators(ksp.get(), matrix, matrix));
  CALL(KSPSetType(ksp.get(), method));
  CALL(KSPGetPC(ksp.get(), &pc));
  CALL(PCSetType(pc, preconditioner));
  CALL(KSPSetTolerances(ksp.get(), tolerance, PETSC_DEFAULT, PETSC_DEFAULT, most_iterations));
  return ksp;
}

void set_laplacian(Mat matrix, DM grid, const Case& c, double factor) {
  PetscInt start[3], size[3];
  CALL(DMDAGetCorners(grid, start, start + 1, start + 2, size, size + 1, size + 2));
  CALL(MatZeroEntries(matrix));
  for (PetscInt k = start[2]; k < start[2] + size[2]; ++k)
    for (PetscInt j = start[1]; j < start[1] + size[1]; ++j)
      for (PetscInt i = start[0]; i < start[0] + size[0]; ++i)
        for (PetscInt r = 0; r < c.dof; ++r) {
          const MatStencil row{k, j, i, r};
          const auto set = [&](PetscInt x, PetscInt y, PetscInt z, PetscInt unknown, double value) {
            const bool inside = x >= 0 && x < c.size[0] && y >= 0 && y < c.size[1] && z >= 0 && z < c.size[2];
            const MatStencil column{z, y, x, unknown};
            const PetscScalar v = factor * value;
            if (inside) CALL(MatSetValuesStencil(matrix, 1, &row, 1, &column, &v, ADD_VALUES));
          };
          for (int axis = 0; axis < c.dimension; ++axis)
            for (const PetscInt step : {-1, 1})
              set(i + (axis == 0) * step, j + (axis == 1) * step, k + (axis == 2) * step, r, -1);
          for (PetscInt u = 0; u < c.dof; ++u)
            set(i, j, k, u, u == r ? 2.0 * c.dimension + 0.5 * c.dof : -0.25);
          if (c.box && c.dimension > 1) {
            set(i + 1, j + 1, k, r, -0.2);
            set(i - 1, j - 1, k, r, -0.2);
            set(i, j, k, r, 0.4);
          }
        }
  CALL(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

Solved solved(KSP ksp) {
  const PetscReal* history = nullptr;
  PetscInt count = 0;
  Mat matrix = nullptr;
  CALL(KSPGetOperators(ksp, &matrix, nullptr));
  const Handle<Vec> b = random_vector(matrix, 3);
  Handle<Vec> x = random_vector(matrix, 4);
  CALL(KSPSetResidualHistory(ksp, nullptr, 400, PETSC_TRUE));
  CALL(KSPSolve(ksp, b.get(), x.get()));
  CALL(KSPGetResidualHistory(ksp, &history, &count));
  return {{history, history + count}, std::move(x)};
}

void expect_same_residuals(const Solved& mine, const Solved& theirs, double tolerance) {
  const std::vector<PetscReal>&r = mine.residuals, &expected = theirs.residuals;
  ASSERT_EQ(r.size(), expected.size());
  for (std::size_t i = 0; i < r.size(); ++i)
    EXPECT_NEAR(r[i], expected[i], tolerance * expected[0]) << "iteration " << i;
}

}  // namespace quadrille::type_test
