// MatCreateSubMatrix(): the couplings between unknowns of the nodes, which stay on the grid, and other parts,
// against those of AIJ; and PCFIELDSPLIT with them.
#include <gmock/gmock.h>

#include "comparison.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/grid_unknowns.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "solves.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

using Unknowns = std::vector<PetscInt>;

Handle<IS> rows_of(Mat m, const Unknowns& unknowns) {
  PetscInt first = 0, end = 0, dof = 1;
  CALL(MatGetOwnershipRange(m, &first, &end));
  CALL(MatGetBlockSize(m, &dof));
  std::vector<PetscInt> index;
  for (PetscInt node = first; node < end; node += dof)
    for (const PetscInt u : unknowns) index.push_back(node + u);
  return make<IS>("ISCreateGeneral", [&](IS* is) {
    return ISCreateGeneral(PETSC_COMM_WORLD, static_cast<PetscInt>(index.size()), index.data(),
                           PETSC_COPY_VALUES, is);
  });
}

Handle<Mat> part_of(Mat m, const Unknowns& rows, const Unknowns& columns) {
  const Handle<IS> of_rows = rows_of(m, rows), of_columns = rows_of(m, columns);
  return make<Mat>("MatCreateSubMatrix", [&](Mat* part) {
    return MatCreateSubMatrix(m, of_rows.get(), of_columns.get(), MAT_INITIAL_MATRIX, part);
  });
}
void take_again(Mat m, const Unknowns& rows, const Unknowns& columns, Handle<Mat>& part) {
  const Handle<IS> of_rows = rows_of(m, rows), of_columns = rows_of(m, columns);
  Mat same = part.get();
  CALL(MatCreateSubMatrix(m, of_rows.get(), of_columns.get(), MAT_REUSE_MATRIX, &same));
  ASSERT_EQ(same, part.get());
}

// Products of both kinds, and every entry.
void expect_same_part(Mat ours, Mat theirs) {
  PetscInt rows[2] = {}, columns[2] = {}, blocks[2] = {};
  for (const bool mine : {false, true}) {
    CALL(MatGetLocalSize(mine ? ours : theirs, &rows[mine], &columns[mine]));
    CALL(MatGetBlockSize(mine ? ours : theirs, &blocks[mine]));
  }
  ASSERT_EQ(rows[0], rows[1]);
  ASSERT_EQ(columns[0], columns[1]);
  expect_same_products(ours, theirs);
  const Handle<Mat> copy =
      make<Mat>("MatConvert", [&](Mat* made) { return MatConvert(ours, MATAIJ, MAT_INITIAL_MATRIX, made); });
  CALL(MatAXPY(copy.get(), -1, theirs, DIFFERENT_NONZERO_PATTERN));
  PetscReal norm = -1;
  CALL(MatNorm(copy.get(), NORM_FROBENIUS, &norm));
  EXPECT_EQ(norm, 0);
}

struct Chosen {
  Unknowns rows, columns;
};
const Chosen chosen[] = {{{0, 1}, {0, 1}}, {{2}, {2}},       {{0, 1, 2}, {0, 1, 2}}, {{0, 2}, {1, 2}},
                         {{0, 1}, {2}},    {{1}, {0, 1, 2}}, {{0, 1, 2}, {1}},       {{2}, {0, 1}}};

std::string text_of(const Chosen& c) {
  std::string text;
  for (const Unknowns* of : {&c.rows, &c.columns}) {
    for (const PetscInt u : *of) text += std::to_string(u);
    text += of == &c.rows ? " x " : "";
  }
  return text;
}

void compare_parts(const Pair& p) {
  for (const Chosen& c : chosen) {
    SCOPED_TRACE(text_of(c));
    Handle<Mat> mine = part_of(p.ours.get(), c.rows, c.columns),
                other = part_of(p.theirs.get(), c.rows, c.columns);
    EXPECT_EQ(petsc::is_typed(mine.get()), c.rows.size() == c.columns.size());
    expect_same_part(mine.get(), other.get());
    p.both([](Mat m) { CALL(MatScale(m, -1.5)); });
    expect_same_part(mine.get(), other.get());  // as they were
    take_again(p.ours.get(), c.rows, c.columns, mine);
    take_again(p.theirs.get(), c.rows, c.columns, other);
    expect_same_part(mine.get(), other.get());
  }
}

TEST_F(MatrixType, PartsOfUnknownsAreAijs) {
  for (Case c : cases(23, 6)) {
    c.dof = 3;
    SCOPED_TRACE(c.name());
    for (const char* const format : {"cds", "compact"}) compare_parts(filled_pair(c, format));
  }
}

TEST_F(MatrixType, PartsOfUnknownsThatCoupleByAFill) {
  const PetscInt centre[9] = {1, 1, 0, 0, 1, 1, 1, 0, 1}, beside[9] = {1, 0, 1, 0, 1, 0, 1, 0, 0};
  for (Case c : cases(29, 4)) {
    c.dof = 3;
    c.periodic = {};  // PETSc's AIJ with a fill wants numbers of nodes that its colours divide
    SCOPED_TRACE(c.name());
    Pair p;
    p.grid = make_grid(c);
    CALL(DMDASetBlockFills(p.grid.get(), centre, beside));
    p.ours = make_matrix(p.grid.get(), "cds");
    p.theirs = make_matrix(p.grid.get());
    const Handle<Mat> model = make_matrix(p.grid.get());  // values go to the places that it has
    PetscInt first = 0, end = 0;
    CALL(MatGetOwnershipRange(model.get(), &first, &end));
    for (PetscInt row = first; row < end; ++row) {
      PetscInt count = 0;
      const PetscInt* places = nullptr;
      CALL(MatGetRow(model.get(), row, &count, &places, nullptr));
      const std::vector<PetscInt> columns(places, places + count);
      CALL(MatRestoreRow(model.get(), row, &count, &places, nullptr));
      std::vector<double> values;
      for (const PetscInt column : columns) values.push_back(value_at(row, column, 7));
      p.both([&](Mat m) {
        CALL(MatSetValues(m, 1, &row, static_cast<PetscInt>(columns.size()), columns.data(), values.data(),
                          INSERT_VALUES));
      });
    }
    p.both([](Mat m) { assemble(m); });
    compare_parts(p);
  }
}

TEST_F(MatrixType, UnknownsAreThoseOfOwnNodes) {
  const auto stride = [](PetscInt size, PetscInt first, PetscInt step) {
    return make<IS>("ISCreateStride",
                    [=](IS* is) { return ISCreateStride(PETSC_COMM_SELF, size, first, step, is); });
  };
  using petsc::unknowns_in;
  EXPECT_EQ(unknowns_in(stride(4, 31, 3).get(), 30, 4, 3), (std::vector<int>{1}));
  EXPECT_EQ(unknowns_in(stride(12, 30, 1).get(), 30, 4, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(unknowns_in(stride(0, 0, 1).get(), 30, 0, 3), (std::vector<int>{}));
  EXPECT_FALSE(unknowns_in(stride(4, 31, 3).get(), 30, 0, 3));  // without nodes these are another rank's
  EXPECT_FALSE(unknowns_in(stride(4, 34, 3).get(), 30, 4, 3));
  EXPECT_FALSE(unknowns_in(stride(4, 31, 2).get(), 30, 4, 3));
  EXPECT_FALSE(unknowns_in(stride(5, 30, 3).get(), 30, 4, 3));
  EXPECT_FALSE(unknowns_in(stride(3, 30, 3).get(), 30, 4, 3));
}

TEST_F(MatrixType, OtherPartsGoByAij) {
  Case c;
  c.dof = 2;
  const Pair p = filled_pair(c, "cds");
  PetscInt first = 0, end = 0;
  CALL(MatGetOwnershipRange(p.ours.get(), &first, &end));
  const Handle<IS> some = make<IS>("ISCreateStride", [=](IS* is) {
    return ISCreateStride(PETSC_COMM_WORLD, (end - first) / 4, first, 3, is);
  });
  Handle<Mat> parts[2];
  for (const bool ours : {false, true})
    parts[ours] = make<Mat>("MatCreateSubMatrix", [&](Mat* part) {
      return MatCreateSubMatrix((ours ? p.ours : p.theirs).get(), some.get(), some.get(), MAT_INITIAL_MATRIX,
                                part);
    });
  EXPECT_FALSE(petsc::is_typed(parts[1].get()));
  expect_same_part(parts[1].get(), parts[0].get());
}

TEST_F(MatrixType, APartIsNotUsedAgainForOthers) {
  Case c;
  c.dof = 3;
  const Pair p = filled_pair(c, "cds");
  Handle<Mat> square = part_of(p.ours.get(), {0, 1}, {0, 1}), flat = part_of(p.ours.get(), {0}, {0, 1});
  const auto refused = [&](Mat part, const Chosen& as) {
    const Handle<IS> rows = rows_of(p.ours.get(), as.rows), columns = rows_of(p.ours.get(), as.columns);
    return error_of(MatCreateSubMatrix(p.ours.get(), rows.get(), columns.get(), MAT_REUSE_MATRIX, &part));
  };
  EXPECT_THAT(refused(square.get(), {{1, 2}, {1, 2}}), testing::HasSubstr("used again"));
  EXPECT_THAT(refused(flat.get(), {{1}, {0, 2}}), testing::HasSubstr("used again"));
}

// A x = b by PCFIELDSPLIT, each of whose blocks is one cycle of multigrid.
// Options while it lives.
class Options {
 public:
  explicit Options(std::vector<std::pair<const char*, const char*>> given) : given_(std::move(given)) {
    for (const auto& [name, value] : given_) CALL(PetscOptionsSetValue(nullptr, name, value));
  }
  ~Options() {
    for (const auto& [name, value] : given_) (void)PetscOptionsClearValue(nullptr, name);
  }

 private:
  std::vector<std::pair<const char*, const char*>> given_;
};

// Each block by one cycle of multigrid, twice with other values.
TEST_F(MatrixType, SplitsOfUnknownsAreSolvedByMultigrid) {
  Case c;
  c.dof = 3;
  c.size = {17, 15, 13};
  for (const char* const type : {"additive", "multiplicative", "symmetric_multiplicative", "schur"}) {
    SCOPED_TRACE(type);
    const Options options({{"-pc_fieldsplit_type", type},
                           {"-pc_fieldsplit_0_fields", "0,2"},
                           {"-pc_fieldsplit_1_fields", "1"},
                           {"-fieldsplit_0_pc_type", "quadrille_mg"},
                           {"-fieldsplit_1_pc_type", "quadrille_mg"}});
    const Grid grid = make_grid(c);
    const Handle<Mat> a = make_matrix(grid.get(), "cds");
    set_laplacian(a.get(), grid.get(), c, 1);
    const Handle<KSP> ksp = make_ksp(a.get(), KSPFGMRES, PCFIELDSPLIT, 1e-8, 40);
    for (const double factor : {1.0, 2.0}) {
      set_laplacian(a.get(), grid.get(), c, factor);
      solved(ksp.get());
      KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
      PetscInt iterations = 0;
      CALL(KSPGetConvergedReason(ksp.get(), &reason));
      CALL(KSPGetIterationNumber(ksp.get(), &iterations));
      EXPECT_GT(reason, 0);
      EXPECT_LE(iterations, 15);
    }
  }
}

}  // namespace
}  // namespace quadrille::type_test
