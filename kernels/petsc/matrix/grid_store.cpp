// The values of a matrix on a grid: the block diagonals of this rank's box, and beside them the couplings to
// ghosts.
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/gathering.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/coordinates.hpp"
#include "kernels/petsc/matrix/entry_list.hpp"
#include "kernels/petsc/matrix/grid_blocks.hpp"
#include "kernels/petsc/matrix/grid_changes.hpp"
#include "kernels/petsc/matrix/grid_copy.hpp"
#include "kernels/petsc/matrix/grid_rows.hpp"
#include "kernels/petsc/matrix/grid_unknowns.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/off_process.hpp"
#include "kernels/petsc/matrix/row_patterns.hpp"
#include "kernels/petsc/matrix/store.hpp"
#include "kernels/petsc/matrix/structure.hpp"
#include "kernels/value_changes.hpp"

namespace quadrille::petsc {
namespace {

PetscInt nodes_of(Mat matrix, PetscInt dof) {
  PetscInt rows = 0;
  QUADRILLE_PETSC(MatGetSize(matrix, &rows, nullptr));
  return rows / dof;
}

class GridStore final : public Store {
 public:
  GridStore(Mat owner, std::shared_ptr<const GridStructure> structure, GridValues values)
      : owner_(owner),
        structure_(std::move(structure)),
        values_(std::move(values)),
        hub_(values_.hub()),
        ghost_(values_.ghost()),
        blocks_(*structure_, values_),
        nodes_(hub_->nodes()),
        all_nodes_(nodes_of(owner_, hub_->dof)),
        copy_(values_, blocks_),
        patterns_(*structure_, hub_->values.data()) {}

  PetscInt dof() const override { return hub_->dof; }
  std::unique_ptr<Store> duplicate(Mat owner, bool values) override {
    auto copy = std::make_unique<GridStore>(owner, structure_, GridValues(*structure_, ghost_ != nullptr));
    copy->row_oriented_ = row_oriented_;
    copy->drop_off_process_ = drop_off_process_;
    copy->ignore_outside_ = ignore_outside_;
    copy->may_grow_ = may_grow_;
    copy->coordinates_ = coordinates_;
    if (values) copy->values_.copy_from(values_);
    return copy;
  }

  std::unique_ptr<Store> of_unknowns(Mat owner, const UnknownsOfBlocks& unknowns) override {
    const auto structure = std::make_shared<const GridStructure>(with_unknowns(*structure_, unknowns));
    constexpr auto size = static_cast<std::int64_t>(sizeof(double));
    const std::int64_t count = value_bytes(structure->owned, size) / size;  // all of which are taken
    const bool ghosts = ghost_ != nullptr;
    auto some = std::make_unique<GridStore>(owner, structure,
                                            values_.on_gpu()
                                                ? GridValues(*structure, ghosts, Array<double, Device>(count))
                                                : GridValues(*structure, ghosts, Array<double>(count)));
    some->taken_.emplace(unknowns, values_, some->values_);
    some->taken_from_ = structure_;
    some->take_unknowns(*this);
    return some;
  }
  UnknownsOfBlocks taken_unknowns() const override {
    return taken_ ? taken_->unknowns() : UnknownsOfBlocks{};
  }
  void take_unknowns(Store& all) override {
    auto* const from = dynamic_cast<GridStore*>(&all);
    if (!taken_ || from == nullptr || !taken_from_->same_as(*from->structure_))
      throw PetscError("MatCreateSubMatrix: the matrix to be used again is not one of these unknowns");
    taken_->take(from->values_, values_);
    changed_in_place();
  }

  void set_values(const Indices& rows, const Indices& columns, const PetscScalar* values,
                  InsertMode mode) override {
    changed();
    values_.bring_to_host();
    values_.changed_on_host();
    const PetscInt dof = hub_->dof;
    const GivenValues given =
        given_values(values, rows.nodes ? rows.count * dof : rows.count,
                     columns.nodes ? columns.count * dof : columns.count, row_oriented_, mode);
    if (!blocks_.leaves_out() && patterns_.put(rows, columns, given, all_nodes_)) return;
    if (dof == 1 && !blocks_.leaves_out()) return set_single(rows, columns, given);
    row_runs_.find(rows, dof, all_nodes_, "row");
    column_runs_.find(columns, dof, all_nodes_, "column");
    for (const IndexRun& row : row_runs_) {
      const std::int64_t local = std::int64_t{row.node} - structure_->first_node;
      if (local < 0 || local >= nodes_) {
        keep_for_others(row, given);
        continue;
      }
      const OwnNode node = structure_->own_node(local);
      for (const IndexRun& column : column_runs_) {
        const Block block = blocks_.between(node, column.node);
        if (block.values == nullptr)
          refuse(row, column, given);
        else if (block.fill == nullptr)
          put(block, row, column, given);
        else
          put_coupled(block, row, column, given);
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
    if (type == MAT_FINAL_ASSEMBLY && copy_.in_use()) aij();
  }

  void take_from_others() {
    InsertMode mode = off_process_mode_;
    const bool by_rows = std::exchange(row_oriented_, true);
    for (const Entry& e : exchange(owner_, std::exchange(off_process_, {}), mode))
      set_values({1, &e.row}, {1, &e.column}, &e.value, mode);
    row_oriented_ = by_rows;
  }

  void refill(const BlockStructure& whole, const FillRows& fill) override {
    bool kept = true;
    const auto checked_fill = [&](double* values) {
      fill(values);
      kept = keeps_fill(whole, values, hub_->rows());
    };
    petsc::refill(*structure_, whole, checked_fill, values_);
    if (whole.fill.said() && !all_ranks(owner_, kept)) throw_outside_fill();
    changed_in_place();
  }
  bool refill_on_gpu(const BlockStructure& whole, const FillRows& fill) override {
    if (!refills_on_gpu_) {
      std::optional<LeavingCouplings> leaving = leaving_couplings(*structure_, whole, values_);
      refills_on_gpu_ = all_ranks(owner_, leaving.has_value());
      if (*refills_on_gpu_ && ghost_)
        leaving_ = {copy_to<Device>(leaving->from), copy_to<Device>(leaving->to)};
    }
    if (!*refills_on_gpu_) return false;
    values_.bring_to_gpu();  // what does not couple stays as it is
    {
      const DefaultQueue order(true);
      fill(values_.gpu_hub()->values.data());
      if (ghost_)
        cuda::move(leaving_.first, leaving_.second, values_.gpu_hub()->values, values_.gpu_ghost()->value);
    }
    values_.changed_on_gpu();
    changed_in_place();
    return true;
  }
  bool set_few_rows(std::shared_ptr<const FewRows> rows, bool on_gpu) override {
    if (distributed(owner_) || !(static_cast<const BlockStructure&>(*hub_) == rows->a)) return false;
    values_.set(std::move(rows), on_gpu);
    changed_in_place();
    return true;
  }
  std::shared_ptr<const FewRows> few_rows() const override { return values_.few_rows(); }
  std::vector<std::int32_t> places_of_aij() override {
    std::vector<std::int32_t> places;
    for (std::int64_t node = 0; node < nodes_; ++node) {
      blocks_.all_of(node, of_node_);
      for (std::int64_t r = 0; r < hub_->dof; ++r)
        for (const Block& block : of_node_)
          for (std::int64_t c = 0; c < hub_->dof; ++c)
            if (block.couples(r, c)) places.push_back(static_cast<std::int32_t>(block.place(r, c)));
    }
    return places;
  }
  void zero() override {
    values_.zero();
    changed_in_place();
  }
  void scale(double factor) override {
    petsc::scale(values_, factor);
    changed_in_place();
  }
  void shift(double value) override {
    petsc::shift(values_, value);
    changed_in_place();
  }
  void set_diagonal(Vec diagonal, InsertMode mode) override {
    petsc::set_diagonal(values_, diagonal, mode);
    changed_in_place();
  }
  void diagonal(Vec diagonal) override { get_diagonal(values_, diagonal); }
  void scale_rows_and_columns(Vec left, Vec right) override {
    Vec of_ghosts = nullptr;
    if (right != nullptr && ghost_) {
      if (!of_ghosts_) of_ghosts_ = std::make_unique<Gathering>(right, structure_->ghosts, hub_->dof);
      of_ghosts = of_ghosts_->local(right, values_.on_gpu());
      of_ghosts_->begin(right);
      of_ghosts_->end(right);
    }
    petsc::scale_rows_and_columns(values_, left, right, of_ghosts);
    changed_in_place();
  }
  bool add(double factor, Store& from, MatStructure) override {
    GridStore* const other = alike(from);
    if (other == nullptr) return false;
    petsc::add(values_, factor, other->values_);
    changed_in_place();
    return true;
  }
  bool copy_from(Store& from, MatStructure) override {
    GridStore* const other = alike(from);
    if (other == nullptr) return false;
    values_.copy_from(other->values_);
    changed_in_place();
    return true;
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
        if (!block.couples(local % dof, c)) continue;
        columns.push_back(block.node * dof + c);
        values.push_back(block.at(local % dof, c));
      }
  }

  Mat aij() override {
    if (in_change()) return copy_.get();
    if (copy_.get() == nullptr) {
      copy_.make(owner_);
    } else if (copy_version_ != version()) {
      require_copy_untouched();
      copy_.refresh();
    }
    if (copy_version_ != version()) watch_.remember(copy_.get());
    copy_version_ = version();
    return copy_.get();
  }
  void require_copy_untouched() override {
    if (copy_.get() != nullptr) watch_.require_remembered(copy_.get());
  }

  void take_from_aij() override {
    changed();
    copy_.take();
    watch_.remember(copy_.get());
    copy_version_ = version();
  }

  void bring_parts(bool on_gpu) override {
    if (on_gpu)
      values_.bring_to_gpu();
    else
      values_.bring_to_host();
  }
  LocalParts parts_or_few_rows(bool on_gpu) override {
    if (!values_.few_rows()) return parts(on_gpu);
    LocalParts parts;
    parts.hub = hub_;
    parts.few_rows = values_.few_rows();
    parts.partition = &structure_->partition;
    return parts;
  }
  LocalParts parts(bool on_gpu) override {
    LocalParts parts;
    bring_parts(on_gpu);
    parts.hub = hub_;
    parts.ghost = ghost_;
    parts.partition = &structure_->partition;
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
  bool on_gpu() const override { return values_.on_gpu(); }

 private:
  // After a change that needs no assembly.
  void changed_in_place() {
    changed();
    if (copy_.in_use()) aij();
  }

  // Where its values stand in the same places.
  GridStore* alike(Store& other) const {
    auto* const store = dynamic_cast<GridStore*>(&other);
    return store != nullptr && structure_->same_as(*store->structure_) ? store : nullptr;
  }

  bool promised_no_off_process() const {
    PetscBool promised = PETSC_FALSE;
    QUADRILLE_PETSC(MatGetOption(owner_, MAT_NO_OFF_PROC_ENTRIES, &promised));
    return promised;
  }

  [[noreturn]] static void refuse_off_process(PetscInt row) {
    throw PetscError("row " + std::to_string(row) +
                     " belongs to another rank, and MAT_NO_OFF_PROC_ENTRIES promised that there are none");
  }

  // With one unknown a node there are no blocks, and what finds them takes longer than the values.
  void set_single(const Indices& rows, const Indices& columns, const GivenValues& given) {
    for (PetscInt i = 0; i < rows.count; ++i) {
      const PetscInt row = node_of(rows, rows.index[i], all_nodes_, "row");
      const std::int64_t local = std::int64_t{row} - structure_->first_node;
      if (row < 0) continue;
      if (local < 0 || local >= nodes_) {
        column_runs_.find(columns, 1, all_nodes_, "column");
        keep_for_others({row, 0, 1, i}, given);
        continue;
      }
      const OwnNode node = structure_->own_node(local);
      for (PetscInt j = 0; j < columns.count; ++j) {
        const PetscInt column = node_of(columns, columns.index[j], all_nodes_, "column");
        if (column < 0) continue;
        const double value = given.at(i, j);
        if (double* const place = blocks_.single(node, column); place == nullptr)
          refuse(row, column, value, given.mode);
        else
          *place = given.mode == ADD_VALUES ? *place + value : value;
      }
    }
  }

  // body(row, column, value) for every value of a call that these rows and columns have in common.
  template <class Body>
  void for_values(const IndexRun& rows, const IndexRun& columns, const GivenValues& given, const Body& body) {
    for (PetscInt r = 0; r < rows.count; ++r)
      for (PetscInt c = 0; c < columns.count; ++c)
        body(rows.node * hub_->dof + rows.first + r, columns.node * hub_->dof + columns.first + c,
             given.at(rows.at + r, columns.at + c));
  }

  void keep_for_others(const IndexRun& rows, const GivenValues& given) {
    if (promised_no_off_process()) refuse_off_process(rows.node * hub_->dof + rows.first);
    if (drop_off_process_) return;
    off_process_mode_ = given.mode;
    for (const IndexRun& columns : column_runs_)
      for_values(rows, columns, given, [this](PetscInt row, PetscInt column, double value) {
        off_process_.push_back({row, column, value});
      });
  }

  void put_coupled(const Block& block, const IndexRun& rows, const IndexRun& columns,
                   const GivenValues& given) {
    const PetscInt dof = hub_->dof;
    for_values(rows, columns, given, [&](PetscInt row, PetscInt column, double value) {
      if (!block.couples(row % dof, column % dof)) return refuse(row, column, value, given.mode);
      double& place = block.at(row % dof, column % dof);
      place = given.mode == ADD_VALUES ? place + value : value;
    });
  }

  void refuse(const IndexRun& rows, const IndexRun& columns, const GivenValues& given) {
    for_values(rows, columns, given,
               [&](PetscInt row, PetscInt column, double value) { refuse(row, column, value, given.mode); });
  }

  // A value that has no place: zeros need none.
  void refuse(PetscInt row, PetscInt column, double value, InsertMode mode) {
    if (value == 0 || ignore_outside_) return;
    if (may_grow_) return outside_.add(1, &row, 1, &column, &value, true, mode);
    const PetscInt dof = hub_->dof, to = column / dof;
    const bool coupled =
        blocks_.between(structure_->own_node(row / dof - structure_->first_node), to).values != nullptr;
    throw FormatError("the value " + std::to_string(value) + " at row " + std::to_string(row) + " (node " +
                      std::to_string(row / dof) + "), column " + std::to_string(column) + " (node " +
                      std::to_string(to) + ") lies outside " +
                      (coupled ? "the fill of the blocks (DMDASetBlockFills, or couples() of the model)"
                               : structure_->stencil) +
                      ": widen it, or choose another matrix type");
  }

  Mat owner_;  // not owned: it owns this
  std::shared_ptr<const GridStructure> structure_;
  GridValues values_;
  const std::shared_ptr<BlockDiagonals<double>> hub_;  // values_'s, in host memory
  const std::shared_ptr<Csr<double>> ghost_;           // null on one rank
  std::shared_ptr<CoordinateAssembly>
      coordinates_;                       // shared with duplicates; null before MatSetPreallocationCOO()
  std::unique_ptr<Gathering> of_ghosts_;  // of the right vector of a scaling; made when first needed
  GridBlocks blocks_;
  const std::int64_t nodes_;  // of this rank
  const PetscInt all_nodes_;
  std::vector<Block> of_node_;  // of the last row asked for
  std::vector<Entry> off_process_;
  InsertMode off_process_mode_ = ADD_VALUES;
  std::optional<bool> refills_on_gpu_;  // whether refill_on_gpu() can do it; asked once,
  // and what it moves to the ghosts: from where, to where
  std::pair<Array<std::int64_t, Device>, Array<std::int64_t, Device>> leaving_;
  std::optional<TakenUnknowns> taken_;  // of a matrix of some unknowns of another one
  std::shared_ptr<const GridStructure> taken_from_;
  EntryList outside_;  // values of own rows that have no place, where the program allows new ones
  bool row_oriented_ = true, drop_off_process_ = false, ignore_outside_ = false, may_grow_ = false;
  GridCopy copy_;
  std::int64_t copy_version_ = -1;
  RowPatterns patterns_;
  IndexRuns row_runs_, column_runs_;  // of the last call
};

}  // namespace

std::unique_ptr<Store> make_grid_store(Mat owner, DM da) {
  const auto structure = std::make_shared<const GridStructure>(structure_of(da));
  return std::make_unique<GridStore>(owner, structure, GridValues(*structure, distributed(owner)));
}

std::unique_ptr<Store> make_grid_store(Mat owner, std::shared_ptr<const GridStructure> structure,
                                       GridValues values) {
  return std::make_unique<GridStore>(owner, std::move(structure), std::move(values));
}

}  // namespace quadrille::petsc
