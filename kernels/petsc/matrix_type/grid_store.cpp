// The values of a matrix on a DMDA: the block diagonals of this rank's box, and beside them the couplings to ghosts.
#include <algorithm>

#include "kernels/petsc/indices.hpp"
#include "kernels/petsc/matrix_type/coordinates.hpp"
#include "kernels/petsc/matrix_type/grid_blocks.hpp"
#include "kernels/petsc/matrix_type/off_process.hpp"
#include "kernels/petsc/matrix_type/store.hpp"
#include "kernels/petsc/matrix_type/structure.hpp"
#include "kernels/petsc/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

class GridStore final : public Store {
 public:
  GridStore(Mat owner, std::shared_ptr<const GridStructure> structure)
      : owner_(owner),
        structure_(std::move(structure)),
        values_(*structure_, ranks() > 1),
        hub_(values_.hub()),
        ghost_(values_.ghost()),
        blocks_(*structure_, values_) {}

  std::unique_ptr<Store> duplicate(Mat owner, bool values) override {
    auto copy = std::make_unique<GridStore>(owner, structure_);
    copy->row_oriented_ = row_oriented_;
    copy->drop_off_process_ = drop_off_process_;
    copy->ignore_outside_ = ignore_outside_;
    copy->coordinates_ = coordinates_;
    if (values) copy->values_.copy_from(values_);
    return copy;
  }

  void set_values(PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column,
                  const PetscScalar* values, InsertMode mode) override {
    changed();
    values_.bring_to_host();
    values_.changed_on_host();
    const PetscInt dof = hub_->dof, first = structure_->first_node * dof;
    const std::int64_t own = hub_->rows();
    require_inside(rows, row, "row");
    require_inside(columns, column, "column");
    const PetscInt row_step = row_oriented_ ? columns : 1, column_step = row_oriented_ ? 1 : rows;
    for (PetscInt i = 0; i < rows; ++i) {
      if (row[i] < 0) continue;
      const std::int64_t local = std::int64_t{row[i]} - first;
      if (local < 0 || local >= own) {
        keep_for_others(row[i], columns, column, values + std::int64_t{i} * row_step, column_step, mode);
        continue;
      }
      const std::int64_t node = local / dof, r = local - node * dof;
      Block block;
      for (PetscInt j = 0; j < columns; ++j) {
        if (column[j] < 0) continue;
        const double value = values == nullptr ? 0 : values[std::int64_t{i} * row_step + j * column_step];
        const PetscInt to = column[j] / dof;
        if (to != block.node) block = blocks_.between(node, to);
        if (block.values == nullptr) {
          refuse(row[i], column[j], value);
          continue;
        }
        double& place = block.at(r, column[j] - to * dof);
        place = mode == ADD_VALUES ? place + value : value;
      }
    }
  }

  void prepare_coordinates(PetscCount count, PetscInt* rows, PetscInt* columns) override {
    changed();
    require_inside(count, rows, "row");
    require_inside(count, columns, "column");
    const PetscInt first = structure_->first_node * hub_->dof;
    for (PetscCount i = 0; i < count && promised_no_off_process(); ++i)
      if (rows[i] >= 0 && columns[i] >= 0 && (rows[i] < first || rows[i] >= first + hub_->rows()))
        refuse_off_process(rows[i]);
    coordinates_ = std::make_shared<CoordinateAssembly>(
        owner_, values_, Coordinates{count, rows, columns}, ranks() > 1 && !drop_off_process_,
        [this](PetscInt row, PetscInt column) { return blocks_.place_of(row, column); });
    zero();
  }

  void set_by_coordinates(const PetscScalar* values, InsertMode mode, bool on_gpu) override {
    if (!coordinates_) throw_no_coordinates();
    changed();
    coordinates_->set(values_, values, mode == ADD_VALUES, on_gpu,
                      [this](PetscInt row, PetscInt column, double value) { refuse(row, column, value); });
  }

  void belongs_to(Mat owner) override { owner_ = owner; }
  void assemble_begin(MatAssemblyType) override {}
  void assemble_end(MatAssemblyType type) override {
    changed();
    if (ranks() > 1 && !promised_no_off_process()) take_from_others();
    if (type == MAT_FINAL_ASSEMBLY && aij_in_use()) aij();
  }

  void take_from_others() {
    InsertMode mode = off_process_mode_;
    const bool by_rows = std::exchange(row_oriented_, true);
    for (const Entry& e : exchange(owner_, std::exchange(off_process_, {}), mode))
      set_values(1, &e.row, 1, &e.column, &e.value, mode);
    row_oriented_ = by_rows;
  }

  void zero() override {
    changed();
    values_.zero();
    if (aij_in_use()) aij();
  }

  void scale(double factor) override {
    changed();
    values_.bring_to_host();
    values_.changed_on_host();
    for (std::int64_t i = 0; i < hub_->values.size(); ++i) hub_->values[i] *= factor;
    if (ghost_)
      for (std::int64_t i = 0; i < ghost_->nnz(); ++i) ghost_->value[i] *= factor;
    if (aij_in_use()) aij();
  }

  void set_option(MatOption option, bool value) override {
    if (option == MAT_ROW_ORIENTED) row_oriented_ = value;
    if (option == MAT_IGNORE_OFF_PROC_ENTRIES) drop_off_process_ = value;
    if (option == MAT_NEW_NONZERO_LOCATIONS) ignore_outside_ = !value;
    if (option == MAT_NEW_NONZERO_LOCATION_ERR && value) ignore_outside_ = false;
  }

  void row(PetscInt row, std::vector<PetscInt>& columns, std::vector<double>& values) override {
    values_.bring_to_host();
    const PetscInt dof = hub_->dof, local = row - structure_->first_node * dof;
    blocks_.all_of(local / dof, of_node_);
    columns.clear();
    values.clear();
    for (const Block& block : of_node_)
      for (PetscInt c = 0; c < dof; ++c) {
        columns.push_back(block.node * dof + c);
        values.push_back(block.at(local % dof, c));
      }
  }

  Mat aij() override {
    if (!aij_)
      make_aij();
    else if (aij_version_ != version())
      refresh_aij();
    aij_version_ = version();
    return aij_.get();
  }

  void modify(const std::function<void(Mat)>& change) override {
    change(aij());
    changed();
    const PetscInt first = structure_->first_node * hub_->dof;
    for (PetscInt i = first; i < first + hub_->rows(); ++i) {
      PetscInt count = 0;
      const PetscInt* column = nullptr;
      const PetscScalar* value = nullptr;
      QUADRILLE_PETSC(MatGetRow(aij_.get(), i, &count, &column, &value));
      const bool by_rows = std::exchange(row_oriented_, true);
      set_values(1, &i, count, column, value, INSERT_VALUES);
      row_oriented_ = by_rows;
      QUADRILLE_PETSC(MatRestoreRow(aij_.get(), i, &count, &column, &value));
    }
    aij_version_ = version();
  }

  LocalParts parts(bool on_gpu) override {
    LocalParts parts;
    if (on_gpu)
      values_.bring_to_gpu();
    else
      values_.bring_to_host();
    parts.hub = hub_;
    parts.ghost = ghost_;
    if (on_gpu) {
      parts.device_hub = values_.gpu_hub();
      parts.device_ghost = values_.gpu_ghost();
    }
    const PetscInt dof = hub_->dof;
    for (const PetscInt node : structure_->boundary)
      for (PetscInt r = 0; r < dof; ++r) parts.boundary_rows.push_back(node * dof + r);
    for (const PetscInt node : structure_->ghosts)
      for (PetscInt c = 0; c < dof; ++c) parts.ghost_columns.push_back(node * dof + c);
    return parts;
  }
  bool parts_in_place() const override { return true; }

 private:
  int ranks() const {
    int size = 1;
    MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(owner_)), &size);
    return size;
  }

  bool promised_no_off_process() const {
    PetscBool promised = PETSC_FALSE;
    QUADRILLE_PETSC(MatGetOption(owner_, MAT_NO_OFF_PROC_ENTRIES, &promised));
    return promised;
  }

  // Whether somebody keeps the AIJ copy and will read it without asking here.
  bool aij_in_use() const {
    PetscInt references = 0;
    if (aij_)
      QUADRILLE_PETSC(PetscObjectGetReference(reinterpret_cast<PetscObject>(aij_.get()), &references));
    return references > 1;
  }

  void require_inside(std::int64_t count, const PetscInt* indices, const char* what) const {
    PetscInt size = 0;
    QUADRILLE_PETSC(MatGetSize(owner_, &size, nullptr));
    for (std::int64_t i = 0; i < count; ++i)
      if (indices[i] >= size)
        throw FormatError(std::string(what) + " " + std::to_string(indices[i]) +
                          " is beyond the matrix, whose last one is " + std::to_string(size - 1));
  }

  [[noreturn]] static void refuse_off_process(PetscInt row) {
    throw PetscError("row " + std::to_string(row) +
                     " belongs to another rank, and MAT_NO_OFF_PROC_ENTRIES promised that there are none");
  }

  void keep_for_others(PetscInt row, PetscInt columns, const PetscInt* column, const PetscScalar* values,
                       PetscInt step, InsertMode mode) {
    if (promised_no_off_process()) refuse_off_process(row);
    if (drop_off_process_) return;
    off_process_mode_ = mode;
    for (PetscInt j = 0; j < columns; ++j)
      if (column[j] >= 0) off_process_.push_back({row, column[j], values == nullptr ? 0 : values[j * step]});
  }

  // A value that has no place: zeros need none.
  void refuse(PetscInt row, PetscInt column, double value) const {
    if (value == 0 || ignore_outside_) return;
    const PetscInt dof = hub_->dof;
    throw FormatError("the value " + std::to_string(value) + " at row " + std::to_string(row) + " (node " +
                      std::to_string(row / dof) + "), column " + std::to_string(column) + " (node " +
                      std::to_string(column / dof) + ") lies outside " + structure_->stencil +
                      " of the DMDA: widen its stencil, or choose another matrix type");
  }

  void make_aij() {
    const PetscInt rows = static_cast<PetscInt>(hub_->rows()), first = structure_->first_node * hub_->dof;
    std::vector<PetscInt> begin{0}, columns, of_row;
    std::vector<double> values, row_values;
    for (PetscInt i = 0; i < rows; ++i) {
      row(first + i, of_row, row_values);
      columns.insert(columns.end(), of_row.begin(), of_row.end());
      values.insert(values.end(), row_values.begin(), row_values.end());
      begin.push_back(to_petsc_int(static_cast<std::int64_t>(columns.size()), "the entries of AIJ"));
    }
    const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(owner_));
    Handle<Mat> made = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
    QUADRILLE_PETSC(MatSetSizes(made.get(), rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
    QUADRILLE_PETSC(MatSetType(made.get(), MATAIJ));
    QUADRILLE_PETSC(MatSetBlockSize(made.get(), hub_->dof));
    QUADRILLE_PETSC(MatSeqAIJSetPreallocationCSR(made.get(), begin.data(), columns.data(), values.data()));
    QUADRILLE_PETSC(MatMPIAIJSetPreallocationCSR(made.get(), begin.data(), columns.data(), values.data()));
    // Zeroed rows keep their places, which are the stencil's.
    QUADRILLE_PETSC(MatSetOption(made.get(), MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
    QUADRILLE_PETSC(MatSetOption(made.get(), MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
    ISLocalToGlobalMapping rows_map = nullptr, columns_map = nullptr;
    QUADRILLE_PETSC(MatGetLocalToGlobalMapping(owner_, &rows_map, &columns_map));
    if (rows_map != nullptr && columns_map != nullptr)
      QUADRILLE_PETSC(MatSetLocalToGlobalMapping(made.get(), rows_map, columns_map));
    aij_ = std::move(made);
  }

  void refresh_aij() {
    const PetscInt first = structure_->first_node * hub_->dof;
    std::vector<PetscInt> columns;
    std::vector<double> values;
    for (PetscInt i = first; i < first + hub_->rows(); ++i) {
      row(i, columns, values);
      QUADRILLE_PETSC(MatSetValues(aij_.get(), 1, &i, static_cast<PetscInt>(columns.size()), columns.data(),
                                   values.data(), INSERT_VALUES));
    }
    QUADRILLE_PETSC(MatAssemblyBegin(aij_.get(), MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(aij_.get(), MAT_FINAL_ASSEMBLY));
  }

  Mat owner_;  // not owned: it owns this
  std::shared_ptr<const GridStructure> structure_;
  GridValues values_;
  const std::shared_ptr<BlockDiagonals<double>> hub_;  // values_'s, in host memory
  const std::shared_ptr<Csr<double>> ghost_;           // null on one rank
  std::shared_ptr<CoordinateAssembly>
      coordinates_;  // shared with duplicates; null before MatSetPreallocationCOO()
  GridBlocks blocks_;
  std::vector<Block> of_node_;  // of the last row asked for
  std::vector<Entry> off_process_;
  InsertMode off_process_mode_ = ADD_VALUES;
  bool row_oriented_ = true, drop_off_process_ = false, ignore_outside_ = false;
  Handle<Mat> aij_;
  std::int64_t aij_version_ = -1;
};

}  // namespace

std::unique_ptr<Store> make_grid_store(Mat owner, DM da) {
  return std::make_unique<GridStore>(owner, std::make_shared<const GridStructure>(structure_of(da)));
}

}  // namespace quadrille::petsc
