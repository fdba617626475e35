#include "kernels/petsc/matrix/grid_matrix.hpp"

#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/matrix/compact_aij.hpp"
#include "kernels/petsc/matrix/grid_rows.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {
namespace {

std::string stencil_name(const BlockStructure& s) {
  return "the " + std::to_string(s.diagonals()) + " block diagonals that the matrix was made with";
}

TypedMatrix& on_grid(Mat matrix) {
  TypedMatrix& t = typed(matrix);
  if (!t.on_grid()) throw FormatError("this matrix of type quadrille has no grid");
  return t;
}

Handle<Mat> empty_on_grid(MPI_Comm comm, const Partition& partition, int dof) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  if (partition.ranks() != size)
    throw FormatError("a grid that is cut for " + std::to_string(partition.ranks()) + " ranks, on " +
                      std::to_string(size));
  const std::int64_t all = first_number(partition, partition.ranks()) * dof;
  to_petsc_int(all, "rows of all ranks");
  return empty_matrix(comm, to_index32(own_box(partition).nodes() * dof, "rows of one rank"), dof);
}

}  // namespace

SharedMat make_grid_matrix(MPI_Comm comm, const Partition& partition, GridRows rows) {
  require_fitting(partition, rows);
  Handle<Mat> matrix = empty_on_grid(comm, partition, rows.structure.dof);
  const bool kept = rows.values.size() == 0 || keeps_fill(rows.structure, rows.values.data(),
                                                          own_box(partition).nodes() * rows.structure.dof);
  if (rows.structure.fill.said() && !all_ranks(matrix.get(), kept)) throw_outside_fill();
  const auto structure = std::make_shared<const GridStructure>(
      structure_of(partition, rows.structure.dof, rows.structure.offsets, stencil_name(rows.structure),
                   rows.structure.fill));
  typed(matrix.get())
      .set_up(make_grid_store(matrix.get(), structure,
                              values_of(*structure, std::move(rows), distributed(matrix.get()))));
  QUADRILLE_PETSC(MatSetUp(matrix.get()));
  mark_set_up(matrix.get(), true);
  return shared(matrix.release());
}

SharedMat make_grid_matrix(const Partition& partition, GridRows rows) {
  require_initialised();
  return make_grid_matrix(partition.ranks() == 1 ? PETSC_COMM_SELF : PETSC_COMM_WORLD, partition,
                          std::move(rows));
}

SharedMat make_grid_matrix(const Partition& partition, GridRows rows, const GridFormat& format) {
  SharedMat matrix = make_grid_matrix(partition, std::move(rows));
  set_format(matrix.get(), format);
  return matrix;
}

void refill(Mat matrix, const BlockStructure& structure, const FillRows& fill) {
  TypedMatrix& t = on_grid(matrix);
  t.store().refill(structure, fill);
  t.scaled();
  if (t.options.verify) t.verify();
  mark_changed(matrix);
}

bool refill_on_gpu(Mat matrix, const BlockStructure& structure, const FillRows& fill) {
  TypedMatrix& t = on_grid(matrix);
  if (!t.store().refill_on_gpu(structure, fill)) return false;
  t.scaled();
  if (t.options.verify) t.verify();
  mark_changed(matrix);
  return true;
}

bool refill(Mat matrix, FewRows rows) {
  TypedMatrix& t = on_grid(matrix);
  if (!t.store().set_few_rows(std::make_shared<const FewRows>(std::move(rows)), t.multiplies_on_gpu()))
    return false;
  t.scaled();
  if (t.options.verify) t.verify();
  mark_changed(matrix);
  return true;
}

void set_format(Mat matrix, const GridFormat& format) {
  TypedMatrix& t = on_grid(matrix);
  t.options.format = format.name;
  t.options.space = to_string(format.space);
  t.options.of_format = format.options;
  t.options.by_program = true;
  t.set_format();
}

std::shared_ptr<const BlockDiagonals<double>> own_block_diagonals(Mat matrix) {
  return on_grid(matrix).store().parts(false).hub;
}

std::shared_ptr<const BlockDiagonals<double, Device>> own_block_diagonals_on_device(Mat matrix) {
  return on_grid(matrix).store().parts(true).device_hub;
}

std::shared_ptr<const FewRows> own_few_rows(Mat matrix) {
  return on_grid(matrix).store().few_rows();
}

bool values_are_on_gpu(Mat matrix) {
  return on_grid(matrix).store().on_gpu();
}

std::shared_ptr<const SpmvOperator<double>> own_product(Mat matrix) {
  return typed(matrix).scaled(matrix).op();
}

double value_error(Mat matrix) {
  return is_typed(matrix) ? typed(matrix).value_error() : 0;
}

void multiply_exactly(Mat matrix, Vec x, Vec y) {
  const auto exact = is_typed(matrix) ? typed(matrix).exact() : nullptr;
  if (exact)
    exact->multiply(x, {y}, false);
  else
    QUADRILLE_PETSC(MatMult(matrix, x, y));
}

SharedMat make_aij(Mat matrix, bool on_gpu) {
  return shared(compact_aij(matrix, on_gpu).release());
}

std::int64_t rows_of_all(Mat matrix) {
  PetscInt rows = 0;
  QUADRILLE_PETSC(MatGetSize(matrix, &rows, nullptr));
  return rows;
}

std::int64_t stored_bytes(Mat matrix) {
  if (is_typed(matrix)) return own_product(matrix)->traffic().stored_bytes;
  PetscInt rows = 0;
  MatInfo info;
  QUADRILLE_PETSC(MatGetLocalSize(matrix, &rows, nullptr));
  QUADRILLE_PETSC(MatGetInfo(matrix, MAT_LOCAL, &info));
  return csr_bytes(rows, static_cast<std::int64_t>(info.nz_used), sizeof(double));
}

}  // namespace quadrille::petsc
