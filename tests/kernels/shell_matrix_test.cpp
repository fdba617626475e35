// The shell matrix against PETSc's own MATSEQAIJ of the same operator, in every format.
#include "kernels/petsc/matrix/shell_matrix.hpp"

#include <functional>

#include "kernels/petsc/base/petsc_error.hpp"
#include "shell_cases.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille {
namespace {

std::vector<Case<double>> shell_cases() {
  std::vector<Case<double>> cases;
  cases.push_back(grid_operator({3, {5, 4, 3}, {1, 1, 1}, 3}));
  cases.push_back(grid_operator({3, {7, 3, 2}, {1, 1, 1}, 1}));
  cases.push_back(grid_operator({3, {4, 3, 3}, {1, 1, 1}, 2}, false));  // nothing on the diagonal
  cases.push_back(matrix_case("wide", random_matrix<double>(40, 95, 6, -1, false, 9)));
  cases.push_back(matrix_case("5x5", paper_matrix<double>()));
  return cases;
}

// Row by row, with zeros where a matrix has no entry.
void compare_rows(const Pair& m) {
  const auto row_of = [&](Mat a, PetscInt i) {
    PetscInt size = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    std::vector<double> row(static_cast<std::size_t>(m.columns), 0.0);
    CALL(MatGetRow(a, i, &size, &columns, &values));
    for (PetscInt k = 0; k < size; ++k) row[static_cast<std::size_t>(columns[k])] += values[k];
    for (PetscInt k = 1; k < size; ++k) EXPECT_LT(columns[k - 1], columns[k]);
    CALL(MatRestoreRow(a, i, &size, &columns, &values));
    return row;
  };
  for (PetscInt i = 0; i < m.rows; ++i) {
    const std::vector<double> ours = row_of(m.shell.get(), i), theirs = row_of(m.aij.get(), i);
    for (std::size_t k = 0; k < ours.size(); ++k)
      ASSERT_NEAR(ours[k], theirs[k], 1e-12 * (1 + std::abs(theirs[k]))) << "row " << i << ", column " << k;
  }
}

// Every product, the rows, the diagonal and the norms of both.
void compare(const Pair& m, bool transposes, VecType type) {
  const Handle<Vec> x = vector_of(m.columns, 3, 0, type), z = vector_of(m.rows, 4, 0, type);
  const Mat both[] = {m.shell.get(), m.aij.get()};
  const auto each = [&](const char* what, std::int64_t size, const std::function<void(Mat, Vec)>& fill) {
    const Handle<Vec> results[] = {nan_vector(size, type), nan_vector(size, type)};
    for (int i = 0; i < 2; ++i) fill(both[i], results[i].get());
    expect_equal(results[0].get(), results[1].get(), what);
  };
  each("MatMult", m.rows, [&](Mat a, Vec y) { CALL(MatMult(a, x.get(), y)); });
  each("MatMultAdd", m.rows, [&](Mat a, Vec y) { CALL(MatMultAdd(a, x.get(), z.get(), y)); });
  each("MatMultAdd in place", m.rows, [&](Mat a, Vec y) {
    CALL(VecCopy(z.get(), y));
    CALL(MatMultAdd(a, x.get(), y, y));
  });
  each("MatResidual", m.rows, [&](Mat a, Vec y) { CALL(MatResidual(a, z.get(), x.get(), y)); });
  if (transposes) {
    each("MatMultTranspose", m.columns, [&](Mat a, Vec y) { CALL(MatMultTranspose(a, z.get(), y)); });
    each("MatMultTransposeAdd", m.columns,
         [&](Mat a, Vec y) { CALL(MatMultTransposeAdd(a, z.get(), x.get(), y)); });
    each("MatMultTransposeAdd in place", m.columns, [&](Mat a, Vec y) {
      CALL(VecCopy(x.get(), y));
      CALL(MatMultTransposeAdd(a, z.get(), y, y));
    });
  }
  if (m.rows == m.columns) each("MatGetDiagonal", m.rows, [&](Mat a, Vec y) { CALL(MatGetDiagonal(a, y)); });
  compare_rows(m);
  for (const NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) {
    PetscReal norms[2] = {-1, -2};
    for (int i = 0; i < 2; ++i) CALL(MatNorm(both[i], type, norms + i));
    EXPECT_NEAR(norms[0], norms[1], 1e-12 * (1 + norms[1])) << "norm " << type;
  }
}

using ShellMatrixTest = ShellTest;
INSTANTIATE_TEST_SUITE_P(All, ShellMatrixTest, testing::ValuesIn(entries_in_double()), entry_name);

void expect_every_operation(const Pair& m, bool has_transpose, VecType type) {
  const bool square = m.rows == m.columns;
  compare(m, has_transpose, type);
  const Handle<Vec> left = vector_of(m.rows, 5, 1.5, type), right = vector_of(m.columns, 6, 1.5, type);
  const auto both = [&](const std::function<void(Mat)>& change) {
    for (const Mat a : {m.shell.get(), m.aij.get()}) change(a);
    compare(m, has_transpose, type);
  };
  both([](Mat a) { CALL(MatScale(a, -2.5)); });
  if (square) both([](Mat a) { CALL(MatShift(a, 0.75)); });
  both([&](Mat a) { CALL(MatDiagonalScale(a, left.get(), right.get())); });
  if (square) both([](Mat a) { CALL(MatShift(a, -0.25)); });
  both([&](Mat a) { CALL(MatDiagonalScale(a, nullptr, right.get())); });
  both([](Mat a) { CALL(MatScale(a, 0.5)); });
  both([&](Mat a) { CALL(MatDiagonalScale(a, left.get(), nullptr)); });

  // A duplicate has a scaling of its own.
  const auto copies = [&](MatDuplicateOption option) {
    const auto copy = [=](Mat from) {
      return make<Mat>("MatDuplicate", [=](Mat* to) { return MatDuplicate(from, option, to); });
    };
    return Pair{copy(m.shell.get()), copy(m.aij.get()), m.rows, m.columns};
  };
  const Pair copy = copies(MAT_COPY_VALUES), empty = copies(MAT_DO_NOT_COPY_VALUES);
  both([](Mat a) { CALL(MatScale(a, 3)); });
  compare(copy, has_transpose, type);
  compare(empty, has_transpose, type);
  both([](Mat a) { CALL(MatZeroEntries(a)); });
  compare(copy, has_transpose, type);
  if (square) both([](Mat a) { CALL(MatShift(a, 2)); });
}

TEST_P(ShellMatrixTest, EveryOperationIsAijs) {
  for (const VecType type : vector_types(entry().space))
    for (const Case<double>& c : shell_cases()) {
      if (refuses(entry(), c)) continue;
      SCOPED_TRACE(c.name + std::string(" with vectors of type ") + type);
      expect_every_operation(pair_of(entry(), c, 1), transposes(c), type);
    }
}

TEST_P(ShellMatrixTest, BlocksOnTheDiagonalAreInverted) {
  for (const int block : {1, 3}) {
    const Case<double> c = grid_operator({3, {5, 4, 3}, {1, 1, 1}, 3});
    const Pair m = pair_of(entry(), c, block);
    const Handle<Vec> left = vector_of(m.rows, 5, 1.5), right = vector_of(m.columns, 6, 1.5);
    const std::vector<PetscInt> sizes{1, 2, 4, 5, 48, 60, 60};
    for (int round = 0; round < 2; ++round) {
      const PetscScalar* inverses[2] = {};
      std::vector<double> variable[2];
      int i = 0;
      // A copy, for PETSc 3.25.6 keeps the inverses of an AIJ whose values change.
      const Handle<Mat> aij = make<Mat>(
          "MatDuplicate", [&](Mat* copy) { return MatDuplicate(m.aij.get(), MAT_COPY_VALUES, copy); });
      for (const Mat a : {m.shell.get(), aij.get()}) {
        CALL(MatInvertBlockDiagonal(a, inverses + i));
        variable[i].resize(1 + 4 + 16 + 25 + 48 * 48 + 2 * 60 * 60);
        if (block == 1)
          CALL(MatInvertVariableBlockDiagonal(a, static_cast<PetscInt>(sizes.size()), sizes.data(),
                                              variable[i].data()));
        ++i;
      }
      for (std::int64_t k = 0; k < m.rows * block; ++k)
        ASSERT_NEAR(inverses[0][k], inverses[1][k], 1e-9 * (1 + std::abs(inverses[1][k]))) << k;
      for (std::size_t k = 0; k < variable[0].size(); ++k)
        ASSERT_NEAR(variable[0][k], variable[1][k], 1e-8 * (1 + std::abs(variable[1][k]))) << k;
      for (const Mat a : {m.shell.get(), m.aij.get()}) {
        CALL(MatShift(a, 20));
        CALL(MatDiagonalScale(a, left.get(), right.get()));
        CALL(MatScale(a, 0.5));
        CALL(MatShift(a, 3));
      }
    }
  }
}

TEST_P(ShellMatrixTest, ViewNamesFormatSpaceBytesAndFill) {
  const Case<double> c = grid_operator({3, {5, 4, 3}, {1, 1, 1}, 3});
  const Pair m = pair_of(entry(), c, 3);
  CALL(MatScale(m.shell.get(), 2));
  char text[2048] = {};
  PetscViewer viewer = nullptr;
  CALL(PetscViewerStringOpen(PETSC_COMM_SELF, text, sizeof text, &viewer));
  EXPECT_NE(MatView(m.shell.get(), viewer), 0);  // text only
  CALL(PetscViewerDestroy(&viewer));
  const std::string path = testing::TempDir() + "shell_view_" + entry().name + to_string(entry().space);
  CALL(PetscViewerASCIIOpen(PETSC_COMM_SELF, path.c_str(), &viewer));
  CALL(MatView(m.shell.get(), viewer));
  CALL(PetscViewerDestroy(&viewer));
  FILE* file = std::fopen(path.c_str(), "r");
  ASSERT_NE(file, nullptr);
  const std::string seen(text, std::fread(text, 1, sizeof text, file));
  std::fclose(file);
  std::remove(path.c_str());
  const auto op = entry().make<double>()(c.source, c.options);
  for (const std::string& part :
       {"format " + entry().name + ",", std::to_string(op->traffic().stored_bytes) + " bytes",
        std::string("fill "), std::string("scale 2"),
        std::string(op->space() == SpaceKind::cpu ? "CPU memory" : "copied")})
    EXPECT_NE(seen.find(part), std::string::npos) << part << " is not in\n" << seen;
}

// An operator that counts itself, and throws.
class Counted final : public SpmvOperator<double> {
 public:
  explicit Counted(int& alive, std::int64_t rows = 4) : alive_(alive), rows_(rows) { ++alive_; }
  ~Counted() override { --alive_; }
  std::int64_t rows() const override { return rows_; }
  std::int64_t columns() const override { return 4; }
  SpaceKind space() const override { return SpaceKind::cpu; }
  Traffic traffic() const override { return {}; }
  void multiply(Queue, const double*, const Output<double>&) const override {
    throw std::runtime_error("the product broke");
  }
  Csr<double> to_csr() const override { throw 42; }

 private:
  int& alive_;
  std::int64_t rows_;
};

TEST(ShellMatrix, LetsGoOfTheOperatorWithItsLastMatrix) {
  int alive = 0;
  auto op = std::make_shared<const Counted>(alive);
  Handle<Mat> a(petsc::make_shell_matrix(op, "counted"));
  EXPECT_EQ(op.use_count(), 2);
  auto b = make<Mat>("MatDuplicate", [&](Mat* to) { return MatDuplicate(a.get(), MAT_COPY_VALUES, to); });
  EXPECT_EQ(op.use_count(), 3);
  Mat again = a.get();
  CALL(PetscObjectReference(reinterpret_cast<PetscObject>(again)));
  a.reset();
  EXPECT_EQ(op.use_count(), 3);  // somebody still holds it
  CALL(MatDestroy(&again));
  EXPECT_EQ(op.use_count(), 2);
  op.reset();
  EXPECT_EQ(alive, 1);
  b.reset();
  EXPECT_EQ(alive, 0);
}

TEST(ShellMatrix, ErrorsComeBackAsPetscErrorsWithTheirMessage) {
  int alive = 0;
  const auto expect_in = [](const std::string& part, const std::string& text) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
  };
  const Handle<Mat> a(petsc::make_shell_matrix(std::make_shared<const Counted>(alive), "counted"));
  const Handle<Vec> x = vector_of(4, 1), y = vector_of(4, 2), five = vector_of(5, 3);
  expect_in("the product broke", error_of(MatMult(a.get(), x.get(), y.get())));
  expect_in("MatMult_Quadrille", error_of(MatMult(a.get(), x.get(), y.get())));
  expect_in("unknown exception", error_of(MatGetDiagonal(a.get(), x.get())));
  PetscReal norm = 0;
  expect_in("1, Frobenius and infinity", error_of(MatNorm(a.get(), NORM_2, &norm)));
  expect_in("the left vector of the scaling has 5 elements, and must have 4",
            error_of(MatDiagonalScale(a.get(), five.get(), nullptr)));
  error_of(MatMult(a.get(), five.get(), y.get()));        // PETSc's own check
  error_of(MatMultTranspose(a.get(), x.get(), y.get()));  // this operator has none
  const Handle<Mat> wide(petsc::make_shell_matrix(std::make_shared<const Counted>(alive, 3), "counted"));
  error_of(MatGetDiagonal(wide.get(), x.get()));

  EXPECT_THROW(petsc::make_shell_matrix(std::shared_ptr<const SpmvOperator<double>>(), "none"), FormatError);
  for (const int block : {0, 3})
    EXPECT_THROW(petsc::make_shell_matrix(std::make_shared<const Counted>(alive), "counted", block),
                 FormatError);
  EXPECT_THROW(
      petsc::make_shell_matrix(std::make_shared<const Counted>(alive, std::int64_t{1} << 31), "large"),
      FormatError);
}

TEST(ShellMatrix, ASingularBlockIsNamed) {
  const auto csr = std::make_shared<const Csr<double>>(
      csr_of<double>(4, 4, {1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 1, 2, 0, 0, 2, 4}));
  FormatInput<double> source;
  source.csr = csr;
  const std::shared_ptr<const SpmvOperator<double>> op = registry().front().make<double>()(source, {});
  const Handle<Mat> a(petsc::make_shell_matrix(op, "csr", 2));
  const PetscScalar* inverses = nullptr;
  MatFactorError found = MAT_FACTOR_NOERROR;
  CALL(MatInvertBlockDiagonal(a.get(), &inverses));
  CALL(MatFactorGetError(a.get(), &found));
  EXPECT_EQ(found, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  CALL(MatSetErrorIfFailure(a.get(), PETSC_TRUE));
  const std::string text = error_of(MatInvertBlockDiagonal(a.get(), &inverses));
  EXPECT_NE(text.find("the diagonal block 1, rows 2 to 3, is singular"), std::string::npos) << text;
  CALL(MatShift(a.get(), 1));
  CALL(MatInvertBlockDiagonal(a.get(), &inverses));
  EXPECT_DOUBLE_EQ(inverses[0], 5.0 / 4);  // of 2 2 / 3 5, [column][row]
  EXPECT_DOUBLE_EQ(inverses[1], -3.0 / 4);
  EXPECT_DOUBLE_EQ(inverses[2], -2.0 / 4);
  EXPECT_DOUBLE_EQ(inverses[3], 2.0 / 4);
}

}  // namespace
}  // namespace quadrille
