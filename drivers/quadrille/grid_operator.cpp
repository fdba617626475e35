#include "quadrille/grid_operator.hpp"

#include <exception>
#include <limits>

#include "grid/error.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/grid_rows.hpp"

namespace quadrille {

GridOperator::GridOperator(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           BlockFill fill)
    : layout_(share_grid(comm, grid, boundary)),
      stencil_(stencil),
      boundary_(boundary),
      structure_(block_structure(grid, stencil, boundary, std::move(fill))) {}

void GridOperator::together(MPI_Comm comm, const std::function<void()>& step) {
  std::exception_ptr failed;
  std::string why;
  try {
    step();
  } catch (const std::exception& error) {
    failed = std::current_exception();
    why = error.what();
  }
  int rank = 0, first = 0;
  MPI_Comm_rank(comm, &rank);
  const int mine = failed ? rank : std::numeric_limits<int>::max();
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == std::numeric_limits<int>::max()) return;
  int size = static_cast<int>(why.size());
  MPI_Bcast(&size, 1, MPI_INT, first, comm);
  why.resize(static_cast<std::size_t>(size));
  MPI_Bcast(why.data(), size, MPI_CHAR, first, comm);
  if (failed) std::rethrow_exception(failed);
  throw InputError(why);
}

GridOperator::GridOperator(std::shared_ptr<const GridLayout> layout, const Stencil& stencil,
                           const Boundary& boundary, petsc::GridRows rows, const OperatorOptions& options)
    : layout_(std::move(layout)), stencil_(stencil), boundary_(boundary), structure_(rows.structure) {
  make_matrix(std::move(rows), options);
}

void GridOperator::make_matrix(petsc::GridRows rows, const OperatorOptions& options) {
  matrix_ = petsc::make_grid_matrix(layout_->comm, layout_->partition, std::move(rows));
  wish_ = petsc::with_options(options);
  choose_format();
  if (format_.space == SpaceKind::cuda) load_grid_multigrid(structure_);  // for most are solved with it
  petsc::set_format(matrix_.get(), format_);
}

void GridOperator::choose_format() {
  petsc::ChosenFormat chosen = petsc::chosen_format(matrix_.get(), wish_);
  format_ = std::move(chosen.format);
  why_ = std::move(chosen.reason);
}

void GridOperator::choose_format_again(bool few_rows) {
  const petsc::GridFormat before = format_;
  wish_.options.few_rows = few_rows;
  if (wish_.format == "auto") {
    wish_.space = to_string(format_.space);
    choose_format();
  } else {
    format_.options.few_rows = few_rows;
  }
  if (format_.name != before.name || format_.options.few_rows != before.options.few_rows)
    petsc::set_format(matrix_.get(), format_);
}

void GridOperator::require_own(const Vector& b) const {
  if (b.layout().partition != layout_->partition || b.layout().grid.dof != layout_->grid.dof)
    throw FormatError("the vector is not one of this operator's: take GridOperator::vector()");
}

bool GridOperator::refill_on_gpu(
    const std::function<void(const Grid&, const Stencil&, const Boundary&, const BlockStructure&,
                             const NodeBox&, double*)>& fill) {
  if (!fill || space() != SpaceKind::cuda) return false;
  return petsc::refill_on_gpu(mat(), structure_, [&](double* values) {
    fill(layout_->grid, stencil_, boundary_, structure_, layout_->box(), values);
  });
}

Vector GridOperator::vector() const {
  Vec made = nullptr;
  QUADRILLE_PETSC(MatCreateVecs(mat(), &made, nullptr));
  Vector zeros(made, layout_);
  zeros.set(0);
  return zeros;
}

void GridOperator::multiply(const Vector& x, Vector& y) const {
  QUADRILLE_PETSC(MatMult(mat(), x.vec(), y.vec()));
}

void GridOperator::multiply_transposed(const Vector& x, Vector& y) const {
  QUADRILLE_PETSC(MatMultTranspose(mat(), x.vec(), y.vec()));
}

double GridOperator::residual(const Vector& b, const Vector& x) const {
  Vector r = b;
  petsc::multiply_exactly(mat(), x.vec(), r.vec());
  r.scale(-1).axpy(1, b);
  const double of_b = b.norm();
  return of_b > 0 ? r.norm() / of_b : r.norm();
}

std::int64_t GridOperator::stored_bytes() const {
  return petsc::stored_bytes(mat());
}

}  // namespace quadrille
