// The values of a matrix on a DMDA: the block diagonals of this rank's box, and beside them the couplings to ghosts.
#include <algorithm>

#include "kernels/petsc/matrix_type/off_process.hpp"
#include "kernels/petsc/matrix_type/store.hpp"
#include "kernels/petsc/matrix_type/structure.hpp"
#include "kernels/petsc/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

// A coupling of two nodes: value (r, c) of its block stands at first[r * row_step + c * column_step].
struct Block {
  PetscInt node = -1;  // global number of the column's node
  double* first = nullptr;
  std::int64_t row_step = 0, column_step = 0;
  double& at(std::int64_t r, std::int64_t c) const { return first[r * row_step + c * column_step]; }
};

class GridStore final : public Store {
 public:
  GridStore(Mat owner, std::shared_ptr<const GridStructure> structure)
      : owner_(owner), structure_(std::move(structure)) {
    const GridStructure& s = *structure_;
    const std::int64_t dof = s.owned.dof;
    static_cast<BlockStructure&>(*hub_) = s.owned;
    hub_->values =
        Array<double>(value_bytes(s.owned, sizeof(double)) / static_cast<std::int64_t>(sizeof(double)), 0.0);
    if (ranks() > 1) make_ghost_part(dof);
  }

  std::unique_ptr<Store> duplicate(Mat owner, bool values) const override {
    auto copy = std::make_unique<GridStore>(owner, structure_);
    copy->row_oriented_ = row_oriented_;
    copy->drop_off_process_ = drop_off_process_;
    copy->ignore_outside_ = ignore_outside_;
    if (!values) return copy;
    std::copy(hub_->values.begin(), hub_->values.end(), copy->hub_->values.data());
    if (ghost_) std::copy(ghost_->value.begin(), ghost_->value.end(), copy->ghost_->value.data());
    return copy;
  }

  void set_values(PetscInt rows, const PetscInt* row, PetscInt columns, const PetscInt* column,
                  const PetscScalar* values, InsertMode mode) override {
    changed();
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
        if (to != block.node) block = block_of(node, to);
        if (block.first == nullptr) {
          refuse(row[i], column[j], value);
          continue;
        }
        double& place = block.at(r, column[j] - to * dof);
        place = mode == ADD_VALUES ? place + value : value;
      }
    }
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
    std::fill(hub_->values.data(), hub_->values.data() + hub_->values.size(), 0.0);
    if (ghost_) std::fill(ghost_->value.data(), ghost_->value.data() + ghost_->value.size(), 0.0);
    if (aij_in_use()) aij();
  }

  void scale(double factor) override {
    changed();
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
    const PetscInt dof = hub_->dof, local = row - structure_->first_node * dof;
    find_blocks(local / dof);
    columns.clear();
    values.clear();
    for (const Block& block : blocks_)
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

  LocalParts parts() override {
    LocalParts parts;
    parts.hub = hub_;
    parts.ghost = ghost_;
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

  void make_ghost_part(std::int64_t dof) {
    const GridStructure& s = *structure_;
    const std::int64_t rows = static_cast<std::int64_t>(s.boundary.size()) * dof,
                       entries = static_cast<std::int64_t>(s.ghost.size()) * dof * dof;
    ghost_ = std::make_shared<Csr<double>>(
        Csr<double>{rows, static_cast<std::int64_t>(s.ghosts.size()) * dof, Array<std::int32_t>(rows + 1),
                    Array<std::int32_t>(entries), Array<double>(entries, 0.0)});
    std::int32_t place = ghost_->row_ptr[0] = 0;
    for (std::size_t node = 0; node < s.boundary.size(); ++node)
      for (std::int64_t r = 0; r < dof; ++r) {
        for (PetscInt k = s.begin[node]; k < s.begin[node + 1]; ++k)
          for (std::int64_t c = 0; c < dof; ++c)
            ghost_->column[place++] = static_cast<std::int32_t>(s.ghost[k] * dof + c);
        ghost_->row_ptr[static_cast<std::int64_t>(node) * dof + r + 1] = place;
      }
  }

  // Where the coupling of own node `node`, from 0, to a node's global number stands; nowhere outside the stencil.
  Block block_of(std::int64_t node, PetscInt to) {
    const std::int64_t dof = hub_->dof, own = std::int64_t{to} - structure_->first_node;
    if (own >= 0 && own < hub_->nodes()) {
      const std::int64_t d = structure_->diagonal(node, own);
      if (d < 0) return {to};
      return {to, hub_->values.data() + d * dof * hub_->rows() + node * dof, 1, hub_->rows()};
    }
    const std::int64_t k = ghost_ ? structure_->ghost_place(node, to) : -1;
    return k < 0 ? Block{to} : ghost_block(node, to, k);
  }

  Block ghost_block(std::int64_t node, PetscInt to, std::int64_t k) {
    const std::int64_t dof = hub_->dof, at = structure_->boundary_of[node];
    const std::int64_t begin = structure_->begin[at], count = structure_->begin[at + 1] - begin;
    return {to, ghost_->value.data() + begin * dof * dof + (k - begin) * dof, count * dof, 1};
  }

  // All blocks of own node `node`, by ascending column, into blocks_.
  void find_blocks(std::int64_t node) {
    const std::int64_t dof = hub_->dof, nx = hub_->extents[0], line = node / nx;
    blocks_.clear();
    for (std::int64_t d = 0; d < hub_->diagonals(); ++d) {
      const std::int64_t to =
          hub_->neighbour(node % nx, line % hub_->extents[1], line / hub_->extents[1], hub_->offsets[d]);
      if (to >= 0)
        blocks_.push_back({static_cast<PetscInt>(structure_->first_node + to),
                           hub_->values.data() + d * dof * hub_->rows() + node * dof, 1, hub_->rows()});
    }
    const std::int32_t at = ghost_ ? structure_->boundary_of[node] : -1;
    if (at >= 0)
      for (PetscInt k = structure_->begin[at]; k < structure_->begin[at + 1]; ++k)
        blocks_.push_back(ghost_block(node, structure_->ghosts[structure_->ghost[k]], k));
    std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) { return a.node < b.node; });
  }

  void require_inside(PetscInt count, const PetscInt* indices, const char* what) const {
    PetscInt size = 0;
    QUADRILLE_PETSC(MatGetSize(owner_, &size, nullptr));
    for (PetscInt i = 0; i < count; ++i)
      if (indices[i] >= size)
        throw FormatError(std::string(what) + " " + std::to_string(indices[i]) +
                          " is beyond the matrix, whose last one is " + std::to_string(size - 1));
  }

  void keep_for_others(PetscInt row, PetscInt columns, const PetscInt* column, const PetscScalar* values,
                       PetscInt step, InsertMode mode) {
    if (promised_no_off_process())
      throw PetscError("row " + std::to_string(row) +
                       " belongs to another rank, and MAT_NO_OFF_PROC_ENTRIES promised that there are none");
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
      begin.push_back(to_index32(static_cast<std::int64_t>(columns.size()), "the entries of AIJ"));
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
  std::shared_ptr<BlockDiagonals<double>> hub_ = std::make_shared<BlockDiagonals<double>>();
  std::shared_ptr<Csr<double>> ghost_;  // null on one rank
  std::vector<Block> blocks_;           // of the last row asked for
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
