// MatSetValues() and its relatives with rows and columns in any order and in parts, against AIJ's.
#include <algorithm>
#include <random>

#include "comparison.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

void assemble(Mat m, MatAssemblyType type = MAT_FINAL_ASSEMBLY) {
  CALL(MatAssemblyBegin(m, type));
  CALL(MatAssemblyEnd(m, type));
}

// Some of `all`, in an order of their own, often neighbours; negative ones between them.
std::vector<PetscInt> some_of(const std::vector<PetscInt>& all, std::mt19937& random) {
  std::vector<PetscInt> some;
  for (std::size_t n = random() % 5 + 1; n > 0; --n) {
    std::size_t from = random() % all.size();
    for (std::size_t k = random() % 5; k < 5 && from < all.size(); ++k) some.push_back(all[from++]);
    if (random() % 4 == 0) some.push_back(-1);
  }
  std::vector<PetscInt> once;  // inserted values must not depend on an order
  for (const PetscInt i : some)
    if (i < 0 || std::find(once.begin(), once.end(), i) == once.end()) once.push_back(i);
  return once;
}

struct Call {
  std::vector<PetscInt> rows, columns;
  std::vector<double> values;
  bool by_rows = true;
};

// Parts of the blocks of some rows of this rank, or, `of_others`, of columns in rows of any rank.
std::vector<Call> draw_calls(Mat filled, std::mt19937& random, bool of_others) {
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(filled, &first, &last));
  std::vector<Call> calls;
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    CALL(MatGetRow(filled, i, &count, &column, nullptr));
    Call call{some_of({i}, random), some_of({column, column + count}, random), {}, random() % 2 == 0};
    CALL(MatRestoreRow(filled, i, &count, &column, nullptr));
    if (of_others) std::swap(call.rows, call.columns);  // the stencil is symmetric
    for (std::size_t k = 0; k < call.rows.size() * call.columns.size(); ++k)
      call.values.push_back(value_at(i, static_cast<std::int64_t>(k), 4));
    calls.push_back(call);
  }
  return calls;
}

TEST_F(MatrixType, PartsOfBlocksGoWhereAijPutsThem) {
  unsigned seed = 0;
  for (const Case& c : cases(41, 10)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    std::mt19937 random(++seed + 100u * static_cast<unsigned>(ranks()));
    for (const InsertMode mode : {ADD_VALUES, INSERT_VALUES}) {
      const bool of_others = mode == ADD_VALUES && seed % 2 == 0;
      const std::vector<Call> calls = draw_calls(p.theirs.get(), random, of_others);
      p.both([&](Mat m) {
        for (const Call& call : calls) {
          CALL(MatSetOption(m, MAT_ROW_ORIENTED, call.by_rows ? PETSC_TRUE : PETSC_FALSE));
          CALL(MatSetValues(m, static_cast<PetscInt>(call.rows.size()), call.rows.data(),
                            static_cast<PetscInt>(call.columns.size()), call.columns.data(),
                            call.values.data(), mode));
        }
        CALL(MatSetOption(m, MAT_ROW_ORIENTED, PETSC_TRUE));
        assemble(m);
      });
      expect_same(p.ours.get(), p.theirs.get());
    }
  }
}

// Whole nodes by columns, and numbers of this rank by a mapping of single unknowns.
TEST_F(MatrixType, BlocksByColumnsAndMappingsOfUnknowns) {
  Case c;
  c.size = {7, 6, 5};
  c.dof = 3;
  const Pair p = filled_pair(c, "cds");
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(p.theirs.get(), &first, &last));
  const PetscInt nodes[] = {first / 3, -1, first / 3 + 1}, count = 3;
  std::vector<double> values(81);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at(static_cast<std::int64_t>(i), 1, 3);
  p.both([&](Mat m) {
    CALL(MatSetOption(m, MAT_ROW_ORIENTED, PETSC_FALSE));
    CALL(MatSetValuesBlocked(m, count, nodes, count, nodes, values.data(), ADD_VALUES));
    CALL(MatSetOption(m, MAT_ROW_ORIENTED, PETSC_TRUE));
    assemble(m);
  });
  expect_same(p.ours.get(), p.theirs.get());
  std::vector<PetscInt> reversed;
  for (PetscInt i = last; i > first; --i) reversed.push_back(i - 1);
  ISLocalToGlobalMapping map = nullptr;
  CALL(ISLocalToGlobalMappingCreate(PETSC_COMM_WORLD, 1, last - first, reversed.data(), PETSC_COPY_VALUES,
                                    &map));
  const PetscInt local[] = {last - first - 1, last - first - 2, 0, -1,
                            last - first - 4};  // node 0, the last, node 1
  p.both([&](Mat m) {
    CALL(MatSetLocalToGlobalMapping(m, map, map));
    for (const PetscInt row : {local[0], local[1]})
      CALL(MatSetValuesLocal(m, 1, &row, 1, &row, values.data(), INSERT_VALUES));
    CALL(MatSetValuesLocal(m, 2, local, 2, local, values.data(), INSERT_VALUES));
    assemble(m);
  });
  CALL(ISLocalToGlobalMappingDestroy(&map));
  expect_same(p.ours.get(), p.theirs.get());
}

// Blocks of a size that is not the nodes' are expanded.
TEST_F(MatrixType, BlocksNeedNotBeNodes) {
  Case c;
  c.size = {6, 6, 4};
  c.dof = 4;
  const Grid grid = make_grid(c);
  const auto matrix = [&](MatType type) {
    Vec v = nullptr;
    PetscInt rows = 0;
    CALL(DMGetGlobalVector(grid.get(), &v));
    CALL(VecGetLocalSize(v, &rows));
    CALL(DMRestoreGlobalVector(grid.get(), &v));
    Handle<Mat> m = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
    CALL(MatSetSizes(m.get(), rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
    CALL(MatSetBlockSize(m.get(), 2));
    CALL(MatSetType(m.get(), type));
    CALL(MatSetDM(m.get(), grid.get()));
    CALL(MatSetUp(m.get()));
    CALL(MatSetOption(m.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(m.get(), &first, &last));
    for (PetscInt block = first / 2; block < last / 2; ++block) {
      const PetscInt columns[] = {block / 2 * 2, block / 2 * 2 + 1};  // those of its node
      double values[8];
      for (int k = 0; k < 8; ++k) values[k] = value_at(block, k, 2);
      CALL(MatSetValuesBlocked(m.get(), 1, &block, 2, columns, values, INSERT_VALUES));
    }
    assemble(m.get());
    return m;
  };
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", "cds"));
  expect_same(matrix("quadrille").get(), matrix(MATAIJ).get());
}

TEST_F(MatrixType, NumbersThatTheRankDoesNotKnowAreErrors) {
  for (const int dof : {1, 2}) {
    Case c;
    c.dof = dof;
    const Pair p = filled_pair(c, "cds");
    ISLocalToGlobalMapping map = nullptr;
    PetscInt size = 0;
    CALL(DMGetLocalToGlobalMapping(p.grid.get(), &map));
    CALL(ISLocalToGlobalMappingGetSize(map, &size));
    const PetscInt known = 0;
    const double value = 1;
    const std::string text =
        error_of(MatSetValuesLocal(p.ours.get(), 1, &size, 1, &known, &value, ADD_VALUES));
    EXPECT_NE(text.find("row " + std::to_string(size) + " is beyond those that this rank knows"),
              std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace quadrille::type_test
