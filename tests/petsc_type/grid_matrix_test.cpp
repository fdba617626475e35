// Matrices made from assembled block diagonals, on partitions that a DMDA has and on those that none has,
// against AIJ with the same entries.
#include "kernels/petsc/matrix/grid_matrix.hpp"

#include <algorithm>
#include <random>

#include "comparison.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/grid_rows.hpp"

namespace quadrille::type_test {
namespace {

struct Drawn {
  Partition partition;
  BlockStructure whole;
  std::string name;
};

std::int64_t short_way(std::int64_t d, std::int64_t n) {
  d = (d % n + n) % n;
  return 2 * d > n ? d - n : d;
}

// The ranks along an axis, with nodes shared at random; some of them may have none.
std::vector<std::int64_t> random_cuts(std::mt19937& random, std::int64_t nodes, int ranks) {
  std::vector<std::int64_t> cuts{0, nodes};
  while (static_cast<int>(cuts.size()) <= ranks)
    cuts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(nodes + 1)));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

// The same on every rank.
Drawn drawn(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int from, int to) { return from + static_cast<int>(random() % (to - from + 1u)); };
  Drawn c;
  Partition& p = c.partition;
  const int dimension = draw(2, 3), axis_of_ranks = draw(0, dimension - 1);
  std::array<int, 3> layout{1, 1, 1};
  layout[axis_of_ranks] = ranks();
  if (ranks() == 4 && draw(0, 1) == 1) layout = {2, 2, 1};
  for (int axis = 0; axis < dimension; ++axis) {
    p.extents[axis] = draw(1, 7);
    p.periodic[axis] = draw(0, 1) == 1;
    p.cuts[axis] = random_cuts(random, p.extents[axis], layout[axis]);
  }
  for (int axis = dimension; axis < 3; ++axis) p.cuts[axis] = {0, 1};
  MPI_Comm_rank(PETSC_COMM_WORLD, &p.rank);
  c.whole.extents = p.extents;
  c.whole.periodic = p.periodic;
  c.whole.dof = draw(1, 3);
  c.whole.offsets = {{0, 0, 0}};
  for (int i = draw(2, 9); i > 0; --i) {
    std::array<std::int32_t, 3> d{};
    bool inside = true;
    for (int axis = 0; axis < dimension; ++axis) {
      d[axis] = draw(-2, 2);
      if (p.periodic[axis]) d[axis] = static_cast<std::int32_t>(short_way(d[axis], p.extents[axis]));
      inside = inside && std::abs(d[axis]) < p.extents[axis];
    }
    const NodeOffset o{d[0], d[1], d[2]};
    if (inside && std::find(c.whole.offsets.begin(), c.whole.offsets.end(), o) == c.whole.offsets.end())
      c.whole.offsets.push_back(o);
  }
  c.name = std::to_string(seed) + ": " + std::to_string(p.extents[0]) + "x" + std::to_string(p.extents[1]) +
           "x" + std::to_string(p.extents[2]) + " dof " + std::to_string(c.whole.dof);
  return c;
}

// body(own row, block diagonal, column of its block, global row, global column)
template <class Body>
void for_entries(const Drawn& c, const Body& body) {
  const NodeBox box = own_box(c.partition);
  const std::int64_t dof = c.whole.dof, first = first_number(c.partition, c.partition.rank);
  for (std::int64_t node = 0; node < box.nodes(); ++node) {
    const NodePosition at = position_of(c.partition, first + node);
    for (std::int64_t d = 0; d < c.whole.diagonals(); ++d) {
      const std::int64_t to = c.whole.neighbour(at[0], at[1], at[2], c.whole.offsets[d]);
      if (to < 0) continue;
      const std::int64_t line = to / c.whole.extents[0];
      const std::int64_t number = number_of(
          c.partition, {to % c.whole.extents[0], line % c.whole.extents[1], line / c.whole.extents[1]});
      for (std::int64_t r = 0; r < dof; ++r)
        for (std::int64_t k = 0; k < dof; ++k)
          body(node * dof + r, d, k, (first + node) * dof + r, number * dof + k);
    }
  }
}

double entry(const Drawn& c, std::int64_t row, std::int64_t column) {
  if (row != column && (row + column) % 5 == 0) return 0;
  return value_at(row, column, 4) + (row == column ? 6 * c.whole.dof : 0);
}

petsc::GridRows rows_for(const Drawn& c) {
  const std::int64_t n = own_box(c.partition).nodes() * c.whole.dof;
  petsc::GridRows rows{c.whole, Array<double>(c.whole.diagonals() * c.whole.dof * n, 0.0)};
  for_entries(c, [&](auto row, auto d, auto k, auto global_row, auto global_column) {
    rows.values[(d * c.whole.dof + k) * n + row] = entry(c, global_row, global_column);
  });
  return rows;
}

Handle<Mat> aij_for(const Drawn& c, bool zeros) {
  const auto n = static_cast<PetscInt>(own_box(c.partition).nodes() * c.whole.dof);
  Handle<Mat> aij = make<Mat>("MatCreate", [](Mat* m) { return MatCreate(PETSC_COMM_WORLD, m); });
  CALL(MatSetSizes(aij.get(), n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  CALL(MatSetBlockSize(aij.get(), c.whole.dof));
  CALL(MatSetType(aij.get(), MATAIJ));
  CALL(MatSetUp(aij.get()));
  CALL(MatSetOption(aij.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for_entries(c, [&](auto, auto, auto, auto global_row, auto global_column) {
    const double value = entry(c, global_row, global_column);
    if (zeros || value != 0)
      CALL(MatSetValue(aij.get(), static_cast<PetscInt>(global_row), static_cast<PetscInt>(global_column),
                       value, INSERT_VALUES));
  });
  CALL(MatAssemblyBegin(aij.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(aij.get(), MAT_FINAL_ASSEMBLY));
  return aij;
}

// Three nodes along x, four lines of two ranks, along y alone: what rank 1 has, by hand.
TEST(GridRows, AreSplitAsByHand) {
  const Partition p{{3, 4, 1}, {}, {{{0, 3}, {0, 2, 4}, {0, 1}}}, 1};
  petsc::GridRows rows;
  rows.structure.extents = {3, 4, 1};
  rows.structure.offsets = {{0, -1, 0}, {0, 0, 0}, {0, 1, 0}};
  rows.values = Array<double>(18, 1.0);
  for (int i = 0; i < 6; ++i) rows.values[i] = 10 + i, rows.values[6 + i] = 20 + i;
  for (int i = 3; i < 6; ++i) rows.values[12 + i] = 0;  // beyond the grid
  const petsc::GridStructure s = petsc::structure_of(p, 1, rows.structure.offsets, "by hand");
  const petsc::GridValues parts = petsc::values_of(s, std::move(rows), true);
  EXPECT_EQ(s.owned.extents, (std::array<std::int64_t, 3>{3, 2, 1}));
  EXPECT_EQ(s.boundary, (std::vector<PetscInt>{0, 1, 2}));
  EXPECT_EQ(s.ghosts, (std::vector<PetscInt>{3, 4, 5}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(parts.hub()->values[i], 0);
    EXPECT_EQ(parts.hub()->values[3 + i], 13 + i);
    EXPECT_EQ(parts.hub()->values[9 + i], 23 + i);
    EXPECT_EQ(parts.ghost()->value[i], 10 + i);
    EXPECT_EQ(parts.ghost()->column[i], i);
  }
}

TEST_F(MatrixType, FromBlockDiagonalsIsAij) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Drawn c = drawn(seed);
    SCOPED_TRACE(c.name);
    const char* const format = std::array{"cds", "csr", "dia"}[seed % 3];
    petsc::GridRows rows = rows_for(c);
    if (space() == SpaceKind::cuda && ranks() == 1 && seed % 2 == 0) {
      rows.device_values = copy_to<Device>(rows.values);
      rows.values = {};
    }
    const auto ours = petsc::make_grid_matrix(c.partition, std::move(rows), {format, space()});
    const Handle<Mat> theirs = aij_for(c, true);
    expect_same(ours.get(), theirs.get());
    // Values change as those of any matrix of the type do.
    for (const Mat m : {ours.get(), theirs.get()}) {
      CALL(MatScale(m, 0.5));
      CALL(MatShift(m, 2));
    }
    expect_same(ours.get(), theirs.get());
  }
}

// Boxes that have every block diagonal, boxes too narrow for some, and periodic axes that are cut.
TEST_F(MatrixType, RefilledIsThatOfTheNewRows) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const Drawn c = drawn(seed);
    SCOPED_TRACE(c.name);
    const char* const format = std::array{"cds", "csr", "dia"}[seed % 3];
    const auto ours = petsc::make_grid_matrix(c.partition, rows_for(c), {format, space()});
    const Handle<Mat> theirs = aij_for(c, true);
    expect_same(ours.get(), theirs.get());  // makes all that is made once
    const Handle<Vec> factor = random_vector(theirs.get(), 3);
    petsc::GridRows rows = rows_for(c);
    {
      const std::int64_t n = own_box(c.partition).nodes() * c.whole.dof;
      const petsc::ReadArray of_row(factor.get());
      for (std::int64_t i = 0; i < rows.values.size(); ++i) rows.values[i] *= of_row.data()[i % n];
    }
    CALL(MatDiagonalScale(theirs.get(), factor.get(), nullptr));
    petsc::refill(ours.get(), c.whole,
                  [&](double* values) { std::copy(rows.values.begin(), rows.values.end(), values); });
    expect_same(ours.get(), theirs.get());
    BlockStructure other = c.whole;
    other.dof += 1;
    EXPECT_THROW(petsc::refill(ours.get(), other, [](double*) {}), FormatError);
  }
}

// A program's wish for values in fewer bits, also on ranks without rows and around periodic axes.
TEST_F(MatrixType, RefilledIsRoundedAnew) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Drawn c = drawn(seed);
    SCOPED_TRACE(c.name);
    petsc::GridFormat format{"cds", space()};
    format.options.value_precision = ValuePrecision::bf16;
    const auto ours = petsc::make_grid_matrix(c.partition, rows_for(c), format);
    const Handle<Mat> theirs = aij_for(c, true);
    EXPECT_EQ(petsc::value_error(ours.get()), rounding_of(ValuePrecision::bf16, 8));
    for (const double factor : {1.0, 1.1}) {
      CALL(MatScale(theirs.get(), factor));
      petsc::GridRows rows = rows_for(c);
      for (double* v = rows.values.data(); v != rows.values.data() + rows.values.size(); ++v) *v *= factor;
      petsc::refill(ours.get(), c.whole,
                    [&](double* values) { std::copy(rows.values.begin(), rows.values.end(), values); });
      expect_same_products(ours.get(), rounded_copy(theirs.get(), ValuePrecision::bf16).get());
      const Handle<Vec> x = random_vector(ours.get(), 1), y = random_vector(ours.get(), 2),
                        a = random_vector(theirs.get(), 1), b = random_vector(theirs.get(), 2);
      petsc::multiply_exactly(ours.get(), x.get(), y.get());
      CALL(MatMult(theirs.get(), a.get(), b.get()));
      expect_near(y.get(), b.get(), "the product without rounding");
    }
    petsc::set_format(ours.get(), {"cds", space()});
    EXPECT_EQ(petsc::value_error(ours.get()), 0);
  }
}

// Without a copy of them on one rank.
TEST_F(MatrixType, HasTheValuesThatItWasMadeFrom) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Drawn c = drawn(seed);
    SCOPED_TRACE(c.name);
    petsc::GridRows rows = rows_for(c);
    const double* const place = rows.values.data();
    const auto matrix = petsc::make_grid_matrix(c.partition, std::move(rows));
    const auto own = petsc::own_block_diagonals(matrix.get());
    if (own->rows() > 0) {
      EXPECT_NO_THROW(validate(*own));
    }
    if (ranks() == 1) {
      EXPECT_EQ(own->values.data(), place) << "the values were copied";
    }
  }
}

TEST_F(MatrixType, AsCompactAijHasNoZeros) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Drawn c = drawn(seed);
    SCOPED_TRACE(c.name);
    const auto matrix = petsc::make_grid_matrix(c.partition, rows_for(c));
    const auto ours = petsc::make_aij(matrix.get(), false);
    const Handle<Mat> theirs = aij_for(c, false);
    PetscBool same = PETSC_FALSE;
    CALL(MatEqual(ours.get(), theirs.get(), &same));
    EXPECT_TRUE(same);
    MatInfo mine, expected;
    CALL(MatGetInfo(ours.get(), MAT_LOCAL, &mine));
    CALL(MatGetInfo(theirs.get(), MAT_LOCAL, &expected));
    EXPECT_EQ(mine.nz_used, expected.nz_used);
    if (space() == SpaceKind::cuda) continue;
    EXPECT_EQ(
        petsc::stored_bytes(matrix.get()),
        own_box(c.partition).nodes() == 0 ? 0 : petsc::own_product(matrix.get())->traffic().stored_bytes);
  }
}

TEST_F(MatrixType, FromBlockDiagonalsTakesAnotherFormat) {
  const Drawn c = drawn(5);
  const auto matrix = petsc::make_grid_matrix(c.partition, rows_for(c));
  const Handle<Mat> theirs = aij_for(c, true);
  for (const char* format : {"cds", "dia", "csr"}) {
    petsc::set_format(matrix.get(), {format, space()});
    expect_same(matrix.get(), theirs.get());
  }
  EXPECT_THROW(petsc::set_format(matrix.get(), {"nosuch", space()}), FormatError);
}

// Rows that stand for all, as of coefficients that are the same at all nodes: in every format, wherever the
// products are, before and after the values change as those of any matrix do.
TEST_F(MatrixType, FromFewRowsIsThatOfAllOfThem) {
  BlockStructure s;
  s.extents = {14, 9, 11};
  s.periodic = {false, true, false};
  s.dof = 2;
  s.offsets = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  FewRows few = few_rows_of(s);
  ASSERT_FALSE(few.stored.all);
  const std::int64_t nodes = few.stored_nodes();
  few.a.values = Array<double>(s.diagonals() * s.dof * s.dof * nodes, 0.0);
  for (int node = 0; node < nodes; ++node) {
    const std::array<int, 3> at = few.stored.position(node);
    for (std::int64_t d = 0; d < s.diagonals(); ++d)
      if (s.neighbour(at[0], at[1], at[2], s.offsets[d]) >= 0)
        for (std::int64_t k = 0; k < 4; ++k)
          few.a.values[((d * 2 + k / 2) * nodes + node) * 2 + k % 2] = value_at(node % 3, d * 4 + k, 4);
  }
  const Partition p = make_partition(s.extents, s.periodic, ranks(), 0);
  const auto rows = [&](bool all) {
    petsc::GridRows made{s, {}};
    if (!all) {
      made.few_rows = FewRows{copy_of(few.a), few.stored};
      return made;
    }
    made.values = Array<double>(value_bytes(s, 8) / 8);
    repeat_rows(few, made.values.data());
    return made;
  };
  if (ranks() > 1) {
    EXPECT_THROW(petsc::make_grid_matrix(p, rows(false)), FormatError);
    return;
  }
  for (const char* format : {"cds", "compact", "stencil_table", "dia", "csr"}) {
    SCOPED_TRACE(format);
    const petsc::SharedMat ours = petsc::make_grid_matrix(p, rows(false), {format, space()}),
                           theirs = petsc::make_grid_matrix(p, rows(true), {"csr", SpaceKind::cpu});
    EXPECT_TRUE(petsc::own_few_rows(ours.get()) != nullptr || std::string(format) != "compact");
    const Handle<Mat> copy =
        make<Mat>("MatDuplicate", [&](Mat* m) { return MatDuplicate(ours.get(), MAT_COPY_VALUES, m); });
    for (const Mat m : {ours.get(), copy.get()}) expect_same(m, theirs.get());
    for (const Mat m : {ours.get(), copy.get(), theirs.get()}) {
      CALL(MatScale(m, 0.5));
      CALL(MatShift(m, 2));
    }
    for (const Mat m : {ours.get(), copy.get()}) expect_same(m, theirs.get());
  }
  petsc::GridRows other = rows(false);
  other.structure.dof = 1;
  EXPECT_THROW(petsc::make_grid_matrix(p, std::move(other)), FormatError);
}

TEST_F(MatrixType, FromBlockDiagonalsRefusesWhatDoesNotFit) {
  const Drawn c = drawn(5);
  petsc::GridRows few = rows_for(c);
  few.values = Array<double>(few.values.size() + 1, 0.0);
  EXPECT_THROW(petsc::make_grid_matrix(c.partition, std::move(few)), FormatError);
  petsc::GridRows other = rows_for(c);
  other.structure.extents[0] += 1;
  EXPECT_THROW(petsc::make_grid_matrix(c.partition, std::move(other)), FormatError);
  petsc::GridRows far = rows_for(c);
  far.structure.offsets.back() = {static_cast<std::int32_t>(c.whole.extents[0]), 0, 0};
  EXPECT_THROW(petsc::make_grid_matrix(c.partition, std::move(far)), FormatError);
  Partition more = c.partition;
  more.cuts[0].push_back(more.cuts[0].back());
  petsc::GridRows rows = rows_for(c);
  EXPECT_THROW(petsc::make_grid_matrix(more, std::move(rows)), FormatError);
}

}  // namespace
}  // namespace quadrille::type_test
