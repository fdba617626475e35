// MatSetValues() and its relatives with rows and columns in any order and in parts, against AIJ's.
#include <algorithm>
#include <random>

#include "comparison.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

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

// Row after row the same neighbours, as most programs set them: at once and one by one, by rows and by
// columns, by numbers of all ranks and of this one, two nodes of which have changed places.
TEST_F(MatrixType, RowsAlikeGoWhereAijPutsThem) {
  std::vector<Case> all = cases(61, 6);
  for (const int dof : {1, 3}) all.push_back({.dimension = 2, .size = {13, 12, 1}, .dof = dof, .box = true});
  for (const Case& c : all) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    PetscInt first = 0, last = 0;
    CALL(MatGetOwnershipRange(p.theirs.get(), &first, &last));
    std::vector<std::vector<PetscInt>> columns;
    for (PetscInt i = first; i < last; ++i) {
      PetscInt count = 0;
      const PetscInt* column = nullptr;
      CALL(MatGetRow(p.theirs.get(), i, &count, &column, nullptr));
      columns.emplace_back(column, column + count);
      CALL(MatRestoreRow(p.theirs.get(), i, &count, &column, nullptr));
    }
    const auto set_rows = [&](Mat m, InsertMode mode, bool one_by_one) {
      for (PetscInt i = first; i < last; ++i) {
        const std::vector<PetscInt>& named = columns[static_cast<std::size_t>(i - first)];
        std::vector<double> values;
        for (const PetscInt column : named) values.push_back(value_at(i, column, mode == ADD_VALUES ? 3 : 5));
        const auto count = static_cast<PetscInt>(named.size());
        if (!one_by_one) CALL(MatSetValues(m, 1, &i, count, named.data(), values.data(), mode));
        for (PetscInt j = 0; j < count && one_by_one; ++j)
          CALL(MatSetValues(m, 1, &i, 1, named.data() + j, values.data() + j, mode));
      }
      assemble(m);
    };
    for (const bool one_by_one : {false, true})
      for (const InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
        p.both([&](Mat m) {
          CALL(MatSetOption(m, MAT_ROW_ORIENTED, mode == ADD_VALUES ? PETSC_TRUE : PETSC_FALSE));
          set_rows(m, mode, one_by_one);
          CALL(MatSetOption(m, MAT_ROW_ORIENTED, PETSC_TRUE));
        });
        expect_same(p.ours.get(), p.theirs.get());
      }
    // By numbers of this rank, of which some neighbours have changed places: rows name what they would
    // without that, as far as it is still beside them.
    const PetscInt dof = c.dof;
    std::vector<PetscInt> node_of, own;
    for (PetscInt node = first / dof; node < last / dof; ++node) node_of.push_back(node);
    for (std::size_t i = 2; i + 1 < node_of.size(); i += 37) std::swap(node_of[i], node_of[i + 1]);
    for (const PetscInt node : node_of)
      for (PetscInt r = 0; r < dof; ++r) own.push_back(node * dof + r);
    ISLocalToGlobalMapping map = nullptr;
    CALL(ISLocalToGlobalMappingCreate(PETSC_COMM_WORLD, dof, static_cast<PetscInt>(node_of.size()),
                                      node_of.data(), PETSC_COPY_VALUES, &map));
    p.both([&](Mat m) {
      CALL(MatSetLocalToGlobalMapping(m, map, map));
      for (PetscInt row = 0; row < last - first; ++row) {
        const std::vector<PetscInt>& beside = columns[static_cast<std::size_t>(own[row] - first)];
        std::vector<PetscInt> named;
        std::vector<double> values;
        for (const PetscInt column : columns[static_cast<std::size_t>(row)]) {
          const PetscInt name = column - first;
          if (name < 0 || name >= last - first ||
              !std::binary_search(beside.begin(), beside.end(), own[name]))
            continue;
          named.push_back(name);
          values.push_back(value_at(own[row], own[name], 7));
        }
        CALL(MatSetValuesLocal(m, 1, &row, static_cast<PetscInt>(named.size()), named.data(), values.data(),
                               ADD_VALUES));
      }
      assemble(m);
    });
    CALL(ISLocalToGlobalMappingDestroy(&map));
    expect_same(p.ours.get(), p.theirs.get());
  }
}

// Of every node of this rank those that it couples with.
std::vector<std::vector<PetscInt>> nodes_beside(Mat aij, PetscInt dof) {
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(aij, &first, &last));
  std::vector<std::vector<PetscInt>> beside;
  for (PetscInt row = first; row < last; row += dof) {
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    std::vector<PetscInt>& nodes = beside.emplace_back();
    CALL(MatGetRow(aij, row, &count, &column, nullptr));
    for (PetscInt j = 0; j < count; ++j)
      if (nodes.empty() || nodes.back() != column[j] / dof) nodes.push_back(column[j] / dof);
    CALL(MatRestoreRow(aij, row, &count, &column, nullptr));
  }
  return beside;
}

std::vector<Case> cases_with_middles(unsigned seed) {
  std::vector<Case> all = cases(seed, 6);
  for (const bool periodic : {false, true})
    for (const int width : {1, 2})
      all.push_back({.dimension = 2,
                     .size = {13, 12, 1},
                     .dof = 2 + width,
                     .width = width,
                     .box = !periodic,
                     .periodic = {periodic, false, false}});
  return all;
}

// The same of whole nodes, whose neighbours are others near a side.
TEST_F(MatrixType, RowsOfNodesAlikeGoWhereAijPutsThem) {
  for (const Case& c : cases_with_middles(71)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    PetscInt first = 0;
    CALL(MatGetOwnershipRange(p.theirs.get(), &first, nullptr));
    const auto beside = nodes_beside(p.theirs.get(), c.dof);
    const auto set_nodes = [&](Mat m, InsertMode mode, bool one_by_one) {
      for (std::size_t i = 0; i < beside.size(); ++i) {
        const PetscInt node = first / c.dof + static_cast<PetscInt>(i);
        const auto count = static_cast<PetscInt>(beside[i].size());
        std::vector<double> values;
        for (PetscInt k = 0; k < count * c.dof * c.dof; ++k)
          values.push_back(value_at(node, k, mode == ADD_VALUES ? 3 : 5));
        if (!one_by_one) CALL(MatSetValuesBlocked(m, 1, &node, count, beside[i].data(), values.data(), mode));
        for (PetscInt j = 0; j < count && one_by_one; ++j)
          CALL(MatSetValuesBlocked(m, 1, &node, 1, beside[i].data() + j, values.data() + j * c.dof * c.dof,
                                   mode));
      }
      assemble(m);
    };
    for (const bool one_by_one : {false, true})
      for (const InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
        p.both([&](Mat m) {
          CALL(MatSetOption(m, MAT_ROW_ORIENTED, mode == ADD_VALUES ? PETSC_TRUE : PETSC_FALSE));
          set_nodes(m, mode, one_by_one);
          CALL(MatSetOption(m, MAT_ROW_ORIENTED, PETSC_TRUE));
        });
        expect_same(p.ours.get(), p.theirs.get());
      }
  }
}

// At the end of a line the node behind in the numbering is no neighbour, as it is of all nodes before.
TEST_F(MatrixType, WhatIsAsFarBehindNeedNotBeANeighbour) {
  int refused = 0;
  for (const Case& c : cases_with_middles(72)) {
    SCOPED_TRACE(c.name());
    const Pair p = filled_pair(c, "cds");
    PetscInt first = 0, rows = 0;
    CALL(MatGetOwnershipRange(p.theirs.get(), &first, nullptr));
    CALL(MatGetSize(p.theirs.get(), &rows, nullptr));
    const auto beside = nodes_beside(p.theirs.get(), c.dof);
    std::vector<PetscInt> distances;
    for (std::size_t i = 0; i < beside.size(); ++i)
      for (const PetscInt to : beside[i]) distances.push_back(to - first / c.dof - static_cast<PetscInt>(i));
    std::sort(distances.begin(), distances.end());
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    const std::vector<double> values(static_cast<std::size_t>(c.dof * c.dof), 1);
    for (const PetscInt distance : distances)
      for (std::size_t i = 0; i < beside.size(); ++i) {
        const PetscInt node = first / c.dof + static_cast<PetscInt>(i), to = node + distance;
        if (to < 0 || to >= rows / c.dof) continue;
        const bool is_there = std::binary_search(beside[i].begin(), beside[i].end(), to);
        const PetscErrorCode code =
            MatSetValuesBlocked(p.ours.get(), 1, &node, 1, &to, values.data(), ADD_VALUES);
        ASSERT_EQ(code == 0, is_there) << node << " to " << to;
        refused += code != 0;
      }
    assemble(p.ours.get());
  }
  EXPECT_GT(refused, 0);
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
