// Changes of a matrix's values against AIJ's, in any order, and where they happen.
#include <random>

#include "comparison.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

Handle<Mat> duplicate(Mat m, MatDuplicateOption option = MAT_COPY_VALUES) {
  return make<Mat>("MatDuplicate", [=](Mat* to) { return MatDuplicate(m, option, to); });
}

// Two matrices of each type, with vectors; `change` draws one of many changes and makes it in all.
class Changing {
 public:
  Changing(const Case& c, const std::string& format, unsigned seed)
      : c_(c),
        pair_(filled_pair(c, format)),
        other_(filled_pair(c, format, Filling::stencil, 9)),
        random_(seed) {}

  std::string change() {
    const Handle<Vec> left = random_vector(pair_.theirs.get(), random_()),
                      right = random_vector(pair_.theirs.get(), random_());
    const double factor = value_at(static_cast<std::int64_t>(random_()), 0, 1) * 2;
    const auto which = random_();
    const bool first = which % 2 == 0;
    switch (random_() % 9) {
      case 0:
        return both("scale", [&](Mat m) { CALL(MatScale(m, factor)); });
      case 1:
        return both("shift", [&](Mat m) { CALL(MatShift(m, factor)); });
      case 2:
        return both("diagonal scale", [&](Mat m) {
          CALL(MatDiagonalScale(m, which % 3 == 0 ? nullptr : left.get(),
                                which % 3 == 1 ? nullptr : right.get()));
        });
      case 3:
        return both("diagonal set",
                    [&](Mat m) { CALL(MatDiagonalSet(m, left.get(), first ? ADD_VALUES : INSERT_VALUES)); });
      case 4:
        return both("axpy", [&](Mat m) {
          CALL(MatAXPY(m, factor, other(m), first ? SAME_NONZERO_PATTERN : SUBSET_NONZERO_PATTERN));
        });
      case 5:
        return both("copy", [&](Mat m) { CALL(MatCopy(other(m), m, SAME_NONZERO_PATTERN)); });
      case 6:
        return both("refill", [&](Mat m) {
          CALL(MatZeroEntries(m));
          fill(m, pair_.grid.get(), c_, fillings[which % std::size(fillings)], static_cast<unsigned>(which));
        });
      case 7:
        return both("fill", [&](Mat m) {
          fill(m, pair_.grid.get(), c_, fillings[which % std::size(fillings)], static_cast<unsigned>(which),
               first ? ADD_VALUES : INSERT_VALUES);
        });
      default:
        std::swap(pair_, other_);
        return "swap";
    }
  }

  // The product and the diagonal, in AIJ's vectors and in those of the type.
  void expect_same_use() const {
    for (const Mat vectors_of : {pair_.theirs.get(), pair_.ours.get()}) {
      const auto used = [&](const auto& act, Mat m, Mat like) {
        Handle<Vec> y = random_vector(like, 4);
        act(m, random_vector(like, 3).get(), y.get());
        return y;
      };
      const auto product = [](Mat m, Vec x, Vec y) { CALL(MatMult(m, x, y)); };
      const auto diagonal = [](Mat m, Vec, Vec y) { CALL(MatGetDiagonal(m, y)); };
      const Mat ours = pair_.ours.get(), theirs = pair_.theirs.get();
      expect_near(used(product, ours, vectors_of).get(), used(product, theirs, theirs).get(), "MatMult");
      expect_near(used(diagonal, ours, vectors_of).get(), used(diagonal, theirs, theirs).get(),
                  "MatGetDiagonal");
    }
  }
  const Pair& pair() const { return pair_; }

 private:
  std::string both(const std::string& name, const std::function<void(Mat)>& change) {
    pair_.both(change);
    return name;
  }
  Mat other(Mat m) const { return m == pair_.ours.get() ? other_.ours.get() : other_.theirs.get(); }

  Case c_;
  Pair pair_, other_;
  std::mt19937 random_;
};

TEST_F(MatrixType, ChangesInAnyOrderAreAijs) {
  unsigned seed = 0;
  for (const Case& c : cases(31, 8)) {
    SCOPED_TRACE(c.name());
    const char* const format = seed % 4 == 3 ? "csr" : "cds";
    Changing changing(c, format, ++seed);
    std::string done;
    for (int i = 0; i < 12; ++i) {
      done += changing.change() + ", ";
      SCOPED_TRACE(done);
      changing.expect_same_use();
      if (i % 4 == 3) expect_same(changing.pair().ours.get(), changing.pair().theirs.get());
      if (HasFailure()) return;
    }
  }
}

// Scalings have the bits of AIJ's, which multiplies in the same order; so have sums without a factor.
TEST_F(MatrixType, ScaledValuesHaveAijsBits) {
  for (const Case& c : cases(32, 4)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds"), q = filled_pair(c, "cds", Filling::local, 8);
    const Handle<Vec> left = random_vector(p.theirs.get(), 5), right = random_vector(p.theirs.get(), 6);
    p.both([&](Mat m) {
      CALL(MatScale(m, 1.1));
      CALL(MatDiagonalScale(m, left.get(), right.get()));
      CALL(MatShift(m, 0.1));
      CALL(MatAXPY(m, 1, m == p.ours.get() ? q.ours.get() : q.theirs.get(), SAME_NONZERO_PATTERN));
    });
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(p.theirs.get(), &first, &last));
    for (PetscInt i = first; i < last; ++i) {
      PetscInt count = 0;
      const PetscInt* columns = nullptr;
      const PetscScalar* values = nullptr;
      CALL(MatGetRow(p.theirs.get(), i, &count, &columns, &values));
      std::vector<double> ours(static_cast<std::size_t>(count));
      CALL(MatGetValues(p.ours.get(), 1, &i, count, columns, ours.data()));
      for (PetscInt k = 0; k < count; ++k)
        EXPECT_EQ(ours[k], values[k]) << "row " << i << ", column " << columns[k];
      CALL(MatRestoreRow(p.theirs.get(), i, &count, &columns, &values));
    }
  }
}

// A star's values into a box, whose places are others, and past a star.
TEST_F(MatrixType, SumsOfOtherStructuresGoByRows) {
  Case star, box;
  star.size = box.size = {8, 7, 6};
  star.dof = box.dof = 2;
  box.box = true;
  const Pair p = filled_pair(box, "cds"), q = filled_pair(star, "cds", Filling::local, 8);
  const auto from = [&](Mat m) { return m == p.ours.get() ? q.ours.get() : q.theirs.get(); };
  p.both([&](Mat m) { CALL(MatAXPY(m, 0.5, from(m), SUBSET_NONZERO_PATTERN)); });
  expect_same(p.ours.get(), p.theirs.get());
  p.both([&](Mat m) { CALL(MatCopy(from(m), m, DIFFERENT_NONZERO_PATTERN)); });
  expect_same(p.ours.get(), p.theirs.get());
  const std::string text =
      error_of(MatAXPY(q.ours.get(), 1, filled_pair(box, "cds").ours.get(), DIFFERENT_NONZERO_PATTERN));
  EXPECT_NE(text.find("lies outside the star stencil"), std::string::npos) << text;
}

// Each of PETSc's objects has a number of its own: how many were made since the last call.
PetscInt64 objects_made() {
  static PetscObjectId last = 0;
  const Handle<Vec> probe = make<Vec>("VecCreate", [](Vec* v) { return VecCreate(PETSC_COMM_SELF, v); });
  PetscObjectId id = 0;
  CALL(PetscObjectGetId(reinterpret_cast<PetscObject>(probe.get()), &id));
  return static_cast<PetscInt64>(id - std::exchange(last, id)) - 1;
}

// Of the type without -mat_quadrille_verify, which makes a copy in AIJ.
Handle<Mat> unverified(const Grid& grid, const Case& c, unsigned salt) {
  CALL(DMSetMatType(grid.get(), "quadrille"));
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", "cds"));
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_verify", "0"));
  Handle<Mat> m = make<Mat>("DMCreateMatrix", [&](Mat* made) { return DMCreateMatrix(grid.get(), made); });
  fill(m.get(), grid.get(), c, Filling::local, salt);
  return m;
}

TEST_F(MatrixType, ChangesMakeNoCopies) {
  Case c;
  c.size = {9, 8, 7};
  c.dof = 2;
  const Grid grid = make_grid(c);
  const Handle<Mat> m = unverified(grid, c, 1), other = unverified(grid, c, 2);
  const Handle<Vec> x = random_vector(m.get(), 1), y = random_vector(m.get(), 2);
  const auto change = [&] {
    CALL(MatScale(m.get(), 1.5));
    CALL(MatShift(m.get(), 0.5));
    CALL(MatDiagonalScale(m.get(), x.get(), x.get()));
    CALL(MatDiagonalSet(m.get(), x.get(), ADD_VALUES));
    CALL(MatAXPY(m.get(), 2, other.get(), SAME_NONZERO_PATTERN));
    CALL(MatMult(m.get(), x.get(), y.get()));
    CALL(MatGetDiagonal(m.get(), y.get()));
    CALL(MatCopy(other.get(), m.get(), SAME_NONZERO_PATTERN));
    CALL(MatZeroEntries(m.get()));
    fill(m.get(), grid.get(), c, Filling::local, 3);
  };
  (void)objects_made();
  change();
  const PetscInt64 first = objects_made();
  EXPECT_TRUE(ranks() > 1 || first == 0)
      << first;  // of several, what fetches a vector's values for ghosts is kept
  change();
  EXPECT_EQ(objects_made(), 0);
  CALL(MatSetRandom(m.get(), nullptr));  // goes by AIJ: the count counts
  EXPECT_GT(objects_made(), 0);
}

#if defined(PETSC_HAVE_CUDA)
TEST_F(MatrixType, ChangesOnTheGpuStayThere) {
  if (space() != SpaceKind::cuda) GTEST_SKIP() << "no GPU in this run";
  if (ranks() > 1) GTEST_SKIP() << "ghosts of the right vector may cross the bus";
  Case c;
  c.size = {9, 8, 7};
  c.dof = 3;
  const Grid grid = make_grid(c);
  const Handle<Mat> m = unverified(grid, c, 1), other = unverified(grid, c, 2);
  Vec x_vector = nullptr, y_vector = nullptr;
  CALL(MatCreateVecs(m.get(), &x_vector, &y_vector));
  const Handle<Vec> x(x_vector), y(y_vector);
  CALL(VecSet(x.get(), 1.25));
  CALL(MatMult(m.get(), x.get(), y.get()));
  const PetscLogDouble to_gpu = petsc_ctog_sz, to_host = petsc_gtoc_sz;
  const auto change = [](Mat to, Mat from, Vec scales, Vec result) {
    CALL(MatScale(to, 1.5));
    CALL(MatShift(to, 0.5));
    CALL(MatMult(to, scales, result));
    CALL(MatDiagonalScale(to, scales, scales));
    CALL(MatDiagonalSet(to, scales, ADD_VALUES));
    CALL(MatAXPY(to, 2, from, SAME_NONZERO_PATTERN));
    CALL(MatGetDiagonal(to, result));
    const Handle<Mat> copy = duplicate(to), empty = duplicate(to, MAT_DO_NOT_COPY_VALUES);
    CALL(MatAXPY(empty.get(), -1, copy.get(), SAME_NONZERO_PATTERN));
    CALL(MatZeroEntries(to));
    CALL(MatCopy(empty.get(), to, SAME_NONZERO_PATTERN));
    CALL(MatMult(to, scales, result));
  };
  for (int i = 0; i < 3; ++i) change(m.get(), other.get(), x.get(), y.get());
  EXPECT_EQ(petsc_ctog_sz, to_gpu);
  EXPECT_EQ(petsc_gtoc_sz, to_host);
  CALL(DMSetMatType(grid.get(), MATAIJ));
  const auto aij = [&](unsigned salt) {
    Handle<Mat> made = make<Mat>("DMCreateMatrix", [&](Mat* a) { return DMCreateMatrix(grid.get(), a); });
    fill(made.get(), grid.get(), c, Filling::local, salt);
    return made;
  };
  const Handle<Mat> theirs = aij(1), their_other = aij(2);
  const Handle<Vec> scales = random_vector(theirs.get(), 1), result = random_vector(theirs.get(), 1);
  CALL(VecSet(scales.get(), 1.25));
  for (int i = 0; i < 3; ++i) change(theirs.get(), their_other.get(), scales.get(), result.get());
  expect_same(m.get(), theirs.get());
  EXPECT_GT(petsc_gtoc_sz, to_host);  // read on the host: the count counts
}
#endif

// Without a grid the values are AIJ's, and AIJ changes them.
TEST_F(MatrixType, ChangesWithoutAGridAreAijs) {
  const auto band = [](MatType type, PetscInt reach) {
    Handle<Mat> m = make<Mat>("MatCreate", [](Mat* created) { return MatCreate(PETSC_COMM_WORLD, created); });
    CALL(MatSetSizes(m.get(), PETSC_DECIDE, PETSC_DECIDE, 48, 48));
    CALL(MatSetType(m.get(), type));
    CALL(MatSetUp(m.get()));
    CALL(MatSetOption(m.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(m.get(), &first, &last));
    for (PetscInt i = first; i < last; ++i)
      for (const PetscInt d : {-reach, PetscInt{0}, reach})
        if (i + d >= 0 && i + d < 48) CALL(MatSetValue(m.get(), i, i + d, value_at(i, d, 1), ADD_VALUES));
    assemble(m.get());
    return m;
  };
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", "csr"));
  const Pair p{{}, band("quadrille", 1), band(MATAIJ, 1)}, same{{}, band("quadrille", 1), band(MATAIJ, 1)},
      wide{{}, band("quadrille", 7), band(MATAIJ, 7)};
  const auto from = [&](const Pair& q, Mat m) { return m == p.ours.get() ? q.ours.get() : q.theirs.get(); };
  const Handle<Vec> left = random_vector(p.theirs.get(), 2), right = random_vector(p.theirs.get(), 3);
  const auto same_after = [&](const char* what, const std::function<void(Mat)>& change) {
    SCOPED_TRACE(what);
    p.both(change);
    expect_same(p.ours.get(), p.theirs.get());
  };
  same_after("axpy", [&](Mat m) { CALL(MatAXPY(m, 0.5, from(same, m), SAME_NONZERO_PATTERN)); });
  same_after("diagonal scale", [&](Mat m) { CALL(MatDiagonalScale(m, left.get(), right.get())); });
  same_after("diagonal set", [&](Mat m) { CALL(MatDiagonalSet(m, left.get(), INSERT_VALUES)); });
  same_after("copy", [&](Mat m) { CALL(MatCopy(from(same, m), m, SAME_NONZERO_PATTERN)); });
  same_after("axpy, wider", [&](Mat m) { CALL(MatAXPY(m, -1, from(wide, m), DIFFERENT_NONZERO_PATTERN)); });
  same_after("copy of a wider one", [&](Mat m) {
    const Handle<Mat> wider = duplicate(m);
    CALL(MatScale(m, 2));
    CALL(MatCopy(wider.get(), m, SAME_NONZERO_PATTERN));
  });
}

// What reads values has those that were assembled, whatever products multiply with.
void expect_exact_values(Mat ours, Mat theirs) {
  const Handle<Mat> read =
      make<Mat>("MatConvert", [&](Mat* m) { return MatConvert(ours, MATAIJ, MAT_INITIAL_MATRIX, m); });
  expect_same(read.get(), theirs);
  const Handle<Vec> a = random_vector(ours, 1), b = random_vector(theirs, 1);
  CALL(MatGetDiagonal(ours, a.get()));
  CALL(MatGetDiagonal(theirs, b.get()));
  expect_near(a.get(), b.get(), "MatGetDiagonal");
  PetscInt rows = 0, size = 0;
  const PetscScalar *blocks = nullptr, *their_blocks = nullptr;
  CALL(MatGetLocalSize(theirs, &rows, nullptr));
  CALL(MatGetBlockSize(theirs, &size));
  const Handle<Mat> fresh = duplicate(theirs);  // the AIJ of PETSc 3.25.6 inverts its blocks once
  CALL(MatInvertBlockDiagonal(ours, &blocks));
  CALL(MatInvertBlockDiagonal(fresh.get(), &their_blocks));
  for (PetscInt i = 0; i < rows * size; ++i) ASSERT_NEAR(blocks[i], their_blocks[i], 1e-11) << i;
}

// Each assembly of it is compared with AIJ's product as well, within the bound (-mat_quadrille_verify).
TEST_F(MatrixType, RoundedProductsFollowChanges) {
  const Case c{2, {9, 8, 1}, 2, 1, false, {}};
  for (const auto& [format, precision] :
       {std::pair{"cds", ValuePrecision::fp32}, std::pair{"compact", ValuePrecision::bf16}}) {
    SCOPED_TRACE(std::string(format) + " in " + to_string(precision));
    const ValuesIn values(precision);
    const Pair p = filled_pair(c, format), other = filled_pair(c, format, Filling::stencil, 9);
    const Handle<Vec> left = random_vector(p.theirs.get(), 5), right = random_vector(p.theirs.get(), 6);
    const auto same_after = [&](const char* what, const std::function<void(Mat)>& change) {
      SCOPED_TRACE(what);
      p.both(change);
      const bool ghosts = std::string(format) == "cds";
      expect_same_products(p.ours.get(), rounded_copy(p.theirs.get(), precision, ghosts).get());
    };
    same_after("shift", [](Mat m) { CALL(MatShift(m, 0.3)); });
    expect_exact_values(p.ours.get(), p.theirs.get());
    same_after("diagonal scale", [&](Mat m) { CALL(MatDiagonalScale(m, left.get(), right.get())); });
    same_after("axpy", [&](Mat m) {
      CALL(MatAXPY(m, 0.7, m == p.ours.get() ? other.ours.get() : other.theirs.get(), SAME_NONZERO_PATTERN));
    });
    expect_exact_values(p.ours.get(), p.theirs.get());
    same_after("refill", [&](Mat m) {
      CALL(MatZeroEntries(m));
      fill(m, p.grid.get(), c, Filling::global, 7);
    });
    const Handle<Mat> without_grid = make<Mat>(
        "MatConvert", [&](Mat* m) { return MatConvert(p.theirs.get(), "quadrille", MAT_INITIAL_MATRIX, m); });
    SCOPED_TRACE("without a grid");
    expect_same_products(without_grid.get(),
                         rounded_copy(p.theirs.get(), precision, std::string(format) == "cds").get());
    expect_exact_values(without_grid.get(), p.theirs.get());
  }
}

double residual_of(Mat a, Vec x, Vec b) {
  const Handle<Vec> r = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(b, v); });
  PetscReal size = 0;
  CALL(MatResidual(a, b, x, r.get()));
  CALL(VecNorm(r.get(), NORM_INFINITY, &size));
  return size;
}

// Solves with (a, p) to 1e-11, by Richardson's iterations around a solver of p or by that of `a` itself.
Handle<Vec> solution_of(Mat a, Mat p, Vec b, bool around) {
  const Handle<KSP> ksp = make<KSP>("KSPCreate", [](KSP* k) { return KSPCreate(PETSC_COMM_WORLD, k); });
  PC pc = nullptr;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  Handle<Vec> x = random_vector(a, 1);
  CALL(KSPSetOperators(ksp.get(), a, p));
  CALL(KSPSetType(ksp.get(), around ? KSPRICHARDSON : KSPGMRES));
  CALL(KSPSetNormType(ksp.get(), around ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_PRECONDITIONED));
  CALL(KSPGetPC(ksp.get(), &pc));
  CALL(PCSetType(pc, around ? PCKSP : PCPBJACOBI));
  CALL(KSPSetTolerances(ksp.get(), 1e-11, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  if (around) {
    KSP inner = nullptr;
    CALL(PCKSPGetKSP(pc, &inner));
    CALL(KSPSetType(inner, KSPGMRES));
    CALL(KSPSetTolerances(inner, 1e-2, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    CALL(KSPGetPC(inner, &pc));
    CALL(PCSetType(pc, PCPBJACOBI));
  }
  CALL(KSPSolve(ksp.get(), b, x.get()));
  CALL(KSPGetConvergedReason(ksp.get(), &reason));
  EXPECT_GT(reason, 0);
  return x;
}

// With rounded values alone the system is a nearby one; around them a loop with the exact ones is not.
TEST_F(MatrixType, AnOuterLoopCorrectsRoundedValues) {
  const Case c{2, {9, 8, 1}, 2, 1, false, {}};
  const Pair p = filled_pair(c, "cds");
  const Handle<Mat> inner = duplicate(p.ours.get());
  CALL(MatSetOptionsPrefix(inner.get(), "inner_"));
  CALL(PetscOptionsSetValue(nullptr, "-inner_mat_quadrille_value_precision", "BF16"));
  CALL(MatSetFromOptions(inner.get()));
  CALL(PetscOptionsClearValue(nullptr, "-inner_mat_quadrille_value_precision"));
  const Handle<Vec> b = random_vector(p.ours.get(), 3);
  const double bound = rounding_of(ValuePrecision::bf16, 8);
  PetscReal of_a = 0, of_x = 0;
  CALL(MatNorm(p.theirs.get(), NORM_INFINITY, &of_a));
  const Handle<Vec> nearby = solution_of(inner.get(), inner.get(), b.get(), false);
  CALL(VecNorm(nearby.get(), NORM_INFINITY, &of_x));
  const double off = residual_of(p.ours.get(), nearby.get(), b.get());
  EXPECT_GT(off, 1e-4);
  EXPECT_LE(off, bound * of_a * of_x);
  EXPECT_LE(residual_of(inner.get(), nearby.get(), b.get()), 1e-8);
  const Handle<Vec> x = solution_of(p.ours.get(), inner.get(), b.get(), true);
  EXPECT_LE(residual_of(p.ours.get(), x.get(), b.get()), 1e-8);
}

}  // namespace
}  // namespace quadrille::type_test
