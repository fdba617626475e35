#include "kernels/petsc/matrix/matrix.hpp"

#include <petscdmda.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "formats/threads.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/base/uses.hpp"
#include "kernels/petsc/matrix/interpolation.hpp"
#include "kernels/petsc/matrix/options.hpp"

namespace quadrille::petsc {
namespace {

// The DMDA of a matrix that has its size, or null.
DM grid_of(Mat matrix) {
  DM dm = nullptr;
  PetscBool is_grid = PETSC_FALSE;
  QUADRILLE_PETSC(MatGetDM(matrix, &dm));
  if (dm != nullptr)
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(dm), DMDA, &is_grid));
  if (!is_grid) return nullptr;
  PetscInt rows = 0, columns = 0, x = 1, y = 1, z = 1, dof = 1;
  QUADRILLE_PETSC(MatGetLocalSize(matrix, &rows, &columns));
  QUADRILLE_PETSC(DMDAGetCorners(dm, nullptr, nullptr, nullptr, &x, &y, &z));
  QUADRILLE_PETSC(DMDAGetDof(dm, &dof));
  const std::int64_t of_grid = std::int64_t{x} * y * z * dof;
  return rows == of_grid && columns == of_grid ? dm : nullptr;
}

std::string all_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

PetscErrorCode set_up(Mat m) {
  return guarded("MatSetUp_Quadrille", [&] { typed(m).set_up(); });
}
PetscErrorCode set_from_options(Mat m, OptionItems items) {
  return guarded("MatSetFromOptions_Quadrille", [&] {
    declare_options(items, typed(m).options);
    read_options(m, typed(m).options);
    typed(m).lay_out(m);
    typed(m).follow_options();
  });
}
PetscErrorCode set_block_sizes(Mat m, PetscInt rows, PetscInt columns) {
  return guarded("MatSetBlockSizes_Quadrille", [&] { typed(m).set_block_sizes(rows, columns); });
}

// One line on the screen for the whole matrix.
void say(Mat matrix, const std::string& text) {
  QUADRILLE_PETSC(PetscFPrintf(PetscObjectComm(reinterpret_cast<PetscObject>(matrix)), PETSC_STDERR,
                               "quadrille: %s\n", text.c_str()));
}

}  // namespace

bool distributed(Mat matrix) {
  int size = 1;
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(matrix)), &size);
  return size > 1;
}

bool all_ranks(Mat matrix, bool mine) {
  int here = mine, all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, PetscObjectComm(reinterpret_cast<PetscObject>(matrix)));
  return all != 0;
}

bool is_typed(Mat matrix) {
  PetscBool ours = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(matrix), &ours, "seqquadrille",
                                            "mpiquadrille", ""));
  return ours;
}

TypedMatrix& typed(Mat matrix) {
  auto* const context = shell_context(matrix).typed_matrix();
  if (context == nullptr) throw PetscError("this matrix is not of type quadrille");
  context->belongs_to(matrix);
  return *context;
}

void TypedMatrix::belongs_to(Mat self) {
  self_ = self;
  if (store_) store_->belongs_to(self);
}

void TypedMatrix::set_up(std::unique_ptr<Store> store) {
  store_ = std::move(store);
  for (const auto& [option, value] : set_options_) store_->set_option(option, value);
  set_operations_on_nodes(self_, store_->dof() > 0);
  if (options.verify) store_->watch_copy();
  own_.reset();
  ghosts_.reset();
  scaled_.reset();
  made_from_ = -1;
}

void TypedMatrix::set_option(MatOption option, bool value) {
  std::erase_if(set_options_, [option](const auto& set) { return set.first == option; });
  set_options_.emplace_back(option, value);
  if (store_) store_->set_option(option, value);
}

void TypedMatrix::set_up() {
  if (store_) return;
  lay_out(self_);
  read_options(self_, options);
  const DM grid = grid_of(self_);
  if (grid != nullptr) offer_interpolation(grid);
  set_up(grid != nullptr ? make_grid_store(self_, grid) : make_aij_store(self_));
  mark_set_up(self_, grid != nullptr);  // zeros on a grid are values: a colouring asks for its sparsity
  if (grid == nullptr || !fills_matrices(grid)) return;
  // What PETSc shows at an assembly (-mat_view, -mat_is_symmetric), and forgets at the second one.
  only_zeros_ = true;
  QUADRILLE_PETSC(MatAssemblyBegin(self_, MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(self_, MAT_FINAL_ASSEMBLY));
  only_zeros_ = false;
}

void TypedMatrix::lay_out(Mat self) {
  PetscLayout rows = nullptr, columns = nullptr;
  QUADRILLE_PETSC(MatGetLayouts(self, &rows, &columns));
  for (const PetscLayout layout : {rows, columns}) {
    PetscInt local = -1, global = -1;
    QUADRILLE_PETSC(PetscLayoutGetLocalSize(layout, &local));
    QUADRILLE_PETSC(PetscLayoutGetSize(layout, &global));
    if (local < 0 && global < 0) return;
    if (local < 0) sizes_decided_ = true;
  }
  QUADRILLE_PETSC(PetscLayoutSetUp(rows));
  QUADRILLE_PETSC(PetscLayoutSetUp(columns));
}

void TypedMatrix::leave_grid_if_outgrown() {
  Handle<Mat> general = store().outgrown();
  if (!general) return;
  static bool said = false;
  if (!std::exchange(said, true))
    say(self_,
        "a matrix has values outside the stencil of its grid: it is kept without a grid, by its sparsity");
  set_up(make_aij_store(self_, std::move(general)));
}

void TypedMatrix::set_block_sizes(PetscInt rows, PetscInt columns) {
  if (store_ || !sizes_decided_) return;
  PetscInt all_rows = 0, all_columns = 0;
  QUADRILLE_PETSC(MatGetSize(self_, &all_rows, &all_columns));
  const auto layout = [&](PetscInt size, PetscInt block) {
    PetscLayout made = nullptr;
    QUADRILLE_PETSC(PetscLayoutCreate(PetscObjectComm(reinterpret_cast<PetscObject>(self_)), &made));
    QUADRILLE_PETSC(PetscLayoutSetSize(made, size));
    QUADRILLE_PETSC(PetscLayoutSetBlockSize(made, block));
    QUADRILLE_PETSC(PetscLayoutSetUp(made));
    return made;
  };
  PetscLayout of_rows = layout(all_rows, rows), of_columns = layout(all_columns, columns);
  QUADRILLE_PETSC(MatSetLayouts(self_, of_rows, of_columns));
  QUADRILLE_PETSC(PetscLayoutDestroy(&of_rows));
  QUADRILLE_PETSC(PetscLayoutDestroy(&of_columns));
}

Store& TypedMatrix::store() {
  if (!store_) set_up();
  return *store_;
}

ScaledOperator& TypedMatrix::scaled(Mat self) {
  belongs_to(self);
  if (options.verify) look_for_lost_values();
  return scaled();
}

ScaledOperator& TypedMatrix::transposable(Mat self) {
  ScaledOperator& now = scaled(self);
  if (!options.format_auto || own_->has_transpose()) return now;
  options.format_auto = false;
  options.format = store().dof() > 0 ? TypeOptions{}.format : any_matrix;
  make_products();
  return *scaled_;
}

void TypedMatrix::look_for_lost_values() {
  store().require_copy_untouched();
  if (said_zero_) return;
  if (!only_zeros(store().aij())) return;
  said_zero_ = true;
  PetscInt rows = 0;
  QUADRILLE_PETSC(MatGetSize(self_, &rows, nullptr));
  say(self_, "-mat_quadrille_verify: all values of a matrix of " + std::to_string(rows) +
                 " rows are zero when it is used");
}

ScaledOperator& TypedMatrix::scaled() {
  if (scaled_ && made_from_ == store().version()) return *scaled_;
  if (scaled_ && shares_values())
    follow_values();
  else
    make_products();
  made_from_ = store().version();
  return *scaled_;
}

void TypedMatrix::set_format() {
  options.format_given = true;
  make_products();
  made_from_ = store().version();
}

void TypedMatrix::couple(const LocalParts& parts) {
  const bool fits =
      ghosts_ && (store().parts_in_place() || all_ranks(self_, ghosts_->has_structure_of(parts)));
  if (fits)
    ghosts_->set_values(parts);
  else
    ghosts_ = std::make_shared<GhostProducts>(self_, parts, own_->space());
}

// Those of the DM where there is one, for a KSP with a DM takes its vectors from there.
void TypedMatrix::choose_vectors() {
  DM dm = nullptr;
  QUADRILLE_PETSC(MatGetDM(self_, &dm));
  if (dm == nullptr)
    set_gpu_vectors(self_, options.by_program);  // else whose vectors come along is not known
  else if (makes_gpu_vectors(dm))
    set_gpu_vectors(self_, true);
}

bool TypedMatrix::multiplies_on_gpu() {
  return store().parts_in_place() && choose_space(options) == SpaceKind::cuda;
}

bool TypedMatrix::applies_on_gpu() {
  return is_made_on_gpu(options.format) && multiplies_on_gpu();
}

// Of "auto": by the values that there are first, and when they have changed some times by what follows them;
// from then on it stays.
void TypedMatrix::choose_best_format(const LocalParts& parts) {
  constexpr int some_times = 3;
  if (!options.format_auto || choices_ > some_times) return;
  ++choices_;
  if (choices_ > 1 && choices_ <= some_times) return;
  // On a GPU what follows the values has kernels compiled for them, which takes longer than it saves.
  options.of_format.by_fill = choices_ > 1 || choose_space(options) == SpaceKind::cuda;
  options.format = best_format(self_, options, parts);
}

// Without a grid and without a wish: block diagonals where the sparsity has so few of them that they take no
// more bytes than CSR.
std::string TypedMatrix::choose_format(const LocalParts& parts) const {
  if (options.format_given || parts.hub) return options.format;
  PetscInt block = 1, rows = 0;
  QUADRILLE_PETSC(MatGetBlockSize(self_, &block));
  QUADRILLE_PETSC(MatGetSize(self_, &rows, nullptr));
  if (all_ranks(self_, fits_block_diagonals(*parts.csr, block))) return options.format;
  static bool said = false;
  if (!std::exchange(said, true) && rows > 0)
    say(self_, "a matrix of " + std::to_string(rows) +
                   " rows has no DMDA and few diagonals in common with a grid: " + any_matrix +
                   " holds it (-mat_quadrille_format " + any_matrix + ")");
  return any_matrix;
}

// A format that is the block diagonals themselves sees what changes in them, unless it has them rounded.
bool TypedMatrix::shares_values() {
  const bool exact =
      own_precision_ == ValuePrecision::own && options.of_format.value_precision == ValuePrecision::own;
  return exact && is_the_hub(options.format) && own_format_ == options.format && store().parts_in_place() &&
         (own_->space() == SpaceKind::cuda) == applies_on_gpu();
}

void TypedMatrix::follow_values() {
  store().bring_parts(own_->space() == SpaceKind::cuda);
  scaled_->values_changed();
  if (ghosts_) ghosts_->values_changed();
}

// What cannot be stored in fewer bits on one rank is refused on all. That csr holds a matrix without a grid,
// as no format was given, is no reason to refuse: it is exact.
void TypedMatrix::make_own(const TypeOptions& used, LocalParts& parts) {
  own_format_ = used.format;
  own_precision_ = takes_value_precision(used.format) ? used.of_format.value_precision : ValuePrecision::own;
  if (own_precision_ == ValuePrecision::own) {
    own_ = make_own_operator(self_, used, parts);
    return;
  }
  std::string refused;
  try {
    own_ = make_own_operator(self_, used, parts);
    round_ghosts(used, parts);
  } catch (const FormatError& error) {
    refused = error.what();
  }
  if (!all_ranks(self_, refused.empty()))
    throw FormatError(refused.empty() ? "-mat_quadrille_value_precision: refused on another rank" : refused);
}

void TypedMatrix::make_products() {
  const bool was_on_gpu = applies_on_gpu();
  if (options.format_auto) choose_best_format(store().parts(was_on_gpu));
  const bool few_rows =
      takes_few_rows(options.format) && options.of_format.value_precision == ValuePrecision::own;
  LocalParts parts = few_rows ? store().parts_or_few_rows(applies_on_gpu()) : store().parts(applies_on_gpu());
  const ThreadLimit limit(threads_worth(parts.hub ? parts.hub->values.bytes() : 12 * parts.csr->nnz()));
  TypeOptions used = options;
  used.format = choose_format(parts);
  // New values take the arrays of those before. Of other formats conversions would leave theirs as well.
  std::optional<memory::Reuse::Use> use;
  if (options.of_format.by_fill) use.emplace(*memory_of_products_);
  Handle<Mat> blocks = scaled_ ? scaled_->take_blocks() : nullptr;  // of a preconditioner that stays
  own_.reset();                                                     // before another one takes memory
  scaled_.reset();
  const DefaultQueue order(parts.few_rows && applies_on_gpu());  // what is made of them is not waited for
  make_own(used, parts);
  if (has_cuda() && own_->space() == SpaceKind::cuda) choose_vectors();
  if (distributed(self_)) couple(parts);
  const FormatEntry& entry = find_format(used.format, own_->space(), all_products());
  const std::int64_t entries = entry.logs_flops ? -1
                               : parts.hub      ? most_non_zeros(*parts.hub)
                                                : parts.csr->nnz();
  scaled_ = std::make_unique<ScaledOperator>(own_, used.format, ghosts_, entries);
  scaled_->keep_blocks(std::move(blocks));
}

double TypedMatrix::value_error() {
  (void)scaled();
  return rounding_of(own_precision_, sizeof(double));  // also of a rank without rows
}

std::unique_ptr<ScaledOperator> TypedMatrix::exact() {
  if (value_error() == 0) return nullptr;
  const LocalParts parts = store().parts(applies_on_gpu());
  std::shared_ptr<const SpmvOperator<double>> own = exact_operator(parts);
  const auto ghosts =
      distributed(self_) ? std::make_shared<GhostProducts>(self_, parts, own->space()) : nullptr;
  return std::make_unique<ScaledOperator>(std::move(own), own_format_, ghosts);
}

void TypedMatrix::say_value_error() {
  if (value_error() == 0 || std::exchange(said_error_, true)) return;
  PetscInt rows = 0;
  char bound[32];
  std::snprintf(bound, sizeof bound, "%.3g", value_error());
  QUADRILLE_PETSC(MatGetSize(self_, &rows, nullptr));
  say(self_, "-mat_quadrille_verify: products of a matrix of " + std::to_string(rows) +
                 " rows have values in " + to_string(own_precision_) + ": row i may be off by " + bound +
                 " (|A||x|)_i beside the rounding of its sum");
}

void TypedMatrix::verify() {
  say_value_error();
  const Mat aij = store().aij();
  Vec x_vector = nullptr, y_vector = nullptr;
  QUADRILLE_PETSC(MatCreateVecs(aij, &x_vector, &y_vector));
  const Handle<Vec> x(x_vector), ours(y_vector);
  const Handle<Vec> theirs = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(y_vector, v); });
  PetscRandom random = nullptr;
  QUADRILLE_PETSC(PetscRandomCreate(PetscObjectComm(reinterpret_cast<PetscObject>(self_)), &random));
  QUADRILLE_PETSC(VecSetRandom(x.get(), random));  // in 0..1
  QUADRILLE_PETSC(PetscRandomDestroy(&random));
  scaled().multiply(x.get(), {ours.get()}, false);
  QUADRILLE_PETSC(MatMult(aij, x.get(), theirs.get()));

  PetscInt first = 0, last = 0;
  const PetscScalar *a = nullptr, *b = nullptr;
  QUADRILLE_PETSC(MatGetOwnershipRange(aij, &first, &last));
  QUADRILLE_PETSC(VecGetArrayRead(ours.get(), &a));
  QUADRILLE_PETSC(VecGetArrayRead(theirs.get(), &b));
  std::string wrong;
  std::vector<PetscInt> columns;
  std::vector<double> values;
  for (PetscInt i = first; i < last && wrong.empty(); ++i) {
    store().row(i, columns, values);
    double sum = 0;
    for (const double value : values) sum += std::abs(value);
    const double bound =
        (2 * (static_cast<double>(values.size()) + 2) * std::numeric_limits<double>::epsilon() +
         value_error()) *
        sum;
    const double y = a[i - first], expected = b[i - first];
    const bool same = std::isfinite(expected) ? std::abs(y - expected) <= bound : !std::isfinite(y);
    if (!same)
      wrong = "row " + std::to_string(i) + " of the product in format " + own_format_ + " is " +
              all_digits(y) + ", and AIJ's " + all_digits(expected);
  }
  QUADRILLE_PETSC(VecRestoreArrayRead(ours.get(), &a));
  QUADRILLE_PETSC(VecRestoreArrayRead(theirs.get(), &b));
  const bool right_everywhere = all_ranks(self_, wrong.empty());
  if (!wrong.empty()) throw PetscError("-mat_quadrille_verify: " + wrong);
  if (!right_everywhere)
    throw PetscError("-mat_quadrille_verify: the product of another rank differs from AIJ's");
}

Handle<Mat> empty_matrix(MPI_Comm comm, PetscInt rows, PetscInt block) {
  Handle<Mat> made = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
  QUADRILLE_PETSC(MatSetSizes(made.get(), rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  QUADRILLE_PETSC(MatSetBlockSize(made.get(), block));
  QUADRILLE_PETSC(MatSetType(made.get(), "quadrille"));
  return made;
}

Handle<Mat> empty_like(Mat other, MatType type) {
  PetscInt rows = 0, columns = 0, all_rows = 0, all_columns = 0, row_block = 1, column_block = 1;
  QUADRILLE_PETSC(MatGetLocalSize(other, &rows, &columns));
  QUADRILLE_PETSC(MatGetSize(other, &all_rows, &all_columns));
  QUADRILLE_PETSC(MatGetBlockSizes(other, &row_block, &column_block));
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(other));
  Handle<Mat> made = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
  QUADRILLE_PETSC(MatSetSizes(made.get(), rows, columns, all_rows, all_columns));
  QUADRILLE_PETSC(MatSetBlockSizes(made.get(), row_block, column_block));
  QUADRILLE_PETSC(MatSetType(made.get(), type));
  return made;
}

void create_typed(Mat matrix) {
  const bool mpi = distributed(matrix);
  QUADRILLE_PETSC(
      PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(matrix), nullptr));  // may be a shell's
  QUADRILLE_PETSC(MatSetType(matrix, MATSHELL));
  set_shell_context(matrix, std::make_unique<TypedMatrix>());
  set_shell_operations(matrix, true, true);
  set_operation(matrix, MATOP_SETUP, set_up);
  set_operation(matrix, MATOP_SET_FROM_OPTIONS, set_from_options);
  set_operation(matrix, MATOP_SET_BLOCK_SIZES, set_block_sizes);
  set_value_operations(matrix);
  set_aij_operations(matrix);
  set_conversions(matrix);
  set_submatrix_operation(matrix);
  QUADRILLE_PETSC(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(matrix),
                                            mpi ? "mpiquadrille" : "seqquadrille"));
  mark_unassembled(matrix);
  typed(matrix).lay_out(matrix);
  ++uses();
}

}  // namespace quadrille::petsc
