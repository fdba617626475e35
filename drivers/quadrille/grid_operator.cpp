#include "quadrille/grid_operator.hpp"

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/grid_rows.hpp"

namespace quadrille {
GridOperator::GridOperator(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary)
    : layout_(share_grid(comm, grid, boundary)),
      stencil_(stencil),
      boundary_(boundary),
      structure_(block_structure(grid, stencil, boundary)) {}

GridOperator::GridOperator(std::shared_ptr<const GridLayout> layout, const Stencil& stencil,
                           const Boundary& boundary, petsc::GridRows rows, const OperatorOptions& options)
    : layout_(std::move(layout)), stencil_(stencil), boundary_(boundary), structure_(rows.structure) {
  make_matrix(std::move(rows), options);
}

void GridOperator::make_matrix(petsc::GridRows rows, const OperatorOptions& options) {
  matrix_ = petsc::make_grid_matrix(layout_->comm, layout_->partition, std::move(rows));
  petsc::ChosenFormat chosen = petsc::chosen_format(matrix_.get(), options);
  format_ = std::move(chosen.format);
  why_ = std::move(chosen.reason);
  petsc::set_format(matrix_.get(), format_);
}

void GridOperator::require_own(const Vector& b) const {
  if (b.layout().partition != layout_->partition || b.layout().grid.dof != layout_->grid.dof)
    throw FormatError("the vector is not one of this operator's: take GridOperator::vector()");
}

Vector GridOperator::vector() const {
  Vec made = nullptr;
  QUADRILLE_PETSC(MatCreateVecs(mat(), &made, nullptr));
  return Vector(made, layout_).set(0);
}

void GridOperator::multiply(const Vector& x, Vector& y) const {
  QUADRILLE_PETSC(MatMult(mat(), x.vec(), y.vec()));
}

void GridOperator::multiply_transposed(const Vector& x, Vector& y) const {
  QUADRILLE_PETSC(MatMultTranspose(mat(), x.vec(), y.vec()));
}

double GridOperator::residual(const Vector& b, const Vector& x) const {
  Vector r = b;
  multiply(x, r);
  r.scale(-1).axpy(1, b);
  const double of_b = b.norm();
  return of_b > 0 ? r.norm() / of_b : r.norm();
}

std::int64_t GridOperator::stored_bytes() const {
  return petsc::stored_bytes(mat());
}

}  // namespace quadrille
