// The matrix type `quadrille` against PETSc's AIJ, operation by operation, on any number of ranks.
#include "comparison.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/registry.hpp"
#include "solves.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

TEST_F(MatrixType, EveryWayOfFillingIsAijs) {
  unsigned salt = 0;
  for (const Case& c : cases(1, 12)) {
    SCOPED_TRACE(c.name());
    for (const Filling how : fillings) {
      SCOPED_TRACE("filling " + std::to_string(static_cast<int>(how)));
      const Pair p = filled_pair(c, "cds", how, ++salt);
      expect_same(p.ours.get(), p.theirs.get());
      const Filling again = fillings[salt % std::size(fillings)];
      p.both([&](Mat m) { fill(m, p.grid.get(), c, again, salt + 100); });  // added
      expect_same(p.ours.get(), p.theirs.get());
      p.both([&](Mat m) { fill(m, p.grid.get(), c, again, salt + 200, INSERT_VALUES); });
      expect_same(p.ours.get(), p.theirs.get());
      p.both([&](Mat m) { CALL(MatZeroEntries(m)); });
      p.both([&](Mat m) { fill(m, p.grid.get(), c, how, salt + 300); });
      expect_same(p.ours.get(), p.theirs.get());
    }
  }
}

TEST_F(MatrixType, EveryFormatIsAijs) {
  for (const FormatEntry& entry : petsc::all_products()) {
    if (entry.space != space() || !entry.make_fp64) continue;
    SCOPED_TRACE(entry.name);
    for (const Case& c : cases(2, 3)) {
      SCOPED_TRACE(c.name());
      const Pair p = filled_pair(c, entry.name);
      const Handle<Vec> x = random_vector(p.theirs.get(), 3);
      const Handle<Vec> a = random_vector(p.theirs.get(), 4), b = random_vector(p.theirs.get(), 5);
      for (int round = 0; round < 2; ++round) {
        CALL(MatMult(p.ours.get(), x.get(), a.get()));
        CALL(MatMult(p.theirs.get(), x.get(), b.get()));
        expect_near(a.get(), b.get(), "MatMult");
        p.both([&](Mat m) { fill(m, p.grid.get(), c, Filling::local, 7); });  // made anew
      }
    }
  }
}

TEST_F(MatrixType, OperationsThatChangeItAreAijs) {
  for (const Case& c : cases(3, 6)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const auto same_after = [&](const char* what, const std::function<void(Mat)>& change) {
      SCOPED_TRACE(what);
      p.both(change);
      expect_same(p.ours.get(), p.theirs.get());
    };
    const Handle<Vec> left = random_vector(p.theirs.get(), 21), right = random_vector(p.theirs.get(), 22);
    same_after("scale", [](Mat m) { CALL(MatScale(m, -1.5)); });
    same_after("shift", [](Mat m) { CALL(MatShift(m, 2.25)); });
    same_after("diagonal set", [&](Mat m) { CALL(MatDiagonalSet(m, left.get(), ADD_VALUES)); });
    same_after("diagonal scale", [&](Mat m) { CALL(MatDiagonalScale(m, left.get(), right.get())); });

    const Pair other = filled_pair(c, "cds", Filling::stencil, 9);
    {
      SCOPED_TRACE("the other");
      expect_same(other.ours.get(), other.theirs.get());
    }
    for (const auto& [to, from] :
         {std::pair{p.ours.get(), other.ours.get()}, std::pair{p.theirs.get(), other.theirs.get()}})
      CALL(MatAXPY(to, -0.5, from, DIFFERENT_NONZERO_PATTERN));
    {
      SCOPED_TRACE("axpy");
      expect_same(p.ours.get(), p.theirs.get());
    }

    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(p.theirs.get(), &first, &last));
    p.both([](Mat m) { CALL(MatSetOption(m, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE)); });
    const std::vector<PetscInt> rows{first, last - 1}, next{last % (ranks() * 2)};
    same_after("zero rows", [&](Mat m) {
      const Handle<Vec> x = random_vector(m, 31), b = random_vector(m, 32);
      CALL(MatZeroRows(m, 2, rows.data(), 5.5, x.get(), b.get()));
    });
    same_after("zero rows and columns", [&](Mat m) {
      const Handle<Vec> x = random_vector(m, 31), b = random_vector(m, 32);
      CALL(MatZeroRowsColumns(m, 1, next.data(), 1.5, x.get(), b.get()));
    });
    same_after("zero rows, local", [&](Mat m) {
      const PetscInt row = 0;
      CALL(MatZeroRowsLocal(m, 1, &row, 0.75, nullptr, nullptr));
    });
    same_after("zero", [](Mat m) { CALL(MatZeroEntries(m)); });
  }
}

TEST_F(MatrixType, CopiesAreTheirOwn) {
  for (const Case& c : cases(4, 5)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "dia");
    const auto duplicate = [](Mat m, MatDuplicateOption option) {
      return make<Mat>("MatDuplicate", [=](Mat* to) { return MatDuplicate(m, option, to); });
    };
    const Handle<Mat> copy = duplicate(p.ours.get(), MAT_COPY_VALUES),
                      empty = duplicate(p.ours.get(), MAT_DO_NOT_COPY_VALUES),
                      before = duplicate(p.theirs.get(), MAT_COPY_VALUES);
    p.both([](Mat m) { CALL(MatScale(m, 3)); });
    expect_same(copy.get(), before.get());
    CALL(MatCopy(p.ours.get(), copy.get(), SAME_NONZERO_PATTERN));
    expect_same(copy.get(), p.theirs.get());
    fill(empty.get(), p.grid.get(), c, Filling::global, 44);
    CALL(MatZeroEntries(before.get()));
    fill(before.get(), p.grid.get(), c, Filling::global, 44);
    expect_same(empty.get(), before.get());
  }
}

// With the sizes of AIJ's, and zero, whatever uses them first.
TEST_F(MatrixType, VectorsAreAijsAndZero) {
  for (const Case& c : cases(6, 3)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const auto vectors = [](Mat m) {
      Vec right = nullptr, left = nullptr;
      CALL(MatCreateVecs(m, &right, &left));
      return std::array<Handle<Vec>, 2>{Handle<Vec>(right), Handle<Vec>(left)};
    };
    const auto theirs = vectors(p.theirs.get());
    for (int use = 0; use < 3; ++use)
      for (const int side : {0, 1}) {
        const auto ours = vectors(p.ours.get());
        const Vec v = ours[side].get(), like = theirs[side].get();
        const auto sizes = [](Vec of) {
          std::array<PetscInt, 4> found{};
          CALL(VecGetLocalSize(of, found.data()));
          CALL(VecGetSize(of, &found[1]));
          CALL(VecGetBlockSize(of, &found[2]));
          CALL(VecGetOwnershipRange(of, &found[3], nullptr));
          return found;
        };
        EXPECT_EQ(sizes(v), sizes(like));
        PetscReal norm = -1;
        if (use == 1) {
          const Handle<Vec> sum = random_vector(p.ours.get(), 7);
          CALL(VecAXPY(v, 2, sum.get()));
          CALL(VecAXPY(v, -2, sum.get()));
        } else if (use == 2) {
          CALL(VecSetValue(v, 0, 3, INSERT_VALUES));
          CALL(VecAssemblyBegin(v));
          CALL(VecAssemblyEnd(v));
        }
        CALL(VecNorm(v, NORM_1, &norm));
        EXPECT_EQ(norm, use == 2 ? 3 : 0);
      }
  }
}

TEST_F(MatrixType, ConversionsKeepEveryValue) {
  for (const Case& c : cases(5, 5)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const auto convert = [](Mat m, MatType type) {
      return make<Mat>("MatConvert", [=](Mat* to) { return MatConvert(m, type, MAT_INITIAL_MATRIX, to); });
    };
    for (const char* type : {MATAIJ, MATBAIJ}) {
      SCOPED_TRACE(type);
      const Handle<Mat> theirs = convert(p.ours.get(), type);
      expect_same(p.ours.get(), theirs.get());
      for (const char* format : {"cds", "csr"}) {
        CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", format));
        const Handle<Mat> back = convert(theirs.get(), "quadrille");
        expect_same(back.get(), p.theirs.get());
        PetscBool ours = PETSC_FALSE;
        CALL(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(back.get()), &ours, "seqquadrille",
                                       "mpiquadrille", ""));
        EXPECT_TRUE(ours);
      }
    }
    Handle<Mat> in_place = convert(p.ours.get(), MATAIJ);
    Mat m = in_place.release();
    CALL(MatConvert(m, "quadrille", MAT_INPLACE_MATRIX, &m));
    in_place.reset(m);
    CALL(MatScale(m, 2));
    CALL(MatScale(p.theirs.get(), 2));
    expect_same(m, p.theirs.get());
    CALL(MatConvert(m, MATAIJ, MAT_INPLACE_MATRIX, &m));
    PetscBool same = PETSC_FALSE;
    CALL(MatEqual(m, p.theirs.get(), &same));
    EXPECT_TRUE(same);
  }
}

// No DMDA: what is set is collected, and the structure found at assembly.
TEST_F(MatrixType, WithoutAGridTheSparsityIsTheStructure) {
  const auto band = [](MatType type, PetscInt rows, PetscInt block) {
    Handle<Mat> m = make<Mat>("MatCreate", [](Mat* created) { return MatCreate(PETSC_COMM_WORLD, created); });
    CALL(MatSetSizes(m.get(), PETSC_DECIDE, PETSC_DECIDE, rows, rows));
    CALL(MatSetBlockSize(m.get(), block));
    CALL(MatSetType(m.get(), type));
    CALL(MatSetUp(m.get()));
    CALL(MatSetOption(m.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(m.get(), &first, &last));
    for (PetscInt i = first; i < last; ++i)
      for (const PetscInt d : {-8, -1, 0, 1, 8})
        if (i + d >= 0 && i + d < rows) CALL(MatSetValue(m.get(), i, i + d, value_at(i, d, 1), ADD_VALUES));
    CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
    CALL(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY));
    return m;
  };
  for (const PetscInt block : {1, 2, 4})
    for (const char* format : {"cds", "csr", "dia"}) {
      CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", format));
      const Handle<Mat> ours = band("quadrille", 48, block), theirs = band(MATAIJ, 48, block);
      expect_same(ours.get(), theirs.get());
      for (const Mat m : {ours.get(), theirs.get()}) CALL(MatShift(m, 1.5));
      expect_same(ours.get(), theirs.get());
    }
}

// What PETSc's solvers ask for: as many iterations as with AIJ, and its solution.
TEST_F(MatrixType, SolversTakeAsManyIterations) {
  Case c;
  c.size = {7, 6, 6};
  c.dof = 2;
  const Pair p = filled_pair(c, "cds");
  for (const char* pc : {"none", "jacobi", "pbjacobi", "vpbjacobi", "sor", "eisenstat", "bjacobi", "asm",
                         "redundant", "ilu", "lu"}) {
    if (ranks() > 1 && (std::string(pc) == "ilu" || std::string(pc) == "lu")) continue;
    if (std::string(pc) == "vpbjacobi") {
      PetscInt rows = 0;
      CALL(MatGetLocalSize(p.theirs.get(), &rows, nullptr));
      std::vector<PetscInt> sizes(static_cast<std::size_t>(rows / 2), 2);
      p.both([&](Mat m) { CALL(MatSetVariableBlockSizes(m, rows / 2, sizes.data())); });
    }
    SCOPED_TRACE(pc);
    PetscInt iterations[2] = {-1, -2};
    Handle<Vec> x[2];
    int i = 0;
    p.both([&](Mat m) {
      const Handle<Vec> b = random_vector(m, 8);
      x[i] = random_vector(m, 1);
      KSP ksp = nullptr;
      PC preconditioner = nullptr;
      CALL(KSPCreate(PETSC_COMM_WORLD, &ksp));
      CALL(KSPSetOperators(ksp, m, m));
      CALL(KSPGetPC(ksp, &preconditioner));
      CALL(PCSetType(preconditioner, pc));
      CALL(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 200));
      CALL(KSPSolve(ksp, b.get(), x[i].get()));
      CALL(KSPGetIterationNumber(ksp, &iterations[i]));
      CALL(KSPDestroy(&ksp));
      ++i;
    });
    EXPECT_EQ(iterations[0], iterations[1]);
    EXPECT_GT(iterations[1], 0);
    expect_near(x[0].get(), x[1].get(), "solution", 1e-9);
  }
}

TEST_F(MatrixType, ProductsWithAijFollowNewValues) {
  for (const Case& c : cases(7, 4)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const Handle<Mat> by =
        make<Mat>("MatDuplicate", [&](Mat* m) { return MatDuplicate(p.theirs.get(), MAT_COPY_VALUES, m); });
    Mat products[2] = {};
    const auto compare = [&](MatReuse reuse) {
      int i = 0;
      p.both([&](Mat m) { CALL(MatPtAP(m, by.get(), reuse, 2.0, &products[i++])); });
      const Handle<Vec> x = random_vector(products[1], 1), a = random_vector(products[1], 2),
                        b = random_vector(products[1], 3);
      CALL(MatMult(products[0], x.get(), a.get()));
      CALL(MatMult(products[1], x.get(), b.get()));
      expect_near(a.get(), b.get(), "P^T A P");
    };
    compare(MAT_INITIAL_MATRIX);
    p.both([](Mat m) { CALL(MatScale(m, -2)); });
    compare(MAT_REUSE_MATRIX);
    p.both([&](Mat m) { fill(m, p.grid.get(), c, Filling::local, 5); });
    compare(MAT_REUSE_MATRIX);
    p.both([](Mat m) { CALL(MatShift(m, 1.25)); });
    compare(MAT_REUSE_MATRIX);
    for (Mat& product : products) CALL(MatDestroy(&product));
  }
}

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST_F(MatrixType, AValueOutsideTheStencilIsNamed) {
  Case c;
  c.dimension = 2;
  c.size = {12, 12, 1};
  const Pair p = filled_pair(c, "cds");
  PetscInt row = 0, far = 0;
  CALL(MatGetOwnershipRange(p.ours.get(), &row, nullptr));
  far = row + 3;  // three nodes further, in one line
  const double zero = 0, value = 2;
  CALL(MatSetValues(p.ours.get(), 1, &row, 1, &far, &zero, ADD_VALUES));  // needs no place
  const std::string text = error_of(MatSetValues(p.ours.get(), 1, &row, 1, &far, &value, ADD_VALUES));
  expect_in("row " + std::to_string(row) + " ", text);
  expect_in("column " + std::to_string(far) + " ", text);
  expect_in("the star stencil of width 1", text);
  CALL(MatSetOption(p.ours.get(), MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  CALL(MatSetValues(p.ours.get(), 1, &row, 1, &far, &value, ADD_VALUES));  // asked to be dropped
  CALL(MatAssemblyBegin(p.ours.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(p.ours.get(), MAT_FINAL_ASSEMBLY));
  expect_same(p.ours.get(), p.theirs.get());
}

TEST_F(MatrixType, WrongOptionsAreRefusedWithWhatThereIs) {
  const Grid grid = make_grid({});
  const Handle<Mat> m = make_matrix(grid.get(), "nonsense");
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  expect_in("there is no format 'nonsense'; there are csr",
            error_of(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY)));
  const char* const before = space() == SpaceKind::cuda ? "cuda" : "auto";
  const auto set_up_in = [](const char* space) {
    CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_space", space));
    const Handle<Mat> n = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
    CALL(MatSetSizes(n.get(), PETSC_DECIDE, PETSC_DECIDE, 16, 16));
    CALL(MatSetType(n.get(), "quadrille"));
    return MatSetUp(n.get());
  };
  const std::string text = error_of(set_up_in("moon"));
  expect_in("-mat_quadrille_space without a value", error_of(set_up_in("")));
  CALL(set_up_in("CPU"));
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_space", before));
  expect_in("-mat_quadrille_space moon: there are auto, cpu and cuda", text);
}

std::string summary_of(Mat m) {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* const file = open_memstream(&text, &size);
  PetscViewer viewer = nullptr;
  CALL(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
  CALL(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  CALL(MatView(m, viewer));
  CALL(PetscViewerDestroy(&viewer));
  std::fclose(file);
  std::string seen(text, size);
  std::free(text);
  return seen;
}

TEST_F(MatrixType, RoundedValuesAreRefusedOrTold) {
  const auto set_up_with = [](const char* format, const char* precision) {
    CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", format));
    CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_value_precision", precision));
    const Handle<Mat> n = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
    CALL(MatSetSizes(n.get(), PETSC_DECIDE, PETSC_DECIDE, 16, 16));
    CALL(MatSetType(n.get(), "quadrille"));
    return MatSetUp(n.get());
  };
  expect_in("-mat_quadrille_value_precision 'fp8': choose one of own, fp32, bf16",
            error_of(set_up_with("cds", "fp8")));
  expect_in(
      "-mat_quadrille_value_precision fp32: auto takes what is exact; -mat_quadrille_format cds or compact",
      error_of(set_up_with("auto", "fp32")));
  expect_in("-mat_quadrille_value_precision bf16: csr keeps its values as they are",
            error_of(set_up_with("csr", "bf16")));
  CALL(set_up_with("csr", "own"));

  const ValuesIn values(ValuePrecision::fp32);
  const Grid grid = make_grid({});
  const Handle<Mat> m = make_matrix(grid.get(), "cds");
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  testing::internal::CaptureStderr();
  fill(m.get(), grid.get(), {}, Filling::local, 1);
  fill(m.get(), grid.get(), {}, Filling::local, 2);
  const std::string said = testing::internal::GetCapturedStderr(), sentence = "row i may be off by 5.96e-08";
  if (rank == 0) expect_in(sentence, said);
  EXPECT_EQ(said.find(sentence, said.find(sentence) + 1), std::string::npos) << "said again";
  if (ranks() == 1) expect_in("off by at most 5.96e-08 (|A||x|)_i in row i", summary_of(m.get()));
  PetscInt last = 0;
  CALL(MatGetOwnershipRange(m.get(), nullptr, &last));
  if (rank == ranks() - 1) CALL(MatSetValue(m.get(), last - 1, last - 1, 1e-39, INSERT_VALUES));
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  const std::string text = error_of(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY));
  expect_in(rank == ranks() - 1 ? "values that fp32 cannot hold" : "refused on another rank", text);
}

// Of constants, until they have changed some times.
TEST_F(MatrixType, AutoTakesTheFormatThatSuits) {
  const Case c{2, {300, 200, 1}, 4, 1, false, {}};
  const Grid grid = make_grid(c);
  for (const bool transposed : {false, true}) {
    const Handle<Mat> ours = make_matrix(grid.get(), "auto"), aij = make_matrix(grid.get());
    for (const Mat m : {ours.get(), aij.get()}) set_laplacian(m, grid.get(), c, 1);
    const Handle<Vec> x = random_vector(aij.get(), 1), y = random_vector(aij.get(), 2),
                      z = random_vector(aij.get(), 3);
    for (int round = 0; round < 5; ++round) {
      CALL(MatMult(ours.get(), x.get(), y.get()));
      CALL(MatMult(aij.get(), x.get(), z.get()));
      expect_near(y.get(), z.get(), "a product");
      const std::string& format = petsc::typed(ours.get()).options.format;
      const bool on_host = petsc::typed(ours.get()).own()->space() == SpaceKind::cpu;
      EXPECT_EQ(format == "compact", on_host && round < 3) << round << " " << format;
      if (transposed && round == 1) {
        CALL(MatMultTranspose(ours.get(), x.get(), y.get()));
        CALL(MatMultTranspose(aij.get(), x.get(), z.get()));
        expect_near(y.get(), z.get(), "a transposed product");
      }
      for (const Mat m : {ours.get(), aij.get()}) CALL(MatScale(m, 1.5));
    }
  }
}

// On a GPU it looks at stars of one unknown whenever they change: constants are found, and what is none any
// more is stored.
TEST_F(MatrixType, AutoLooksAtStars) {
  const bool on_gpu = space() == SpaceKind::cuda;
  const Case c{2, {on_gpu ? 1500 : 70, on_gpu ? 1400 : 50, 1}, 1, 1, false, {}};
  const Grid grid = make_grid(c);
  const Handle<Mat> ours = make_matrix(grid.get(), "auto"), aij = make_matrix(grid.get());
  for (const Mat m : {ours.get(), aij.get()}) set_laplacian(m, grid.get(), c, 1);
  const Handle<Vec> x = random_vector(aij.get(), 1), y = random_vector(aij.get(), 2),
                    z = random_vector(aij.get(), 3);
  std::int64_t constants = 0;
  for (int round = 0; round < 7; ++round) {
    CALL(MatMult(ours.get(), x.get(), y.get()));
    CALL(MatMult(aij.get(), x.get(), z.get()));
    expect_near(y.get(), z.get(), "a product");
    const std::int64_t stored = petsc::typed(ours.get()).own()->traffic().stored_bytes;
    if (round == 0) constants = stored;
    if (on_gpu) {
      EXPECT_EQ(petsc::typed(ours.get()).options.format, "compact") << round;
      EXPECT_EQ(stored > 2 * constants, round > 4) << round;
    }
    for (const Mat m : {ours.get(), aij.get()})
      if (round < 4)
        CALL(MatScale(m, 1.5));
      else
        CALL(MatDiagonalScale(m, x.get(), nullptr));
  }
}

TEST_F(MatrixType, OptionsFollowThePrefix) {
  const Grid grid = make_grid({});
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", "csr"));
  CALL(PetscOptionsSetValue(nullptr, "-mine_mat_quadrille_format", "ell"));
  const Handle<Mat> m =
      make<Mat>("MatCreate", [](Mat* created) { return MatCreate(PETSC_COMM_WORLD, created); });
  CALL(MatSetSizes(m.get(), PETSC_DECIDE, PETSC_DECIDE, 16, 16));
  CALL(MatSetOptionsPrefix(m.get(), "mine_"));
  CALL(MatSetType(m.get(), "quadrille"));
  CALL(MatSetFromOptions(m.get()));
  CALL(MatSetUp(m.get()));
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(m.get(), &first, &last));
  for (PetscInt i = first; i < last; ++i) CALL(MatSetValue(m.get(), i, i, 1.0, INSERT_VALUES));
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY));
  CALL(PetscOptionsClearValue(nullptr, "-mine_mat_quadrille_format"));
  const std::string path = testing::TempDir() + "quadrille_type_view";
  PetscViewer viewer = nullptr;
  CALL(PetscViewerASCIIOpen(PETSC_COMM_WORLD, path.c_str(), &viewer));
  CALL(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  CALL(MatView(m.get(), viewer));
  CALL(PetscViewerDestroy(&viewer));
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank != 0) return;
  FILE* file = std::fopen(path.c_str(), "r");
  ASSERT_NE(file, nullptr);
  char text[2048] = {};
  const std::string seen(text, std::fread(text, 1, sizeof text, file));
  std::fclose(file);
  std::remove(path.c_str());
  expect_in("format ell,", seen);
}

TEST_F(MatrixType, OptionsLiveOnInDuplicatesAndAfterSums) {
  for (const Case& c : cases(8, 3)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    const auto by_columns = [&](Mat m) {
      PetscInt first = 0, last = 0;
      CALL(MatGetOwnershipRange(m, &first, &last));
      const PetscInt rows[] = {first, first + (last - first > 1)};
      const PetscScalar block[] = {1, 2, 3, 4};
      CALL(MatSetOption(m, MAT_ROW_ORIENTED, PETSC_FALSE));
      CALL(MatSetValues(m, c.dof > 1 ? 2 : 1, rows, c.dof > 1 ? 2 : 1, rows, block, INSERT_VALUES));
      CALL(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
      CALL(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
    };
    p.both(by_columns);
    const auto copy = [](Mat m) {
      return make<Mat>("MatDuplicate", [=](Mat* to) { return MatDuplicate(m, MAT_COPY_VALUES, to); });
    };
    const Handle<Mat> ours = copy(p.ours.get()), theirs = copy(p.theirs.get());
    p.both([&](Mat m) {
      CALL(MatAXPY(m, 2, m == p.ours.get() ? ours.get() : theirs.get(), SAME_NONZERO_PATTERN));
    });
    p.both(by_columns);
    expect_same(p.ours.get(), p.theirs.get());
    by_columns(ours.get());
    by_columns(theirs.get());
    expect_same(ours.get(), theirs.get());
  }
}

TEST_F(MatrixType, RowsAndColumnsBeyondTheMatrixAreErrors) {
  const Pair p = filled_pair(cases(9, 1).front(), "cds");
  PetscInt size = 0, first = 0;
  CALL(MatGetSize(p.ours.get(), &size, nullptr));
  CALL(MatGetOwnershipRange(p.ours.get(), &first, nullptr));
  p.both([&](Mat m) {
    EXPECT_THROW(CALL(MatSetValue(m, size, first, 1, ADD_VALUES)), PetscError);
    EXPECT_THROW(CALL(MatSetValue(m, first, size, 1, ADD_VALUES)), PetscError);
  });
}

}  // namespace
}  // namespace quadrille::type_test
