// Zero patterns within the blocks of a DMDA (DMDASetBlockFills), against AIJ of the same DMDA.
#include <random>

#include "comparison.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/structure.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

using Fill = std::vector<PetscInt>;

// With the diagonal, which a matrix of this type always has.
Fill random_fill(int dof, bool centre, std::mt19937& random) {
  Fill fill;
  for (int r = 0; r < dof; ++r)
    for (int c = 0; c < dof; ++c) fill.push_back(random() % 2 == 0 || (centre && r == c) ? 1 : 0);
  return fill;
}

Grid make_filled_grid(const Case& c, const Fill& centre, const Fill& beside) {
  Grid grid = make_grid(c);
  CALL(DMDASetBlockFills(grid.get(), centre.data(), beside.data()));
  return grid;
}

struct Row {
  std::vector<PetscInt> columns;
  std::vector<double> values;
  bool operator==(const Row&) const = default;
};

Row row_of(Mat m, PetscInt row) {
  PetscInt count = 0;
  const PetscInt* columns = nullptr;
  const PetscScalar* values = nullptr;
  CALL(MatGetRow(m, row, &count, &columns, &values));
  Row found{{columns, columns + count}, {values, values + count}};
  CALL(MatRestoreRow(m, row, &count, &columns, &values));
  return found;
}

template <class Body>
void for_own_rows(Mat m, const Body& body) {
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(m, &first, &last));
  for (PetscInt row = first; row < last; ++row) body(row);
}

// Values in the places that `model` has; one in three of them is zero.
void set_places(Mat m, Mat model, unsigned salt) {
  for_own_rows(model, [&](PetscInt row) {
    const Row places = row_of(model, row);
    std::vector<double> values;
    for (const PetscInt column : places.columns) {
      const double value = value_at(row, column, salt);
      values.push_back(value > 0.33 && column != row ? 0 : value + (column == row ? 20 : 0));
    }
    CALL(MatSetValues(m, 1, &row, static_cast<PetscInt>(values.size()), places.columns.data(), values.data(),
                      INSERT_VALUES));
  });
  assemble(m);
}

double entries_of(Mat m) {
  MatInfo info;
  CALL(MatGetInfo(m, MAT_GLOBAL_SUM, &info));
  return info.nz_used;
}

void expect_places(Mat ours, Mat theirs) {
  for_own_rows(theirs, [&](PetscInt row) { ASSERT_EQ(row_of(ours, row), row_of(theirs, row)) << row; });
  const auto copy =
      make<Mat>("MatConvert", [&](Mat* m) { return MatConvert(ours, MATAIJ, MAT_INITIAL_MATRIX, m); });
  EXPECT_EQ(entries_of(copy.get()), entries_of(theirs));
  const petsc::SharedMat compact = petsc::make_aij(ours, false);
  EXPECT_EQ(entries_of(compact.get()), entries_of(theirs));
}

TEST_F(MatrixType, BlockFillsHaveThePlacesOfAij) {
  std::mt19937 random(9);
  for (Case c : cases(61, 10)) {
    if (c.dimension == 1) c.dimension = 2, c.size[1] = 2 * ranks();
    c.dof = 1 + static_cast<int>(random() % 4);
    for (int axis = 0; axis < c.dimension; ++axis)  // PETSc 3.18 refuses others
      if (const PetscInt turn = 2 * c.width + 1; c.periodic[axis])
        c.size[axis] = (c.size[axis] + turn - 1) / turn * turn;
    SCOPED_TRACE(c.name());
    const Fill centre = random_fill(c.dof, true, random), beside = random_fill(c.dof, false, random);
    const Grid grid = make_filled_grid(c, centre, beside);
    for (const char* format : {"cds", "csr", "dia"}) {
      const Handle<Mat> theirs = make_matrix(grid.get()), ours = make_matrix(grid.get(), format);
      const Handle<Mat> model = make_matrix(grid.get());
      for (const unsigned salt : {1u, 2u}) {  // the second time zeros become values, and values zeros
        set_places(theirs.get(), model.get(), salt);
        set_places(ours.get(), model.get(), salt);
        expect_same(ours.get(), theirs.get());
        expect_places(ours.get(), theirs.get());
      }
      const auto twice =
          make<Mat>("MatDuplicate", [&](Mat* m) { return MatDuplicate(ours.get(), MAT_COPY_VALUES, m); });
      CALL(MatAXPY(twice.get(), 1, ours.get(), SAME_NONZERO_PATTERN));
      CALL(MatScale(theirs.get(), 2));
      expect_same(twice.get(), theirs.get());
      expect_places(twice.get(), theirs.get());
    }
  }
}

Case three_unknowns() {
  Case c;
  c.size = {6, 5, 5};
  c.dof = 3;
  return c;
}
const Fill dense(9, 1), diagonal{1, 0, 0, 0, 1, 0, 0, 0, 1};

// What CSR and DIA store, without a word on it from the program.
TEST_F(MatrixType, BlockFillsAreWhatFormatsStore) {
  const Grid grid = make_filled_grid(three_unknowns(), dense, diagonal);
  const Handle<Mat> theirs = make_matrix(grid.get()), csr = make_matrix(grid.get(), "csr"),
                    dia = make_matrix(grid.get(), "dia");
  for (const Mat m : {csr.get(), dia.get()}) set_places(m, theirs.get(), 1);
  const auto hub = petsc::own_block_diagonals(csr.get());
  EXPECT_EQ(hub->fill, petsc::block_fill_of(grid.get()));
  EXPECT_EQ(petsc::own_product(csr.get())->to_csr().nnz(), most_non_zeros(*hub));
  if (ranks() == 1) {
    EXPECT_EQ(petsc::own_product(csr.get())->to_csr().nnz(), entries_of(theirs.get()));
  }
  EXPECT_EQ(entries_of(csr.get()), entries_of(theirs.get())) << "couplings to other ranks among them";
  const std::int64_t in_centre = 5, beside = hub->diagonals() - 1;  // scalar diagonals; none of them coincide
  EXPECT_EQ(petsc::stored_bytes(dia.get()), (in_centre + beside) * (hub->rows() * 8 + 8));
}

// The patterns decide what ILU(0) and block Jacobi make of the matrix.
TEST_F(MatrixType, BlockFillsGiveTheIterationsOfAij) {
  const Grid grid = make_filled_grid(three_unknowns(), dense, diagonal);
  const Handle<Mat> model = make_matrix(grid.get());
  const auto iterations = [&](Mat m) {
    set_places(m, model.get(), 3);
    CALL(MatShift(m, -12));
    const auto ksp = make<KSP>("KSPCreate", [](KSP* k) { return KSPCreate(PETSC_COMM_WORLD, k); });
    PC pc = nullptr;
    CALL(KSPSetOperators(ksp.get(), m, m));
    CALL(KSPSetType(ksp.get(), KSPGMRES));
    CALL(KSPSetTolerances(ksp.get(), 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    CALL(KSPGetPC(ksp.get(), &pc));
    CALL(PCSetType(pc, PCBJACOBI));
    const Handle<Vec> b = random_vector(m, 5), x = random_vector(m, 6);
    CALL(VecSet(x.get(), 0));
    CALL(KSPSolve(ksp.get(), b.get(), x.get()));
    PetscInt count = 0;
    CALL(KSPGetIterationNumber(ksp.get(), &count));
    return count;
  };
  const Handle<Mat> theirs = make_matrix(grid.get()), ours = make_matrix(grid.get(), "csr");
  const PetscInt expected = iterations(theirs.get());
  EXPECT_GT(expected, 3);
  EXPECT_EQ(iterations(ours.get()), expected);
}

PetscErrorCode product_of(void*, Vec x, Vec f, void* matrix) {
  return MatMult(static_cast<Mat>(matrix), x, f);
}

// Finite differences by colours set what the pattern has, and nothing else.
TEST_F(MatrixType, BlockFillsAreFilledByFiniteDifferences) {
  const Grid grid = make_filled_grid(three_unknowns(), dense, diagonal);
  const Handle<Mat> model = make_matrix(grid.get()), linear = make_matrix(grid.get()),
                    ours = make_matrix(grid.get(), "csr");
  set_places(linear.get(), model.get(), 4);
  set_places(ours.get(), model.get(), 5);
  ISColoring colors = nullptr;
  MatFDColoring coloring = nullptr;
  CALL(DMCreateColoring(grid.get(), IS_COLORING_GLOBAL, &colors));
  CALL(MatFDColoringCreate(ours.get(), colors, &coloring));
  set_function(coloring, product_of, linear.get());
  CALL(MatFDColoringSetUp(ours.get(), colors, coloring));
  const Handle<Vec> at = random_vector(linear.get(), 1), a = random_vector(linear.get(), 2, true),
                    b = random_vector(linear.get(), 3, true);
  CALL(MatFDColoringApply(ours.get(), coloring, at.get(), nullptr));
  assemble(ours.get());
  CALL(MatFDColoringDestroy(&coloring));
  CALL(ISColoringDestroy(&colors));
  CALL(MatMult(ours.get(), at.get(), a.get()));
  CALL(MatMult(linear.get(), at.get(), b.get()));
  expect_near(a.get(), b.get(), "finite differences", 1e-5);
}

TEST_F(MatrixType, ValuesOutsideTheBlockFillsAreRefusedUnlessZero) {
  const Grid grid = make_filled_grid(three_unknowns(), dense, diagonal);
  const Handle<Mat> m = make_matrix(grid.get(), "csr"), model = make_matrix(grid.get());
  set_places(m.get(), model.get(), 1);
  PetscInt row = 0;
  CALL(MatGetOwnershipRange(m.get(), &row, nullptr));
  const PetscInt column = row + 3 + 1;  // unknown 1 of the next node
  const auto put = [&](double value) { return MatSetValue(m.get(), row, column, value, INSERT_VALUES); };
  CALL(put(0));
  const std::string text = error_of(put(1.5));
  EXPECT_NE(text.find("lies outside the fill of the blocks"), std::string::npos) << text;
  EXPECT_NE(text.find("row " + std::to_string(row)), std::string::npos) << text;
  assemble(m.get());
  const Handle<Mat> theirs = make_matrix(grid.get());
  set_places(theirs.get(), model.get(), 1);
  expect_places(m.get(), theirs.get());
  // Where the program allows new places the matrix goes on by its sparsity, as outside the stencil.
  CALL(MatSetOption(m.get(), MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  CALL(put(1.5));
  assemble(m.get());
  CALL(MatSetOption(theirs.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  CALL(MatSetValue(theirs.get(), row, column, 1.5, INSERT_VALUES));
  assemble(theirs.get());
  expect_same(m.get(), theirs.get());
}

TEST_F(MatrixType, CoordinatesOutsideTheBlockFillsAreRefusedUnlessZero) {
  const Grid grid = make_filled_grid(three_unknowns(), dense, diagonal);
  const Handle<Mat> m = make_matrix(grid.get(), "cds");
  PetscInt row = 0;
  CALL(MatGetOwnershipRange(m.get(), &row, nullptr));
  PetscInt rows[] = {row, row, row}, columns[] = {row, row + 3, row + 4};
  const PetscInt places[] = {row, row + 3};
  CALL(MatSetPreallocationCOO(m.get(), 3, rows, columns));
  const double inside[] = {2, 3, 0}, outside[] = {2, 3, 4};
  CALL(MatSetValuesCOO(m.get(), inside, INSERT_VALUES));
  PetscScalar found[2] = {};
  CALL(MatGetValues(m.get(), 1, &row, 2, places, found));
  EXPECT_EQ(found[0] + 10 * found[1], 32);
  const std::string text = error_of(MatSetValuesCOO(m.get(), outside, INSERT_VALUES));
  EXPECT_NE(text.find("lies outside the fill of the blocks"), std::string::npos) << text;
}

TEST_F(MatrixType, BlockFillsAreThoseThatAijGoesBy) {
  const Case c = three_unknowns();
  EXPECT_FALSE(petsc::block_fill_of(make_grid(c).get()).said());
  Grid grid = make_grid(c);
  CALL(DMDASetBlockFills(grid.get(), nullptr, diagonal.data()));
  EXPECT_EQ(petsc::block_fill_of(grid.get()),
            (BlockFill{std::vector<std::uint8_t>(9, 1), diagonal_fill(3).centre}));
  grid = make_grid(c);
  const PetscInt sparse[] = {4, 6, 7, 8, 0, 2, 1, 2};  // DMDASetBlockFillsSparse: where rows begin, columns
  CALL(DMDASetBlockFillsSparse(grid.get(), sparse, sparse));
  const BlockFill found = petsc::block_fill_of(grid.get());
  EXPECT_EQ(found.beside, (std::vector<std::uint8_t>{1, 0, 1, 0, 1, 0, 0, 0, 1}));
}

// Values of assembled rows that their structure does not have.
TEST_F(MatrixType, RowsOutsideTheirFillAreRefusedOnAllRanks) {
  const Partition p = make_partition({6, 4, 1}, {false, false, false}, ranks(), [] {
    int rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    return rank;
  }());
  BlockStructure structure;
  structure.extents = {6, 4, 1};
  structure.dof = 2;
  structure.offsets = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  structure.fill = diagonal_fill(2);
  const std::int64_t rows = own_box(p).nodes() * 2;
  const auto values = [&](double outside) {
    Array<double> all(structure.diagonals() * 2 * rows, 0.0);
    for (std::int64_t i = 0; i < rows; ++i) all[(2 + i % 2) * rows + i] = 1;
    if (p.rank == ranks() - 1) all[2 * rows + 1] = outside;  // the centre's row 1, column 0
    return all;
  };
  EXPECT_THROW(petsc::make_grid_matrix(p, {structure, values(5)}), FormatError);
  BlockStructure other = structure;
  other.fill = diagonal_fill(3);
  EXPECT_THROW(petsc::make_grid_matrix(p, {other, values(0)}), FormatError);
  const petsc::SharedMat m = petsc::make_grid_matrix(p, {structure, values(0)});
  const auto refill = [&](double outside) {
    petsc::refill(m.get(), structure, [&](double* to) {
      const Array<double> from = values(outside);
      std::copy(from.begin(), from.end(), to);
    });
  };
  EXPECT_THROW(refill(5), FormatError);
  refill(0);
  const Handle<Vec> x = random_vector(m.get(), 1);
  const auto y = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(x.get(), v); });
  CALL(MatMult(m.get(), x.get(), y.get()));
  expect_near(x.get(), y.get(), "the identity", 0);
}

}  // namespace
}  // namespace quadrille::type_test
