// -mat_quadrille_verify where a product is wrong: a store whose parts, which products are made from, are not
// the matrix that it shows as AIJ.
#include "comparison.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "tests/petsc_error_text.hpp"

namespace quadrille::type_test {
namespace {

using petsc::LocalParts;
using petsc::Store;

// All of `right`, but for one value of the parts on the last rank.
class WrongStore final : public Store {
 public:
  WrongStore(std::unique_ptr<Store> right, PetscInt row, double off)
      : right_(std::move(right)), row_(row), off_(off) {}

  std::unique_ptr<Store> duplicate(Mat owner, bool values) override {
    return right_->duplicate(owner, values);
  }
  void set_values(const petsc::Indices& rows, const petsc::Indices& columns, const PetscScalar* values,
                  InsertMode mode) override {
    right_->set_values(rows, columns, values, mode);
  }
  void prepare_coordinates(PetscCount count, PetscInt* rows, PetscInt* columns) override {
    right_->prepare_coordinates(count, rows, columns);
  }
  void set_by_coordinates(const PetscScalar* values, InsertMode mode, bool on_gpu) override {
    right_->set_by_coordinates(values, mode, on_gpu);
  }
  void assemble_begin(MatAssemblyType type) override { right_->assemble_begin(type); }
  void assemble_end(MatAssemblyType type) override {
    changed();
    right_->assemble_end(type);
  }
  void zero() override { right_->zero(); }
  void scale(double factor) override { right_->scale(factor); }
  void shift(double value) override { right_->shift(value); }
  void set_diagonal(Vec diagonal, InsertMode mode) override { right_->set_diagonal(diagonal, mode); }
  void scale_rows_and_columns(Vec left, Vec right) override { right_->scale_rows_and_columns(left, right); }
  bool add(double factor, Store& from, MatStructure structure) override {
    return right_->add(factor, from, structure);
  }
  bool copy_from(Store& from, MatStructure structure) override { return right_->copy_from(from, structure); }
  void diagonal(Vec diagonal) override { right_->diagonal(diagonal); }
  void set_option(MatOption option, bool value) override { right_->set_option(option, value); }
  void row(PetscInt row, std::vector<PetscInt>& columns, std::vector<double>& values) override {
    right_->row(row, columns, values);
  }
  Mat aij() override { return right_->aij(); }
  void require_copy_untouched() override { right_->require_copy_untouched(); }
  bool parts_in_place() const override { return false; }
  LocalParts parts(bool on_gpu) override {
    LocalParts parts = right_->parts(on_gpu);
    auto wrong = std::make_shared<Csr<double>>(copy_to<Host>(*parts.csr));
    if (row_ >= 0) wrong->value[wrong->row_ptr[row_]] += off_;
    parts.csr = wrong;
    return parts;
  }

 protected:
  void take_from_aij() override { changed(); }

 private:
  std::unique_ptr<Store> right_;
  PetscInt row_;
  double off_;
};

// A band matrix of 8 rows a rank, with row 3 of the last rank wrong by `off`; what its assembly with
// -mat_quadrille_verify says.
std::string verified(double off) {
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", "csr"));
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_verify", "1"));
  const Handle<Mat> m = make<Mat>("MatCreate", [](Mat* made) { return MatCreate(PETSC_COMM_WORLD, made); });
  CALL(MatSetSizes(m.get(), 8, 8, PETSC_DETERMINE, PETSC_DETERMINE));
  CALL(MatSetType(m.get(), "quadrille"));
  CALL(MatSetUp(m.get()));
  petsc::typed(m.get()).set_up(
      std::make_unique<WrongStore>(petsc::make_aij_store(m.get()), rank == ranks() - 1 ? 3 : -1, off));
  for (PetscInt i = 8 * rank; i < 8 * (rank + 1); ++i)
    for (const PetscInt j : {i - 1, i, i + 1})
      if (j >= 0 && j < 8 * ranks()) CALL(MatSetValue(m.get(), i, j, i == j ? 4 : -1, INSERT_VALUES));
  CALL(MatAssemblyBegin(m.get(), MAT_FINAL_ASSEMBLY));
  const PetscErrorCode code = MatAssemblyEnd(m.get(), MAT_FINAL_ASSEMBLY);
  return code == 0 ? "" : error_of(code);
}

TEST_F(MatrixType, AWrongProductIsFoundAndNamed) {
  EXPECT_EQ(verified(0), "");
  // Of a value near 1 that is multiplied with one in 0..1: far below, its effect would be rounding.
  for (const double off : {1e-3, 1e-9, std::nan("")}) {
    SCOPED_TRACE(off);
    int rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    const std::string text = verified(off);
    const auto expect_in = [&](const std::string& part) {
      EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
    };
    expect_in("-mat_quadrille_verify: ");
    if (rank < ranks() - 1) {
      expect_in("the product of another rank differs from AIJ's");
      continue;
    }
    expect_in("row " + std::to_string(8 * rank + 3) + " of the product in format csr is ");
    expect_in(", and AIJ's ");
    // The two values differ as they are written.
    double ours = 0, aijs = 0;
    ASSERT_EQ(std::sscanf(text.c_str() + text.find(" csr is ") + 8, "%lf, and AIJ's %lf", &ours, &aijs), 2)
        << text;
    EXPECT_NE(ours, aijs);
    EXPECT_LT(std::abs(aijs), 6);
  }
}

}  // namespace
}  // namespace quadrille::type_test
