// quadrille_cg against PETSc's CG: residuals iteration by iteration in every norm, on any number of ranks,
// and what both say where the method has no answer.
#include <cmath>
#include <limits>
#include <vector>

#include "solves.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::type_test {
namespace {

constexpr const char* ours = "quadrille_cg";

// Odd numbers of rows, and more of them than a thread, a part of a sum or a block takes.
const Case cg_cases[] = {{1, {301, 1, 1}, 1, 1, false, {}},
                         {2, {24, 23, 1}, 3, 1, true, {}},
                         {2, {201, 133, 1}, 1, 1, false, {}},
                         {3, {8, 9, 7}, 2, 1, true, {}}};

struct Symmetric {
  Grid grid;
  Handle<Mat> matrix;
  explicit Symmetric(const Case& c, const std::string& format = "cds", double factor = 1)
      : grid(make_grid(c)), matrix(make_matrix(grid.get(), format)) {
    set_laplacian(matrix.get(), grid.get(), c, factor);
  }
};

KSPConvergedReason reason_of(KSP ksp) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  CALL(KSPGetConvergedReason(ksp, &reason));
  return reason;
}

// Both methods on one matrix: the same residuals, reason and solution.
void expect_same_solves(Mat matrix, PCType preconditioner, KSPNormType norm, double tolerance, int most) {
  const Handle<KSP> mine = make_ksp(matrix, ours, preconditioner, tolerance, most),
                    theirs = make_ksp(matrix, KSPCG, preconditioner, tolerance, most);
  for (KSP ksp : {mine.get(), theirs.get()}) CALL(KSPSetNormType(ksp, norm));
  const Solved found = solved(mine.get()), expected = solved(theirs.get());
  EXPECT_EQ(reason_of(mine.get()), reason_of(theirs.get()));
  expect_same_residuals(found, expected, 1e-7);
  expect_near(found.x.get(), expected.x.get(), "solution", 1e-6);
}

TEST_F(MatrixType, ConjugateGradientsGoAsPetscs) {
  for (const Case& c : cg_cases)
    for (const char* format : {"cds", "csr", "aij"})
      for (const char* preconditioner : {"none", "jacobi", "quadrille_mg"})
        for (const KSPNormType norm :
             {KSP_NORM_PRECONDITIONED, KSP_NORM_UNPRECONDITIONED, KSP_NORM_NATURAL}) {
          if (std::string(format) == "aij" && *preconditioner == 'q') continue;
          if (sanitized && norm == KSP_NORM_UNPRECONDITIONED) continue;
          SCOPED_TRACE(c.name() + ", " + format + ", " + preconditioner + ", " + KSPNormTypes[norm]);
          expect_same_solves(Symmetric(c, format).matrix.get(), preconditioner, norm, 1e-6, 40);
        }
}

// As large as it takes for cycles on a GPU to join their steps.
TEST_F(MatrixType, ConjugateGradientsOfALargeGridGoAsPetscs) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Case c{3, {130, 129, 128}, 1, 1, false, {}};
  for (const KSPNormType norm : {KSP_NORM_PRECONDITIONED, KSP_NORM_UNPRECONDITIONED, KSP_NORM_NATURAL}) {
    SCOPED_TRACE(KSPNormTypes[norm]);
    expect_same_solves(Symmetric(c).matrix.get(), "quadrille_mg", norm, 1e-6, 40);
  }
}

TEST_F(MatrixType, ConjugateGradientsTakeNegativeDefiniteOnes) {
  const Symmetric a(cg_cases[1], "cds", -1);
  expect_same_solves(a.matrix.get(), "jacobi", KSP_NORM_UNPRECONDITIONED, 1e-6, 300);
}

// An even number of iterations and an odd one, a guess that is not zero, and no test of convergence.
TEST_F(MatrixType, ConjugateGradientsBeginAndEndWhereTheyAreTold) {
  const Symmetric a(cg_cases[2]);
  for (const int most : {1, 2, 7}) {
    SCOPED_TRACE(most);
    for (const KSPNormType norm : {KSP_NORM_NONE, KSP_NORM_UNPRECONDITIONED}) {
      const Handle<Vec> b = random_vector(a.matrix.get(), 3), x = random_vector(a.matrix.get(), 4),
                        y = random_vector(a.matrix.get(), 4);
      PetscInt iterations[2] = {};
      for (const bool mine : {true, false}) {
        const Handle<KSP> ksp = make_ksp(a.matrix.get(), mine ? ours : KSPCG, "jacobi", 1e-12, most);
        CALL(KSPSetNormType(ksp.get(), norm));
        if (norm == KSP_NORM_NONE) CALL(KSPSetConvergenceTest(ksp.get(), KSPConvergedSkip, nullptr, nullptr));
        CALL(KSPSetInitialGuessNonzero(ksp.get(), PETSC_TRUE));
        CALL(KSPSolve(ksp.get(), b.get(), mine ? x.get() : y.get()));
        CALL(KSPGetIterationNumber(ksp.get(), &iterations[mine]));
      }
      EXPECT_EQ(iterations[0], iterations[1]);
      EXPECT_EQ(iterations[1], most);
      expect_near(x.get(), y.get(), "x", 1e-10);
    }
  }
}

TEST_F(MatrixType, ConjugateGradientsOfNothingAreNothing) {
  const Symmetric a(cg_cases[0]);
  const Handle<Vec> b = random_vector(a.matrix.get(), 3), x = random_vector(a.matrix.get(), 4);
  PetscReal norm = -1;
  CALL(VecSet(b.get(), 0));
  for (const KSPNormType type : {KSP_NORM_PRECONDITIONED, KSP_NORM_UNPRECONDITIONED, KSP_NORM_NATURAL}) {
    const Handle<KSP> ksp = make_ksp(a.matrix.get(), ours, "jacobi", 1e-8, 10);
    CALL(KSPSetNormType(ksp.get(), type));
    CALL(KSPSolve(ksp.get(), b.get(), x.get()));
    EXPECT_GT(reason_of(ksp.get()), 0);
    CALL(VecNorm(x.get(), NORM_INFINITY, &norm));
    EXPECT_EQ(norm, 0);
  }
}

// What the last solve left does not show in the next one.
TEST_F(MatrixType, ConjugateGradientsGiveTheSameBits) {
  const Symmetric a(cg_cases[2]);
  const Handle<KSP> ksp = make_ksp(a.matrix.get(), ours, "quadrille_mg", 1e-10, 40);
  const Solved first = solved(ksp.get()), second = solved(ksp.get());
  PetscBool equal = PETSC_FALSE;
  CALL(VecEqual(first.x.get(), second.x.get(), &equal));
  EXPECT_TRUE(equal);
  EXPECT_EQ(first.residuals, second.residuals);
  EXPECT_GT(first.residuals.size(), 4u);
}

// x is brought up to date for those who ask, and that changes no number.
TEST_F(MatrixType, ConjugateGradientsShowTheSolutionOnTheWay) {
  struct Seen {
    std::vector<PetscReal> true_norms, norms;
  } seen;
  const auto monitor = [](KSP ksp, PetscInt, PetscReal norm, void* context) -> PetscErrorCode {
    Vec residual = nullptr;
    PetscReal true_norm = 0;
    CALL(KSPBuildResidual(ksp, nullptr, nullptr, &residual));
    const Handle<Vec> owned(residual);
    CALL(VecNorm(residual, NORM_2, &true_norm));
    static_cast<Seen*>(context)->true_norms.push_back(true_norm);
    static_cast<Seen*>(context)->norms.push_back(norm);
    return 0;
  };
  const Symmetric a(cg_cases[2]);
  const Handle<Vec> b = random_vector(a.matrix.get(), 3), x = random_vector(a.matrix.get(), 4),
                    y = random_vector(a.matrix.get(), 5);
  for (const bool shown : {true, false}) {
    const Handle<KSP> ksp = make_ksp(a.matrix.get(), ours, "jacobi", 1e-6, 30);
    CALL(KSPSetNormType(ksp.get(), KSP_NORM_UNPRECONDITIONED));
    if (shown) CALL(KSPMonitorSet(ksp.get(), monitor, &seen, nullptr));
    CALL(KSPSolve(ksp.get(), b.get(), shown ? x.get() : y.get()));
  }
  ASSERT_GT(seen.norms.size(), 20u);
  for (std::size_t i = 0; i < seen.norms.size(); ++i)
    EXPECT_NEAR(seen.true_norms[i], seen.norms[i], 1e-10 * seen.norms[0]) << i;
  PetscBool equal = PETSC_FALSE;
  CALL(VecEqual(x.get(), y.get(), &equal));
  EXPECT_TRUE(equal);
}

// A preconditioner whose numbers have both signs, and an operator: a solution that is finite, and the reason.
TEST_F(MatrixType, ConjugateGradientsSayWhatIsNotDefinite) {
  const Symmetric a(cg_cases[0]), m(cg_cases[0]);
  for (const Mat matrix : {a.matrix.get(), m.matrix.get()}) CALL(MatShift(matrix, -2.3));
  const Handle<Vec> d = random_vector(a.matrix.get(), 8), b = random_vector(a.matrix.get(), 3);
  CALL(MatDiagonalSet(m.matrix.get(), d.get(), INSERT_VALUES));
  for (const char* preconditioner : {"none", "jacobi"}) {
    KSPConvergedReason reasons[2] = {};
    for (const bool mine : {true, false}) {
      const Handle<KSP> ksp = make_ksp(a.matrix.get(), mine ? ours : KSPCG, preconditioner, 1e-10, 50);
      const Handle<Vec> x = random_vector(a.matrix.get(), 4);
      PetscReal largest = 0;
      CALL(KSPSetOperators(ksp.get(), a.matrix.get(), m.matrix.get()));
      CALL(KSPSolve(ksp.get(), b.get(), x.get()));
      CALL(VecNorm(x.get(), NORM_INFINITY, &largest));
      EXPECT_TRUE(std::isfinite(largest));
      reasons[mine] = reason_of(ksp.get());
    }
    EXPECT_EQ(reasons[true], reasons[false]) << preconditioner;
    EXPECT_TRUE(reasons[true] == KSP_DIVERGED_INDEFINITE_MAT || reasons[true] == KSP_DIVERGED_INDEFINITE_PC);
  }
}

TEST_F(MatrixType, ConjugateGradientsSayThatANumberIsNone) {
  const Symmetric a(cg_cases[0]);
  const Handle<Vec> b = random_vector(a.matrix.get(), 3);
  CALL(VecSet(b.get(), std::numeric_limits<double>::quiet_NaN()));
  for (const char* method : {ours, KSPCG}) {
    const Handle<KSP> ksp = make_ksp(a.matrix.get(), method, "jacobi", 1e-10, 50);
    const Handle<Vec> x = random_vector(a.matrix.get(), 4);
    CALL(KSPSolve(ksp.get(), b.get(), x.get()));
    EXPECT_EQ(reason_of(ksp.get()), KSP_DIVERGED_NANORINF) << method;
  }
}

// Of an operator that maps constants to zero.
TEST_F(MatrixType, ConjugateGradientsKeepTheNullSpaceOut) {
  const Symmetric a(cg_cases[2]);
  const Handle<Vec> ones = random_vector(a.matrix.get(), 1), sums = random_vector(a.matrix.get(), 2);
  CALL(VecSet(ones.get(), 1));
  CALL(MatMult(a.matrix.get(), ones.get(), sums.get()));
  CALL(VecScale(sums.get(), -1));
  CALL(MatDiagonalSet(a.matrix.get(), sums.get(), ADD_VALUES));
  MatNullSpace constants = nullptr;
  CALL(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, nullptr, &constants));
  const Handle<MatNullSpace> kept(constants);
  CALL(MatSetNullSpace(a.matrix.get(), constants));
  for (const char* preconditioner : {"jacobi", "quadrille_mg"}) {
    const Handle<Vec> b = random_vector(a.matrix.get(), 3), x = random_vector(a.matrix.get(), 4);
    CALL(MatNullSpaceRemove(constants, b.get()));
    const Handle<KSP> ksp = make_ksp(a.matrix.get(), ours, preconditioner, 1e-8, 2000);
    CALL(KSPSolve(ksp.get(), b.get(), x.get()));
    EXPECT_GT(reason_of(ksp.get()), 0) << preconditioner;
    PetscScalar sum = 1;
    PetscReal largest = 0;
    CALL(VecSum(x.get(), &sum));
    CALL(VecNorm(x.get(), NORM_INFINITY, &largest));
    EXPECT_LE(std::abs(sum), 1e-6 * largest * 201 * 133) << preconditioner;
  }
}

// The rows of all nodes in faces of the grid hold a value.
void make_walls(Mat matrix, DM grid, const Case& c) {
  PetscInt x0, y0, z0, nx, ny, nz;
  CALL(DMDAGetCorners(grid, &x0, &y0, &z0, &nx, &ny, &nz));
  std::vector<MatStencil> walls;
  for (PetscInt k = z0; k < z0 + nz; ++k)
    for (PetscInt j = y0; j < y0 + ny; ++j)
      for (PetscInt i = x0; i < x0 + nx; ++i) {
        const PetscInt at[3] = {i, j, k};
        bool in_face = false;
        for (int axis = 0; axis < c.dimension; ++axis)
          in_face = in_face || at[axis] == 0 || at[axis] == c.size[axis] - 1;
        for (PetscInt r = 0; in_face && r < c.dof; ++r) walls.push_back({k, j, i, r});
      }
  CALL(MatZeroRowsStencil(matrix, static_cast<PetscInt>(walls.size()), walls.data(), 3.7, nullptr, nullptr));
}

// As PETSc's programs write them: the others couple with what they hold, and the matrix is not symmetric.
TEST_F(MatrixType, ConjugateGradientsOfRowsThatHoldValuesAreThoseOfTheOthers) {
  for (const Case& c : {Case{2, {65, 50, 1}, 1, 1, false, {}}, Case{3, {17, 18, 21}, 1, 1, false, {}}}) {
    SCOPED_TRACE(c.name());
    const Symmetric a(c);
    make_walls(a.matrix.get(), a.grid.get(), c);
    const Handle<KSP> ksp = make_ksp(a.matrix.get(), ours, "quadrille_mg", 1e-8, 100);
    CALL(KSPSetNormType(ksp.get(), KSP_NORM_UNPRECONDITIONED));
    for (int solve = 0; solve < 4; ++solve) {
      if (solve == 2) CALL(MatScale(a.matrix.get(), 0.3));
      const Handle<Vec> b = random_vector(a.matrix.get(), 5 + solve), x = random_vector(a.matrix.get(), 9),
                        r = random_vector(a.matrix.get(), 9);
      CALL(KSPSetInitialGuessNonzero(ksp.get(), solve % 2 == 1 ? PETSC_TRUE : PETSC_FALSE));
      CALL(KSPSolve(ksp.get(), b.get(), x.get()));
      PetscInt iterations = 0;
      PetscReal size = 0, left = 0;
      CALL(KSPGetIterationNumber(ksp.get(), &iterations));
      CALL(MatMult(a.matrix.get(), x.get(), r.get()));
      CALL(VecAXPY(r.get(), -1, b.get()));
      CALL(VecNorm(r.get(), NORM_2, &left));
      CALL(VecNorm(b.get(), NORM_2, &size));
      EXPECT_GT(reason_of(ksp.get()), 0);
      EXPECT_LE(iterations, 10) << solve;
      EXPECT_LE(left, 1.01e-8 * size) << solve;
    }
  }
}

}  // namespace
}  // namespace quadrille::type_test
