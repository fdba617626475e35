// The values of a matrix of which no grid is known: PETSc's AIJ. What the format needs is found when it is assembled.
#include <algorithm>

#include "kernels/petsc/device_work.hpp"
#include "kernels/petsc/matrix_type/store.hpp"
#include "kernels/petsc/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

// A copy of a MATSEQAIJ.
Csr<double> csr_of(Mat matrix) {
  PetscInt rows = 0, columns = 0, n = 0;
  const PetscInt *begin = nullptr, *column = nullptr;
  const PetscScalar* value = nullptr;
  PetscBool done = PETSC_FALSE;
  QUADRILLE_PETSC(MatGetSize(matrix, &rows, &columns));
  QUADRILLE_PETSC(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &n, &begin, &column, &done));
  if (!done) throw PetscError("PETSc does not show the rows of its AIJ matrix");
  QUADRILLE_PETSC(MatSeqAIJGetArrayRead(matrix, &value));
  to_index32(rows, "rows");
  to_index32(columns, "columns");
  const std::int64_t entries = to_index32(begin[rows], "non-zeros");
  Csr<double> csr{rows, columns, Array<std::int32_t>(std::int64_t{rows} + 1), Array<std::int32_t>(entries),
                  Array<double>(entries)};
  std::copy(begin, begin + rows + 1, csr.row_ptr.data());
  std::copy(column, column + entries, csr.column.data());
  std::copy(value, value + entries, csr.value.data());
  QUADRILLE_PETSC(MatSeqAIJRestoreArrayRead(matrix, &value));
  QUADRILLE_PETSC(MatRestoreRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &n, &begin, &column, &done));
  return csr;
}

// The rows that have entries, and only those.
Csr<double> without_empty_rows(const Csr<double>& csr, std::vector<PetscInt>& rows) {
  std::vector<std::int32_t> begin{0};
  for (std::int64_t i = 0; i < csr.rows; ++i)
    if (csr.row_ptr[i] != csr.row_ptr[i + 1]) {
      rows.push_back(static_cast<PetscInt>(i));
      begin.push_back(csr.row_ptr[i + 1]);
    }
  Csr<double> result{static_cast<std::int64_t>(rows.size()), csr.columns,
                     Array<std::int32_t>(static_cast<std::int64_t>(begin.size())), copy_of(csr.column),
                     copy_of(csr.value)};
  std::copy(begin.begin(), begin.end(), result.row_ptr.data());
  return result;
}

class AijStore final : public Store {
 public:
  explicit AijStore(Handle<Mat> aij) : aij_(std::move(aij)) {}

  std::unique_ptr<Store> duplicate(Mat, bool values) override {
    auto copy = std::make_unique<AijStore>(make<Mat>("MatDuplicate", [&](Mat* m) {
      return MatDuplicate(aij_.get(), values ? MAT_COPY_VALUES : MAT_DO_NOT_COPY_VALUES, m);
    }));
#if PETSC_VERSION_GE(3, 21, 0)
    copy->coordinates_ = coordinates_;  // AIJ's duplicate knows where they go
#endif
    return copy;
  }
  void set_values(PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column,
                  const PetscScalar* values, InsertMode mode) override {
    changed();
    QUADRILLE_PETSC(MatSetValues(aij_.get(), rows, row, columns, column, values, mode));
  }
  void prepare_coordinates(PetscCount count, PetscInt* rows, PetscInt* columns) override {
    changed();
    coordinates_ = count;
    QUADRILLE_PETSC(MatSetPreallocationCOO(aij_.get(), count, rows, columns));
  }
  void set_by_coordinates(const PetscScalar* values, InsertMode mode, bool) override {
    if (coordinates_ < 0) throw_no_coordinates();
    changed();
    PetscMemType where = PETSC_MEMTYPE_HOST;
    if (values != nullptr) QUADRILLE_PETSC(PetscGetMemType(values, &where));
    std::vector<PetscScalar> on_host;
    if (values == nullptr || PetscMemTypeDevice(where)) {
      on_host.resize(static_cast<std::size_t>(coordinates_));
      const auto bytes = static_cast<std::int64_t>(on_host.size() * sizeof(PetscScalar));
      if (values != nullptr) {
        memory::copy_to_host(on_host.data(), values, bytes);
        log_copy(bytes, false);
      }
      values = on_host.data();
    }
    QUADRILLE_PETSC(MatSetValuesCOO(aij_.get(), values, mode));
  }
  void assemble_begin(MatAssemblyType type) override {
    QUADRILLE_PETSC(MatAssemblyBegin(aij_.get(), type));
  }
  void assemble_end(MatAssemblyType type) override {
    changed();
    QUADRILLE_PETSC(MatAssemblyEnd(aij_.get(), type));
  }
  void zero() override {
    changed();
    QUADRILLE_PETSC(MatZeroEntries(aij_.get()));
  }
  void scale(double factor) override {
    changed();
    QUADRILLE_PETSC(MatScale(aij_.get(), factor));
  }
  void set_option(MatOption option, bool value) override {
    QUADRILLE_PETSC(MatSetOption(aij_.get(), option, value ? PETSC_TRUE : PETSC_FALSE));
  }
  void row(PetscInt row, std::vector<PetscInt>& columns, std::vector<double>& values) override {
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    const PetscScalar* value = nullptr;
    QUADRILLE_PETSC(MatGetRow(aij_.get(), row, &count, &column, &value));
    columns.assign(column, column + count);
    values.assign(value, value + count);
    QUADRILLE_PETSC(MatRestoreRow(aij_.get(), row, &count, &column, &value));
  }
  Mat aij() override {
    return aij_.get();
  }
  void modify(const std::function<void(Mat)>& change) override {
    changed();
    change(aij_.get());
  }

  LocalParts parts(bool) override {
    LocalParts parts;
    PetscBool distributed = PETSC_FALSE;
    QUADRILLE_PETSC(
        PetscObjectTypeCompare(reinterpret_cast<PetscObject>(aij_.get()), MATMPIAIJ, &distributed));
    if (!distributed) {
      parts.csr = std::make_shared<const Csr<double>>(csr_of(aij_.get()));
      return parts;
    }
    Mat own = nullptr, ghost = nullptr;
    const PetscInt* columns = nullptr;
    QUADRILLE_PETSC(MatMPIAIJGetSeqAIJ(aij_.get(), &own, &ghost, &columns));
    parts.csr = std::make_shared<const Csr<double>>(csr_of(own));
    const Csr<double> all_rows = csr_of(ghost);
    parts.ghost_columns.assign(columns, columns + all_rows.columns);
    parts.ghost = std::make_shared<const Csr<double>>(without_empty_rows(all_rows, parts.boundary_rows));
    return parts;
  }
  bool parts_in_place() const override {
    return false;
  }

 private:
  Handle<Mat> aij_;
  PetscCount coordinates_ = -1;  // unknown
};

}  // namespace

void throw_no_coordinates() {
  throw PetscError("this matrix has no coordinates yet: call MatSetPreallocationCOO() first");
}

std::unique_ptr<Store> make_aij_store(Mat owner) {
  PetscInt rows = 0, columns = 0, row_block = 1, column_block = 1;
  PetscInt all_rows = 0, all_columns = 0;
  QUADRILLE_PETSC(MatGetLocalSize(owner, &rows, &columns));
  QUADRILLE_PETSC(MatGetSize(owner, &all_rows, &all_columns));
  QUADRILLE_PETSC(MatGetBlockSizes(owner, &row_block, &column_block));
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(owner));
  Handle<Mat> aij = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
  QUADRILLE_PETSC(MatSetSizes(aij.get(), rows, columns, all_rows, all_columns));
  QUADRILLE_PETSC(MatSetType(aij.get(), MATAIJ));
  QUADRILLE_PETSC(MatSetBlockSizes(aij.get(), row_block, column_block));
  QUADRILLE_PETSC(MatSetUp(aij.get()));
  return make_aij_store(std::move(aij));
}

std::unique_ptr<Store> make_aij_store(Handle<Mat> filled) {
  return std::make_unique<AijStore>(std::move(filled));
}

}  // namespace quadrille::petsc
