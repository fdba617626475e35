// What programs that know nothing of this type do with a matrix, beside AIJ.
#include <petscsnes.h>

#include <array>

#include "comparison.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/petsc/base/host_share.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/transfer_matrix.hpp"

namespace {

// f_i = x_i^2 + the neighbours of its row, on vectors with ghosts: what MatFDColoringUseDM() wants of a
// program.
PetscErrorCode square_and_neighbours(void*, Vec local, Vec f, void* context) {
  const DM grid = static_cast<DM>(context);
  DMDALocalInfo at;
  PetscScalar **x = nullptr, **y = nullptr;
  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(grid, &at));
  PetscCall(DMDAVecGetArrayRead(grid, local, &x));
  PetscCall(DMDAVecGetArray(grid, f, &y));
  for (PetscInt j = at.ys; j < at.ys + at.ym; ++j)
    for (PetscInt i = at.xs; i < at.xs + at.xm; ++i) {
      y[j][i] = x[j][i] * x[j][i];
      if (i > 0) y[j][i] += 2 * x[j][i - 1];
      if (j + 1 < at.my) y[j][i] -= 3 * x[j + 1][i];
    }
  PetscCall(DMDAVecRestoreArrayRead(grid, local, &x));
  PetscCall(DMDAVecRestoreArray(grid, f, &y));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

}  // namespace

namespace quadrille::type_test {
namespace {

// What a call that has to fail says.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const PetscError& error) {
    return error.what();
  }
  return "no error";
}
void expect_part(const std::string& part, const std::string& of) {
  EXPECT_NE(of.find(part), std::string::npos) << of;
}

void difference_with_dm(Mat matrix, DM grid, bool early) {
  ISColoring colors = nullptr;
  MatFDColoring coloring = nullptr;
  CALL(DMCreateColoring(grid, IS_COLORING_LOCAL, &colors));
  CALL(MatFDColoringCreate(matrix, colors, &coloring));
  if (early) CALL(MatFDColoringUseDM(matrix, coloring));
  set_function(coloring, square_and_neighbours, grid);
  CALL(MatFDColoringSetFromOptions(coloring));
  CALL(MatFDColoringSetUp(matrix, colors, coloring));
  if (!early) CALL(MatFDColoringUseDM(matrix, coloring));
  Handle<Vec> x = make<Vec>("DMCreateGlobalVector", [=](Vec* v) { return DMCreateGlobalVector(grid, v); });
  for (int times = 0; times < 2; ++times) {  // the second one finds values of the first
    CALL(VecSet(x.get(), 0.5 + times));
    CALL(MatFDColoringApply(matrix, coloring, x.get(), nullptr));
    CALL(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    CALL(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  }
  CALL(MatFDColoringDestroy(&coloring));
  CALL(ISColoringDestroy(&colors));
}

TEST_F(MatrixType, JacobiansOfAColouringThatUsesTheDmComeBack) {
  for (const bool early : {true, false}) {
    Case c;
    c.dimension = 2;
    c.size = {9, 8, 1};
    const Grid grid = make_grid(c);
    const Handle<Mat> ours = make_matrix(grid.get(), "cds"), theirs = make_matrix(grid.get());
    for (const Mat m : {ours.get(), theirs.get()}) difference_with_dm(m, grid.get(), early);
    PetscReal norm = 0;
    CALL(MatNorm(ours.get(), NORM_FROBENIUS, &norm));
    EXPECT_GT(norm, 1);
    const Handle<Vec> x = random_vector(theirs.get(), 1), a = random_vector(theirs.get(), 2, true),
                      b = random_vector(theirs.get(), 3, true);
    CALL(MatMult(ours.get(), x.get(), a.get()));
    CALL(MatMult(theirs.get(), x.get(), b.get()));
    expect_near(a.get(), b.get(), "finite differences", 1e-6);
  }
}

TEST_F(MatrixType, RowsOfOtherRanksAreNotRead) {
  const Pair p = filled_pair(Case{}, "cds");
  PetscInt first = 0, last = 0, size = 0;
  CALL(MatGetOwnershipRange(p.ours.get(), &first, &last));
  CALL(MatGetSize(p.ours.get(), &size, nullptr));
  PetscScalar value = 0;
  const PetscInt* columns = nullptr;
  PetscInt count = 0;
  if (ranks() > 1) {
    const PetscInt other = last % size;
    const std::string sentence = "row " + std::to_string(other) + " belongs to another rank";
    expect_part(sentence,
                message_of([&] { CALL(MatGetValues(p.ours.get(), 1, &other, 1, &first, &value)); }));
    EXPECT_NE(message_of([&] { CALL(MatGetRow(p.ours.get(), other, &count, &columns, nullptr)); }),
              "no error");
  }
  expect_part("is beyond the matrix",
              message_of([&] { CALL(MatGetValues(p.ours.get(), 1, &size, 1, &first, &value)); }));
  expect_part("is beyond the matrix",
              message_of([&] { CALL(MatGetValues(p.ours.get(), 1, &first, 1, &size, &value)); }));
  const PetscInt none = -1;
  value = 7;
  CALL(MatGetValues(p.ours.get(), 1, &none, 1, &first, &value));
  EXPECT_EQ(value, 7);
}

// A tridiagonal matrix, or one of no structure, as ksp/tutorials/ex2 and its like make them: no MatSetUp().
Handle<Mat> classic(const char* type, bool structured, PetscInt block, bool preallocate) {
  const PetscInt n = 60;
  Handle<Mat> m = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
  CALL(MatSetSizes(m.get(), PETSC_DECIDE, PETSC_DECIDE, n, n));
  CALL(PetscOptionsSetValue(nullptr, "-mat_type", type));
  CALL(MatSetFromOptions(m.get()));
  CALL(PetscOptionsClearValue(nullptr, "-mat_type"));
  if (block > 1) CALL(MatSetBlockSize(m.get(), block));
  if (preallocate) {
    CALL(MatSeqAIJSetPreallocation(m.get(), 12, nullptr));
    CALL(MatMPIAIJSetPreallocation(m.get(), 12, nullptr, 12, nullptr));
  }
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(m.get(), &first, &last));
  EXPECT_EQ((last - first) % block, 0);
  EXPECT_TRUE(ranks() > 1 || last == n);
  // Rank 0 says all there is to say of the others' rows, twice; then everybody inserts its diagonal.
  for (int times = 0; times < 2; ++times)
    for (PetscInt i = 0; i < n; ++i) {
      if (first > 0 || (i % 3 != 0 && i >= last)) continue;
      const PetscInt columns[3] = {i, structured ? (i + 1) % n : (i * i + 7) % n, -1};
      const PetscScalar values[3] = {1.0 + static_cast<double>(i), value_at(i, columns[1], 3), 5};
      CALL(MatSetValues(m.get(), 1, &i, 3, columns, values, ADD_VALUES));
    }
  CALL(MatAssemblyBegin(m.get(), MAT_FLUSH_ASSEMBLY));
  CALL(MatAssemblyEnd(m.get(), MAT_FLUSH_ASSEMBLY));
  for (PetscInt i = first; i < last; ++i)
    CALL(MatSetValue(m.get(), i, i, 9 + value_at(i, i, 5), INSERT_VALUES));
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY));
  return m;
}

TEST_F(MatrixType, ProgramsThatDoNotCallMatSetUpRun) {
  CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_format"));
  for (const bool structured : {true, false})
    for (const PetscInt block : {1, 4})
      for (const bool preallocate : {true, false}) {
        SCOPED_TRACE(std::to_string(structured) + std::to_string(block) + std::to_string(preallocate));
        const Handle<Mat> ours = classic("quadrille", structured, block, preallocate),
                          theirs = classic("aij", structured, block, true);
        PetscBool is_ours = PETSC_FALSE, equal = PETSC_FALSE;
        CALL(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(ours.get()), &is_ours, "seqquadrille",
                                       "mpiquadrille", ""));
        EXPECT_TRUE(is_ours);
        CALL(MatEqual(ours.get(), theirs.get(), &equal));
        EXPECT_TRUE(equal);
        expect_same(ours.get(), theirs.get());
        for (const Mat m : {ours.get(), theirs.get()}) {  // again, and with a place that it had not
          CALL(MatZeroEntries(m));
          PetscInt first = 0, last = 0;
          CALL(MatGetOwnershipRange(m, &first, &last));
          CALL(MatSetOption(m, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
          CALL(MatSetValue(m, first, (last + 17) % 60, 2.5, ADD_VALUES));
          CALL(MatSetValue(m, first, first, 4.5, ADD_VALUES));
          CALL(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
          CALL(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
        }
        expect_same(ours.get(), theirs.get());
      }
}

TEST_F(MatrixType, BrokenPromisesOfTheFirstValuesAreErrors) {
  if (ranks() == 1) GTEST_SKIP() << "there are no rows of other ranks";
  const Handle<Mat> m = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
  CALL(MatSetSizes(m.get(), 2, 2, PETSC_DETERMINE, PETSC_DETERMINE));
  CALL(MatSetType(m.get(), "quadrille"));
  CALL(MatSetUp(m.get()));
  CALL(MatSetOption(m.get(), MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscInt last = 0;
  CALL(MatGetOwnershipRange(m.get(), nullptr, &last));
  const PetscInt other = last % (2 * ranks());
  CALL(MatSetValue(m.get(), other, other, 1, ADD_VALUES));
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  expect_part("MAT_NO_OFF_PROC_ENTRIES",
              message_of([&] { CALL(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY)); }));
}

TEST_F(MatrixType, RectangularMatricesAreCsr) {
  CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_format"));
  Handle<Mat> m[2];
  for (int i = 0; i < 2; ++i) {
    m[i] = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
    CALL(MatSetSizes(m[i].get(), 3, 2, PETSC_DETERMINE, PETSC_DETERMINE));
    CALL(MatSetType(m[i].get(), i == 0 ? "quadrille" : MATAIJ));
    CALL(MatSetUp(m[i].get()));
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(m[i].get(), &first, &last));
    for (PetscInt row = first; row < last; ++row)
      for (PetscInt column = 0; column < 2 * ranks(); ++column)
        CALL(MatSetValue(m[i].get(), row, column, value_at(row, column, 1), INSERT_VALUES));
    CALL(MatAssemblyBegin(m[i].get(), MAT_FINAL_ASSEMBLY));
    CALL(MatAssemblyEnd(m[i].get(), MAT_FINAL_ASSEMBLY));
  }
  const Handle<Vec> x = random_vector(m[1].get(), 1), y = random_vector(m[1].get(), 2, true),
                    z = random_vector(m[1].get(), 3, true);
  CALL(MatMult(m[0].get(), x.get(), y.get()));
  CALL(MatMult(m[1].get(), x.get(), z.get()));
  expect_near(y.get(), z.get(), "a rectangular product");
}

TEST_F(MatrixType, NewPlacesThatTheProgramAllowsLeaveTheGrid) {
  const Pair p = filled_pair(Case{}, "cds");
  CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_format"));
  PetscInt first = 0, size = 0;
  CALL(MatGetOwnershipRange(p.ours.get(), &first, nullptr));
  CALL(MatGetSize(p.ours.get(), &size, nullptr));
  const PetscInt far = (first + size / 2 + 3) % size;
  expect_part("lies outside",
              message_of([&] { CALL(MatSetValue(p.ours.get(), first, far, 3, ADD_VALUES)); }));
  p.both([&](Mat m) {
    CALL(MatSetOption(m, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    CALL(MatSetOption(m, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (int times = 0; times < 2; ++times) {
      CALL(MatSetValue(m, first, far, 1.5, ADD_VALUES));
      CALL(MatSetValue(m, first, first, 0.5, ADD_VALUES));
      if (times == 1) CALL(MatSetValue(m, far, first, 4, ADD_VALUES));  // of another rank's row
      CALL(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
      CALL(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
    }
  });
  expect_same(p.ours.get(), p.theirs.get());
}

// Values that MatAXPY and MatCopy bring, and options that were set before.
TEST_F(MatrixType, AxpyAndCopyToNewPlacesLeaveTheGrid) {
  Case star, box;
  star.box = false, box.box = true;
  const Pair others = filled_pair(box, "cds", Filling::local, 2);
  for (const Mat from : {others.theirs.get(), others.ours.get()})
    for (const bool copies : {false, true}) {
      const Pair p = filled_pair(star, "cds");
      CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_format"));
      PetscInt first = 0;
      CALL(MatGetOwnershipRange(p.ours.get(), &first, nullptr));
      p.both([&](Mat m) {
        CALL(MatSetOption(m, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
        CALL(MatSetOption(m, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        const Mat other = m == p.theirs.get() ? others.theirs.get() : from;
        CALL(copies ? MatCopy(other, m, DIFFERENT_NONZERO_PATTERN)
                    : MatAXPY(m, 1.5, other, DIFFERENT_NONZERO_PATTERN));
        CALL(MatScale(m, 2));
      });
      expect_same(p.ours.get(), p.theirs.get());
    }
  const Pair p = filled_pair(star, "cds");
  CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_format"));
  PetscInt first = 0, size = 0;
  CALL(MatGetOwnershipRange(p.ours.get(), &first, nullptr));
  CALL(MatGetSize(p.ours.get(), &size, nullptr));
  p.both([&](Mat m) {
    CALL(MatSetOption(m, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    CALL(MatSetOption(m, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    CALL(MatSetOption(m, MAT_ROW_ORIENTED, PETSC_FALSE));
    const PetscInt rows[] = {first, first + 1};
    const PetscScalar by_columns[] = {1, 2, 3, 4};
    CALL(MatSetValue(m, first, (first + size / 2 + 3) % size, 3, ADD_VALUES));
    CALL(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    CALL(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
    CALL(MatSetValues(m, 2, rows, 2, rows, by_columns, ADD_VALUES));
    CALL(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    CALL(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  });
  expect_same(p.ours.get(), p.theirs.get());
}

TEST_F(MatrixType, AShellMayBecomeOne) {
  Mat shell = nullptr;
  CALL(MatCreateShell(PETSC_COMM_WORLD, 3, 3, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, &shell));
  const Handle<Mat> m(shell);
  CALL(MatSetType(m.get(), "quadrille"));
  CALL(MatSetUp(m.get()));
  PetscInt first = 0;
  CALL(MatGetOwnershipRange(m.get(), &first, nullptr));
  for (PetscInt row = first; row < first + 3; ++row) CALL(MatSetValue(m.get(), row, row, 2, INSERT_VALUES));
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY));
  const Handle<Vec> x = random_vector(m.get(), 1), y = random_vector(m.get(), 2);
  CALL(MatMult(m.get(), x.get(), y.get()));
  CALL(VecAXPY(y.get(), -2, x.get()));
  PetscReal norm = 1;
  CALL(VecNorm(y.get(), NORM_2, &norm));
  EXPECT_EQ(norm, 0);
}

void expect_equal_products(Mat a, Mat b, const Handle<Vec>& x, const std::string& what) {
  const Handle<Vec> y = make<Vec>("VecDuplicate", [&](Vec*v) { return VecDuplicate(x.get(), v); }),
                    z = make<Vec>("VecDuplicate", [&](Vec*v) { return VecDuplicate(x.get(), v); });
  CALL(MatMult(a, x.get(), y.get()));
  CALL(MatMult(b, x.get(), z.get()));
  expect_near(y.get(), z.get(), what);
}

TEST_F(MatrixType, ProductsOfTwoMatrices) {
  Case c;
  c.dof = 2;
  const Pair p = filled_pair(c, "cds", Filling::local, 1), q = filled_pair(c, "cds", Filling::local, 2);
  const Handle<Vec> x = random_vector(p.theirs.get(), 1);
  using Multiply = PetscErrorCode (*)(Mat, Mat, MatReuse, PetscReal, Mat*);
  // All of ours, ours on the left and on the right.
  const std::pair<Mat, Mat> sides[] = {
      {p.ours.get(), q.ours.get()}, {p.ours.get(), q.theirs.get()}, {p.theirs.get(), q.ours.get()}};
  for (const Multiply multiply : {&MatMatMult, &MatTransposeMatMult, &MatPtAP}) {
    const auto product = [&](Mat a, Mat b) {
      Mat made = nullptr;
      CALL(multiply(a, b, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made));
      return Handle<Mat>(made);
    };
    const Handle<Mat> expected = product(p.theirs.get(), q.theirs.get());
    for (const auto& [a, b] : sides) {
      Handle<Mat> seen = product(a, b);
      expect_equal_products(seen.get(), expected.get(), x, "a product of two");
      Mat again = seen.get();
      CALL(multiply(a, b, MAT_REUSE_MATRIX, PETSC_DEFAULT, &again));
      expect_equal_products(again, expected.get(), x, "the product again");
    }
  }
}

TEST_F(MatrixType, ReductionsOfRowsAndColumnsAreAijs) {
  const Pair p = filled_pair(Case{}, "cds");
  PetscInt columns = 0;
  CALL(MatGetSize(p.ours.get(), nullptr, &columns));
  std::vector<PetscReal> norms[2];
  Handle<Vec> rows[2][3];
  for (const bool ours : {true, false}) {
    const Mat m = ours ? p.ours.get() : p.theirs.get();
    norms[ours].resize(static_cast<std::size_t>(columns));
    CALL(MatGetColumnNorms(m, NORM_2, norms[ours].data()));
    for (auto& v : rows[ours]) v = random_vector(p.theirs.get(), 1, true);
    CALL(MatGetRowMaxAbs(m, rows[ours][0].get(), nullptr));
    CALL(MatGetRowMax(m, rows[ours][1].get(), nullptr));
    CALL(MatGetRowSum(m, rows[ours][2].get()));
  }
  EXPECT_EQ(norms[0], norms[1]);
  for (int i = 0; i < 3; ++i) expect_near(rows[0][i].get(), rows[1][i].get(), "rows");
}

TEST_F(MatrixType, ChangesOfTheWholeMatrixComeBack) {
  const Pair p = filled_pair(Case{}, "cds");
  p.both([](Mat m) {
    CALL(MatRealPart(m));
    CALL(MatConjugate(m));
  });
  expect_same(p.ours.get(), p.theirs.get());
  CALL(MatSetRandom(p.ours.get(), nullptr));
  Mat copied = nullptr;
  CALL(MatConvert(p.ours.get(), MATAIJ, MAT_INITIAL_MATRIX, &copied));
  const Handle<Mat> copy(copied);
  PetscReal norm = 0;
  CALL(MatNorm(copy.get(), NORM_FROBENIUS, &norm));
  EXPECT_GT(norm, 0);
  expect_same(p.ours.get(), copy.get());
  CALL(MatImaginaryPart(p.ours.get()));
  CALL(MatNorm(p.ours.get(), NORM_FROBENIUS, &norm));
  EXPECT_EQ(norm, 0);
}

// As in time steps and Newton's: one solver, whose matrix gets new values.
TEST_F(MatrixType, FactorsFollowNewValues) {
  for (const char* const pc_type : {PCILU, PCICC, PCLU, PCBJACOBI}) {
    if (ranks() > 1 && std::string(pc_type) != PCBJACOBI) continue;
    SCOPED_TRACE(pc_type);
    const Pair p = filled_pair(Case{}, "cds");
    std::array<Handle<KSP>, 2> ksp;
    const auto solve = [&](std::size_t which, Mat m) {
      if (!ksp[which]) {
        ksp[which] = make<KSP>("KSPCreate", [](KSP* k) { return KSPCreate(PETSC_COMM_WORLD, k); });
        PC pc = nullptr;
        CALL(KSPSetOperators(ksp[which].get(), m, m));
        CALL(KSPSetType(ksp[which].get(), KSPPREONLY));
        CALL(KSPGetPC(ksp[which].get(), &pc));
        CALL(PCSetType(pc, pc_type));
      }
      const Handle<Vec> b = random_vector(m, 1);
      Handle<Vec> x = random_vector(m, 2);
      CALL(KSPSolve(ksp[which].get(), b.get(), x.get()));
      return x;
    };
    p.both([&](Mat m) {
      if (std::string(pc_type) == PCICC) CALL(MatZeroEntries(m));  // symmetric
      CALL(MatShift(m, 60));
    });
    for (const double shift : {0.0, 7.0, -3.0}) {
      p.both([&](Mat m) { CALL(MatShift(m, shift)); });
      const Handle<Vec> ours = solve(0, p.ours.get()), theirs = solve(1, p.theirs.get());
      expect_near(ours.get(), theirs.get(), "what the factor makes", 1e-10);
    }
  }
}

TEST_F(MatrixType, FactorsOfOtherPackagesAreAijs) {
  int seen = 0;
  for (const char* const package : {MATSOLVERMUMPS, MATSOLVERSUPERLU_DIST, MATSOLVERSUPERLU, MATSOLVERUMFPACK,
                                    MATSOLVERCHOLMOD, MATSOLVERPETSC})
    for (const MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY}) {
      SCOPED_TRACE(package);
      const Pair p = filled_pair(Case{}, "cds");
      PetscBool ours = PETSC_FALSE, theirs = PETSC_FALSE;
      CALL(MatGetFactorAvailable(p.ours.get(), package, type, &ours));
      CALL(MatGetFactorAvailable(p.theirs.get(), package, type, &theirs));
      EXPECT_EQ(ours, theirs);
      if (!ours) continue;
      ++seen;
      const bool symmetric = type == MAT_FACTOR_CHOLESKY;
      p.both([&](Mat m) {  // dominant, so that Cholesky takes it
        if (symmetric) CALL(MatZeroEntries(m));
        CALL(MatShift(m, 50));
      });
      const Handle<Vec> b = random_vector(p.theirs.get(), 1);
      Handle<Vec> x[2] = {random_vector(p.theirs.get(), 2), random_vector(p.theirs.get(), 3)};
      for (const bool mine : {true, false}) {
        const Handle<KSP> ksp = make<KSP>("KSPCreate", [](KSP* k) { return KSPCreate(PETSC_COMM_WORLD, k); });
        PC pc = nullptr;
        CALL(KSPSetType(ksp.get(), KSPPREONLY));
        CALL(KSPSetOperators(ksp.get(), mine ? p.ours.get() : p.theirs.get(),
                             mine ? p.ours.get() : p.theirs.get()));
        CALL(KSPGetPC(ksp.get(), &pc));
        CALL(PCSetType(pc, symmetric ? PCCHOLESKY : PCLU));
        CALL(PCFactorSetMatSolverType(pc, package));
        for (int times = 0; times < 2; ++times) {
          CALL(KSPSolve(ksp.get(), b.get(), x[mine].get()));
          CALL(MatScale(mine ? p.ours.get() : p.theirs.get(), 2));
        }
      }
      expect_near(x[0].get(), x[1].get(), "solution");
    }
  if (seen == 0) GTEST_SKIP() << "this PETSc was built without packages for several ranks";
}

// AIJ shows rows of the same sparsity as one: colours of those are colours of all.
TEST_F(MatrixType, EveryColumnHasAColour) {
  if (ranks() > 1) GTEST_SKIP() << "AIJ joins rows on one rank";
  CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_format"));
  const PetscInt n = 24;
  const Handle<Mat> m = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
  CALL(MatSetSizes(m.get(), n, n, n, n));
  CALL(MatSetType(m.get(), "quadrille"));
  CALL(MatSetUp(m.get()));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = i / 4 * 4; j < i / 4 * 4 + 4; ++j)
      CALL(MatSetValue(m.get(), i, j, 1.0 + i, INSERT_VALUES));
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY));
  for (const char* const type : {MATCOLORINGSL, MATCOLORINGLF, MATCOLORINGID}) {
    MatColoring coloring = nullptr;
    ISColoring colors = nullptr;
    CALL(MatColoringCreate(m.get(), &coloring));
    CALL(MatColoringSetType(coloring, type));
    CALL(MatColoringApply(coloring, &colors));
    PetscInt count = 0, all = 0;
    IS* sets = nullptr;
    CALL(ISColoringGetIS(colors, PETSC_USE_POINTER, &count, &sets));
    for (PetscInt c = 0; c < count; ++c) {
      PetscInt size = 0;
      CALL(ISGetLocalSize(sets[c], &size));
      all += size;
    }
    EXPECT_EQ(all, n) << type;
    CALL(ISColoringRestoreIS(colors, PETSC_USE_POINTER, &sets));
    CALL(ISColoringDestroy(&colors));
    CALL(MatColoringDestroy(&coloring));
  }
}

TEST_F(MatrixType, AFactorMayBePlannedTwice) {
  const Pair p = filled_pair(Case{}, "cds");
  PetscBool available = PETSC_FALSE;
  CALL(MatGetFactorAvailable(p.ours.get(), MATSOLVERMUMPS, MAT_FACTOR_LU, &available));
  if (!available) GTEST_SKIP() << "this PETSc was built without MUMPS";
  Mat made = nullptr;
  CALL(MatGetFactor(p.ours.get(), MATSOLVERMUMPS, MAT_FACTOR_LU, &made));
  const Handle<Mat> factor(made);
  MatFactorInfo info;
  CALL(MatFactorInfoInitialize(&info));
  for (int times = 0; times < 2; ++times)
    CALL(MatLUFactorSymbolic(made, p.ours.get(), nullptr, nullptr, &info));
  CALL(MatLUFactorNumeric(made, p.ours.get(), &info));
  const Handle<Vec> b = random_vector(p.theirs.get(), 1), x = random_vector(p.theirs.get(), 2),
                    again = random_vector(p.theirs.get(), 3);
  CALL(MatSolve(made, b.get(), x.get()));
  CALL(MatMult(p.ours.get(), x.get(), again.get()));
  expect_near(again.get(), b.get(), "A x");
}

TEST_F(MatrixType, ATransposeIsMadeAgain) {
  const Pair p = filled_pair(Case{}, "cds");
  const Handle<Vec> x = random_vector(p.theirs.get(), 1);
  Mat made[2] = {};
  for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
    CALL(MatTranspose(p.ours.get(), reuse, &made[0]));
    CALL(MatTranspose(p.theirs.get(), reuse, &made[1]));
    expect_equal_products(made[0], made[1], x, "a transpose");
    p.both([](Mat m) { CALL(MatScale(m, 3)); });
  }
  for (Mat& m : made) CALL(MatDestroy(&m));
}

TEST_F(MatrixType, AMatrixWithoutValuesIsNotAssembled) {
  const Handle<Mat> m = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
  CALL(MatSetSizes(m.get(), 2, 2, PETSC_DETERMINE, PETSC_DETERMINE));
  CALL(MatSetType(m.get(), "quadrille"));
  CALL(MatSetUp(m.get()));
  PetscBool assembled = PETSC_TRUE;
  CALL(MatAssembled(m.get(), &assembled));
  EXPECT_FALSE(assembled);
}

TEST_F(MatrixType, InterpolationsShowTheirEntries) {
  if (ranks() > 1) GTEST_SKIP() << "of one rank; interpolation_test.cpp has those of several";
  const std::array<AxisInterpolation, 3> axes{
      dmda_interpolation(9, 5, false), dmda_interpolation(5, 3, false), dmda_interpolation(1, 1, false)};
  const Handle<Mat> p(petsc::make_transfer_matrix(make_grid_transfer<double>(axes, 2, SpaceKind::cpu)));
  Mat made = nullptr;
  CALL(MatTranspose(p.get(), MAT_INITIAL_MATRIX, &made));
  const Handle<Mat> transposed(made);
  const Handle<Vec> fine = random_vector(p.get(), 1, true), a = random_vector(p.get(), 2),
                    b = random_vector(p.get(), 3);
  CALL(MatMultTranspose(p.get(), fine.get(), a.get()));
  CALL(MatMult(transposed.get(), fine.get(), b.get()));
  expect_near(a.get(), b.get(), "the transposed interpolation");
  PetscInt count = 0;
  CALL(MatGetRow(p.get(), 2, &count, nullptr, nullptr));
  EXPECT_GT(count, 0);
  CALL(MatRestoreRow(p.get(), 2, &count, nullptr, nullptr));
}

TEST_F(MatrixType, VerifySeesValuesThatWentIntoTheCopy) {
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_verify", "1"));
  const Pair p = filled_pair(Case{}, "cds");
  const Handle<Vec> x = random_vector(p.theirs.get(), 1), y = random_vector(p.theirs.get(), 2);
  CALL(MatMult(p.ours.get(), x.get(), y.get()));
  const Mat copy = petsc::typed(p.ours.get()).store().aij();
  Mat own = copy;
  PetscScalar* values = nullptr;
  if (ranks() > 1) CALL(MatMPIAIJGetSeqAIJ(copy, &own, nullptr, nullptr));
  CALL(MatSeqAIJGetArray(own, &values));
  values[0] += 1;
  CALL(MatSeqAIJRestoreArray(own, &values));
  expect_part("wrote into the copy", message_of([&] { CALL(MatMult(p.ours.get(), x.get(), y.get())); }));
}

TEST_F(MatrixType, VerifyNamesAMatrixOfZeros) {
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_verify", "1"));
  const Pair p = filled_pair(Case{}, "cds");
  CALL(MatZeroEntries(p.ours.get()));
  CALL(MatAssemblyBegin(p.ours.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(p.ours.get(), MAT_FINAL_ASSEMBLY));
  const Handle<Vec> x = random_vector(p.theirs.get(), 1), y = random_vector(p.theirs.get(), 2);
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  testing::internal::CaptureStderr();
  CALL(MatMult(p.ours.get(), x.get(), y.get()));
  const std::string said = testing::internal::GetCapturedStderr();
  if (rank == 0) expect_part("all values of a matrix of 80 rows are zero", said);
}

TEST_F(MatrixType, SpaceCudaWithoutAGpuSaysSo) {
  if (cuda::device_count() > 0) GTEST_SKIP() << "there is a GPU";
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_space", "cuda"));
  const std::string said = message_of([] { filled_pair(Case{}, "cds"); });
  CALL(PetscOptionsClearValue(nullptr, "-mat_quadrille_space"));
  expect_part("-mat_quadrille_space cuda", said);
  EXPECT_EQ(said.find("emory"), std::string::npos) << said;
}

TEST_F(MatrixType, RanksOfOneHostShareItsCores) {
  const petsc::HostShare& share = petsc::host_share();
  EXPECT_EQ(share.ranks, ranks());
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  if (std::getenv("OMP_NUM_THREADS") == nullptr && ranks() > 1)
    EXPECT_LE(share.threads, std::max(1, cores / ranks() + 1));
  else
    EXPECT_GE(share.threads, cores);
}

}  // namespace
}  // namespace quadrille::type_test
