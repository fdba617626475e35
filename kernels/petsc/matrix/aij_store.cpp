// The values of a matrix of which no grid is known: PETSc's AIJ. What the format needs is found when it is
// assembled.
#include <algorithm>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/entry_list.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/store.hpp"

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

// Before the first assembly the values are in a list: the AIJ is made from it, once, with as much room as it
// needs.
class AijStore final : public Store {
 public:
  explicit AijStore(Mat owner) : owner_(owner) {}
  AijStore(Mat owner, Handle<Mat> aij) : owner_(owner), aij_(std::move(aij)) { keep_quiet(aij_.get()); }

  std::unique_ptr<Store> duplicate(Mat owner, bool values) override {
    auto copy = std::make_unique<AijStore>(owner, make<Mat>("MatDuplicate", [&](Mat* m) {
                                             return MatDuplicate(
                                                 aij(), values ? MAT_COPY_VALUES : MAT_DO_NOT_COPY_VALUES, m);
                                           }));
#if PETSC_VERSION_GE(3, 21, 0)
    copy->coordinates_ = coordinates_;  // AIJ's duplicate knows where they go
#endif
    return copy;
  }
  void belongs_to(Mat owner) override {
    owner_ = owner;
  }
  void set_values(const Indices& rows, const Indices& columns, const PetscScalar* values,
                  InsertMode mode) override {
    changed();
    if (aij_) {
      QUADRILLE_PETSC(
          MatSetValues(aij_.get(), rows.count, rows.index, columns.count, columns.index, values, mode));
      return;
    }
    require_inside(owner_, rows.count, rows.index, columns.count, columns.index);
    first_values_.add(rows.count, rows.index, columns.count, columns.index, values, row_oriented_, mode);
  }
  void prepare_coordinates(PetscCount count, PetscInt* rows, PetscInt* columns) override {
    changed();
    coordinates_ = count;
    QUADRILLE_PETSC(MatSetPreallocationCOO(aij(), count, rows, columns));
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
    if (aij_) QUADRILLE_PETSC(MatAssemblyBegin(aij_.get(), type));
  }
  void assemble_end(MatAssemblyType type) override {
    changed();
    if (aij_)
      QUADRILLE_PETSC(MatAssemblyEnd(aij_.get(), type));
    else if (type == MAT_FINAL_ASSEMBLY)
      aij();
    else
      take_from_others();
  }
  void zero() override {
    changed();
    if (aij_)
      QUADRILLE_PETSC(MatZeroEntries(aij_.get()));
    else
      first_values_.zero();
  }
  void scale(double factor) override {
    changed();
    QUADRILLE_PETSC(MatScale(aij(), factor));
  }
  void shift(double value) override {
    changed();
    QUADRILLE_PETSC(MatShift(aij(), value));
  }
  void set_diagonal(Vec diagonal, InsertMode mode) override {
    changed();
    QUADRILLE_PETSC(MatDiagonalSet(aij(), diagonal, mode));
  }
  void diagonal(Vec diagonal) override {
    QUADRILLE_PETSC(MatGetDiagonal(aij(), diagonal));
  }
  void scale_rows_and_columns(Vec left, Vec right) override {
    changed();
    QUADRILLE_PETSC(MatDiagonalScale(aij(), left, right));
  }
  bool add(double factor, Store& from, MatStructure structure) override {
    auto* const other = dynamic_cast<AijStore*>(&from);
    if (other == nullptr || !aij_) return false;
    changed();
    QUADRILLE_PETSC(MatAXPY(aij(), factor, other->aij(), structure));
    return true;
  }
  bool copy_from(Store& from, MatStructure structure) override {
    auto* const other = dynamic_cast<AijStore*>(&from);
    if (other == nullptr || !aij_) return false;
    changed();
    QUADRILLE_PETSC(MatCopy(other->aij(), aij(), structure));
    return true;
  }
  void set_option(MatOption option, bool value) override {
    if (option == MAT_ROW_ORIENTED) row_oriented_ = value;
    if (option == MAT_IGNORE_ZERO_ENTRIES) first_values_.ignore_zeros(value);
    if (option == MAT_IGNORE_OFF_PROC_ENTRIES) drop_off_process_ = value;
    if (aij_)
      QUADRILLE_PETSC(MatSetOption(aij_.get(), option, value ? PETSC_TRUE : PETSC_FALSE));
    else
      options_.emplace_back(option, value);
  }
  void row(PetscInt row, std::vector<PetscInt>& columns, std::vector<double>& values) override {
    require_own_row(owner_, row);
    if (!aij_) throw PetscError("this matrix was never assembled: call MatAssemblyBegin() and End() first");
    PetscInt count = 0;
    const PetscInt* column = nullptr;
    const PetscScalar* value = nullptr;
    QUADRILLE_PETSC(MatGetRow(aij_.get(), row, &count, &column, &value));
    columns.assign(column, column + count);
    values.assign(value, value + count);
    QUADRILLE_PETSC(MatRestoreRow(aij_.get(), row, &count, &column, &value));
  }
  Mat aij() override {
    if (!aij_) make_aij();
    return aij_.get();
  }
  void take_from_aij() override {
    changed();
  }

  void require_copy_untouched() override {
    if (parts_version_ == version()) watch_.require_remembered(aij_.get());
  }

  LocalParts parts(bool) override {
    watch_.remember(aij());
    parts_version_ = version();
    LocalParts parts;
    PetscBool distributed = PETSC_FALSE;
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(aij()), MATMPIAIJ, &distributed));
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
  void take_from_others() {
    if (!distributed(owner_)) return;
    PetscBool promised = PETSC_FALSE;
    QUADRILLE_PETSC(MatGetOption(owner_, MAT_NO_OFF_PROC_ENTRIES, &promised));
    if (!promised) first_values_.exchange_rows(owner_, drop_off_process_);
  }

  void make_aij() {
    PetscInt rows = 0, columns = 0, all_rows = 0, all_columns = 0, row_block = 1, column_block = 1;
    PetscInt first = 0, last = 0;
    QUADRILLE_PETSC(MatGetLocalSize(owner_, &rows, &columns));
    QUADRILLE_PETSC(MatGetSize(owner_, &all_rows, &all_columns));
    QUADRILLE_PETSC(MatGetBlockSizes(owner_, &row_block, &column_block));
    QUADRILLE_PETSC(MatGetOwnershipRange(owner_, &first, &last));
    take_from_others();
    const RowList list = first_values_.take_rows(first, last);
    const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(owner_));
    Handle<Mat> made = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
    QUADRILLE_PETSC(MatSetSizes(made.get(), rows, columns, all_rows, all_columns));
    QUADRILLE_PETSC(MatSetType(made.get(), MATAIJ));
    QUADRILLE_PETSC(MatSetBlockSizes(made.get(), row_block, column_block));
    const PetscInt* const begin = list.begin.data();
    QUADRILLE_PETSC(MatSeqAIJSetPreallocationCSR(made.get(), begin, list.column.data(), list.value.data()));
    QUADRILLE_PETSC(MatMPIAIJSetPreallocationCSR(made.get(), begin, list.column.data(), list.value.data()));
    // What comes later may need new places.
    QUADRILLE_PETSC(MatSetOption(made.get(), MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    QUADRILLE_PETSC(MatSetOption(made.get(), MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (const auto& [option, value] : options_)
      QUADRILLE_PETSC(MatSetOption(made.get(), option, value ? PETSC_TRUE : PETSC_FALSE));
    keep_quiet(made.get());
    aij_ = std::move(made);
  }

  Mat owner_;  // not owned: it owns this
  Handle<Mat> aij_;
  EntryList first_values_;                           // until there is an AIJ
  std::vector<std::pair<MatOption, bool>> options_;  // likewise
  bool row_oriented_ = true, drop_off_process_ = false;
  PetscCount coordinates_ = -1;      // unknown
  std::int64_t parts_version_ = -1;  // of what parts() copied last
};

}  // namespace

void Store::modify(const std::function<void(Mat)>& change) {
  const Mat copy = aij();
  in_change_ = true;
  try {
    change(copy);
  } catch (...) {
    in_change_ = false;
    throw;
  }
  in_change_ = false;
  take_from_aij();
}

void keep_quiet(Mat copy) {
  static const PetscOptions none = [] {
    PetscOptions made = nullptr;
    QUADRILLE_PETSC(PetscOptionsCreate(&made));
    return made;
  }();
  QUADRILLE_PETSC(PetscObjectSetOptions(reinterpret_cast<PetscObject>(copy), none));
}

std::unique_ptr<Store> Store::of_unknowns(Mat, const UnknownsOfBlocks&) {
  throw FormatError("a matrix without a grid has no unknowns of nodes");
}

void Store::take_unknowns(Store&) {
  throw PetscError("this matrix is none that MatCreateSubMatrix() made of some unknowns of every node");
}

void Store::refill(const BlockStructure&, const std::function<void(double*)>&) {
  throw FormatError("a matrix without a grid has no block diagonals to fill");
}

void throw_no_coordinates() {
  throw PetscError(
      "this matrix has no coordinates, or left its grid since: call MatSetPreallocationCOO() first");
}

void require_inside(Mat owner, PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column) {
  PetscInt all_rows = 0, all_columns = 0;
  QUADRILLE_PETSC(MatGetSize(owner, &all_rows, &all_columns));
  const auto require = [](PetscInt count, const PetscInt* indices, PetscInt size, const char* what) {
    for (PetscInt i = 0; i < count; ++i)
      if (indices[i] >= size)
        throw FormatError(std::string(what) + " " + std::to_string(indices[i]) +
                          " is beyond the matrix, whose last one is " + std::to_string(size - 1));
  };
  require(rows, row, all_rows, "row");
  require(columns, column, all_columns, "column");
}

void require_own_row(Mat owner, PetscInt row) {
  PetscInt first = 0, last = 0;
  QUADRILLE_PETSC(MatGetOwnershipRange(owner, &first, &last));
  if (row < first || row >= last)
    throw FormatError("row " + std::to_string(row) +
                      " belongs to another rank or to none: this one has rows " + std::to_string(first) +
                      " to " + std::to_string(last - 1));
}

std::unique_ptr<Store> make_aij_store(Mat owner) {
  return std::make_unique<AijStore>(owner);
}

std::unique_ptr<Store> make_aij_store(Mat owner, Handle<Mat> filled) {
  return std::make_unique<AijStore>(owner, std::move(filled));
}

}  // namespace quadrille::petsc
