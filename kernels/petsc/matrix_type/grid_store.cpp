// The values of a matrix on a DMDA: the block diagonals of this rank's box, and beside them the couplings to ghosts.
#include <algorithm>

#include "kernels/petsc/indices.hpp"
#include "kernels/petsc/matrix_type/coordinates.hpp"
#include "kernels/petsc/matrix_type/entry_list.hpp"
#include "kernels/petsc/matrix_type/grid_blocks.hpp"
#include "kernels/petsc/matrix_type/matrix.hpp"
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
        values_(*structure_, distributed(owner_)),
        hub_(values_.hub()),
        ghost_(values_.ghost()),
        blocks_(*structure_, values_) {}

  std::unique_ptr<Store> duplicate(Mat owner, bool values) override {
    auto copy = std::make_unique<GridStore>(owner, structure_);
    copy->row_oriented_ = row_oriented_;
    copy->drop_off_process_ = drop_off_process_;
    copy->ignore_outside_ = ignore_outside_;
    copy->may_grow_ = may_grow_;
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
    require_inside(owner_, rows, row, columns, column);
    const PetscInt row_step = row_oriented_ ? columns : 1, column_step = row_oriented_ ? 1 : rows;
    for (PetscInt i = 0; i < rows; ++i) {
      if (row[i] < 0) continue;
      const std::int64_t local = std::int64_t{row[i]} - first;
      if (local < 0 || local >= own) {
        keep_for_others(row[i], columns, column,
                        values == nullptr ? nullptr : values + std::int64_t{i} * row_step, column_step, mode);
        continue;
      }
      const std::int64_t node = local / dof, r = local - node * dof;
      Block block;
      for (PetscInt j = 0; j < columns; ++j) {
        if (column[j] < 0) continue;
        const double value = values == nullptr ? 0 : values[std::int64_t{i} * row_step + j * column_step];
        if (block.node < 0 || column[j] < block.node * dof || column[j] >= (block.node + 1) * dof)
          block = blocks_.between(node, dof == 1 ? column[j] : column[j] / dof);
        if (block.values == nullptr) {
          refuse(row[i], column[j], value, mode);
          continue;
        }
        double& place = block.at(r, column[j] - block.node * dof);
        place = mode == ADD_VALUES ? place + value : value;
      }
    }
  }

  void prepare_coordinates(PetscCount count, PetscInt* rows, PetscInt* columns) override {
    changed();
    constexpr PetscCount chunk = 1 << 30;
    for (PetscCount i = 0; i < count; i += chunk) {
      const auto n = static_cast<PetscInt>(std::min(chunk, count - i));
      require_inside(owner_, n, rows + i, n, columns + i);
    }
    const PetscInt first = structure_->first_node * hub_->dof;
    for (PetscCount i = 0; i < count && promised_no_off_process(); ++i)
      if (rows[i] >= 0 && columns[i] >= 0 && (rows[i] < first || rows[i] >= first + hub_->rows()))
        refuse_off_process(rows[i]);
    coordinates_ = std::make_shared<CoordinateAssembly>(
        owner_, values_, Coordinates{count, rows, columns}, distributed(owner_) && !drop_off_process_,
        [this](PetscInt row, PetscInt column) { return blocks_.place_of(row, column); });
    zero();
  }

  void set_by_coordinates(const PetscScalar* values, InsertMode mode, bool on_gpu) override {
    if (!coordinates_) throw_no_coordinates();
    changed();
    coordinates_->set(
        values_, values, mode == ADD_VALUES, on_gpu,
        [this](PetscInt row, PetscInt column, double value) { refuse(row, column, value, ADD_VALUES); });
  }

  void belongs_to(Mat owner) override { owner_ = owner; }
  void assemble_begin(MatAssemblyType) override {}
  void assemble_end(MatAssemblyType type) override {
    changed();
    if (distributed(owner_) && !promised_no_off_process()) take_from_others();
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

  void shift(double value) override {
    changed();
    values_.bring_to_host();
    values_.changed_on_host();
    const std::int64_t own = structure_->diagonal_at[structure_->diagonal_at.size() / 2], dof = hub_->dof;
    for (std::int64_t c = 0; c < dof; ++c) {
      double* const column = hub_->values.data() + (own * dof + c) * hub_->rows();
      for (std::int64_t row = c; row < hub_->rows(); row += dof) column[row] += value;
    }
    if (aij_in_use()) aij();
  }

  void set_option(MatOption option, bool value) override {
    if (option == MAT_ROW_ORIENTED) row_oriented_ = value;
    if (option == MAT_IGNORE_OFF_PROC_ENTRIES) drop_off_process_ = value;
    if (option == MAT_NEW_NONZERO_LOCATIONS) ignore_outside_ = !value;
    if (option == MAT_NEW_NONZERO_LOCATION_ERR || option == MAT_NEW_NONZERO_ALLOCATION_ERR)
      may_grow_ = !value;
    if (option == MAT_NEW_NONZERO_LOCATION_ERR && value) ignore_outside_ = false;
  }

  Handle<Mat> outgrown() override {
    if (!may_grow_ || all_ranks(owner_, outside_.empty())) return nullptr;
    Mat copied = nullptr;
    QUADRILLE_PETSC(MatDuplicate(aij(), MAT_COPY_VALUES, &copied));
    Handle<Mat> copy(copied);
    QUADRILLE_PETSC(MatSetOption(copied, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    QUADRILLE_PETSC(MatSetOption(copied, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    const PetscInt first = structure_->first_node * hub_->dof, rows = static_cast<PetscInt>(hub_->rows());
    const RowList list = outside_.take_rows(first, first + rows);
    for (PetscInt i = 0; i < rows; ++i) {
      const PetscInt row = first + i, begin = list.begin[i];
      QUADRILLE_PETSC(MatSetValues(copied, 1, &row, list.begin[i + 1] - begin, list.column.data() + begin,
                                   list.value.data() + begin, INSERT_VALUES));
    }
    QUADRILLE_PETSC(MatAssemblyBegin(copied, MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(copied, MAT_FINAL_ASSEMBLY));
    return copy;
  }

  void row(PetscInt row, std::vector<PetscInt>& columns, std::vector<double>& values) override {
    require_own_row(owner_, row);
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
    if (in_change()) return aij_.get();
    if (!aij_) {
      make_aij();
    } else if (aij_version_ != version()) {
      require_copy_untouched();
      refresh_aij();
    }
    if (aij_version_ != version()) watch_.remember(aij_.get());
    aij_version_ = version();
    return aij_.get();
  }
  void require_copy_untouched() override {
    if (aij_) watch_.require_remembered(aij_.get());
  }

  void take_from_aij() override {
    changed();
    values_.bring_to_host();
    values_.changed_on_host();
    with_aij([](double& ours, PetscScalar& theirs) { ours = theirs; });
    watch_.remember(aij_.get());
    aij_version_ = version();
  }

  bool add(double factor, Store& from) override {
    auto* const other = dynamic_cast<GridStore*>(&from);
    if (other == nullptr || !structure_->same_as(*other->structure_)) return false;
    changed();
    other->values_.bring_to_host();
    values_.bring_to_host();
    values_.changed_on_host();
    for (std::int64_t i = 0; i < hub_->values.size(); ++i) hub_->values[i] += factor * other->hub_->values[i];
    if (ghost_)
      for (std::int64_t i = 0; i < ghost_->nnz(); ++i) ghost_->value[i] += factor * other->ghost_->value[i];
    return true;
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
  void refuse(PetscInt row, PetscInt column, double value, InsertMode mode) {
    if (value == 0 || ignore_outside_) return;
    if (may_grow_) return outside_.add(1, &row, 1, &column, &value, true, mode);
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
    keep_quiet(made.get());
    aij_ = std::move(made);
  }

  void refresh_aij() {
    values_.bring_to_host();
    with_aij([](double& ours, PetscScalar& theirs) { theirs = ours; });
    QUADRILLE_PETSC(MatAssemblyBegin(aij_.get(), MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(aij_.get(), MAT_FINAL_ASSEMBLY));
  }

  // body(value here, value of the copy) for every value. Both have the columns of a row in ascending order.
  template <class Body>
  void with_aij(const Body& body) {
    Mat own = aij_.get(), ghost = nullptr;
    PetscScalar *of_own = nullptr, *of_ghost = nullptr;
    if (ghost_) QUADRILLE_PETSC(MatMPIAIJGetSeqAIJ(aij_.get(), &own, &ghost, nullptr));
    QUADRILLE_PETSC(MatSeqAIJGetArray(own, &of_own));
    if (ghost != nullptr) QUADRILLE_PETSC(MatSeqAIJGetArray(ghost, &of_ghost));
    PetscScalar *in_own = of_own, *in_ghost = of_ghost;
    for (std::int64_t node = 0; node < hub_->nodes(); ++node) {
      blocks_.all_of(node, of_node_);
      for (std::int64_t r = 0; r < hub_->dof; ++r)
        for (const Block& block : of_node_) {
          PetscScalar*& next = block.values == hub_->values.data() ? in_own : in_ghost;
          for (std::int64_t c = 0; c < hub_->dof; ++c) body(block.at(r, c), *next++);
        }
    }
    QUADRILLE_PETSC(MatSeqAIJRestoreArray(own, &of_own));
    if (ghost != nullptr) QUADRILLE_PETSC(MatSeqAIJRestoreArray(ghost, &of_ghost));
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
  EntryList outside_;  // values of own rows that have no place, where the program allows new ones
  bool row_oriented_ = true, drop_off_process_ = false, ignore_outside_ = false, may_grow_ = false;
  Handle<Mat> aij_;
  std::int64_t aij_version_ = -1;
};

}  // namespace

std::unique_ptr<Store> make_grid_store(Mat owner, DM da) {
  return std::make_unique<GridStore>(owner, std::make_shared<const GridStructure>(structure_of(da)));
}

}  // namespace quadrille::petsc
