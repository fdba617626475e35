#include "quadrille/vector.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/multigrid/null_space.hpp"

namespace quadrille {

std::shared_ptr<const GridLayout> share_grid(MPI_Comm comm, const Grid& grid, const Boundary& boundary) {
  petsc::require_initialised();
  validate(grid);
  validate(boundary, grid);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::array<bool, 3> periodic{};
  for (int axis = 0; axis < grid.dimension; ++axis) periodic[axis] = boundary.periodic(axis);
  return std::make_shared<const GridLayout>(
      GridLayout{comm, grid, make_partition(grid.extents, periodic, ranks, rank)});
}

template <class T>
HostValues<T>::HostValues(Vec vector) : vector_(vector) {
  PetscInt size = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector_, &size));
  size_ = size;
  if constexpr (std::is_const_v<T>)
    QUADRILLE_PETSC(VecGetArrayRead(vector_, &data_));
  else
    QUADRILLE_PETSC(VecGetArray(vector_, &data_));
}

template <class T>
HostValues<T>::~HostValues() {
  if constexpr (std::is_const_v<T>)
    (void)VecRestoreArrayRead(vector_, &data_);
  else
    (void)VecRestoreArray(vector_, &data_);
}

template class HostValues<double>;
template class HostValues<const double>;

Vector::Vector(const Vector& other) : vec_(nullptr), layout_(other.layout_) {
  petsc::Handle<Vec> copy =
      petsc::make<Vec>("VecDuplicate", [&](Vec* made) { return VecDuplicate(other.vec_, made); });
  QUADRILLE_PETSC(VecCopy(other.vec_, copy.get()));
  vec_ = copy.release();
}

Vector::~Vector() {
  (void)VecDestroy(&vec_);
}

Vector& Vector::assign(std::span<const double> numbers) {
  const auto size = static_cast<std::int64_t>(numbers.size());
  petsc::require_size(vec_, size, "what is assigned to a vector");
  const petsc::WriteArray to(vec_, SpaceKind::cuda);
  if (to.space() == SpaceKind::cuda)
    memory::copy_to_device(to.data(), numbers.data(), size * 8);
  else
    std::copy(numbers.begin(), numbers.end(), to.data());
  return *this;
}

std::vector<double> Vector::numbers() const {
  const petsc::ReadArray from(vec_, SpaceKind::cuda);
  std::vector<double> to(static_cast<std::size_t>(layout_->rows()));
  if (from.space() == SpaceKind::cuda)
    memory::copy_to_host(to.data(), from.data(), layout_->rows() * 8);
  else
    std::copy_n(from.data(), to.size(), to.begin());
  return to;
}

Vector& Vector::set(double value) {
  petsc::fill(vec_, value);
  return *this;
}

Vector& Vector::set(std::span<const double> of_unknowns) {
  if (std::ssize(of_unknowns) != layout_->grid.dof)
    throw FormatError("a vector has " + std::to_string(layout_->grid.dof) + " unknowns a node, not " +
                      std::to_string(of_unknowns.size()));
  petsc::fill(vec_, of_unknowns);
  return *this;
}

Vector& Vector::scale(double factor) {
  QUADRILLE_PETSC(VecScale(vec_, factor));
  return *this;
}

Vector& Vector::axpy(double factor, const Vector& x) {
  if (x.vec_ == vec_) return scale(1 + factor);  // PETSc refuses it
  QUADRILLE_PETSC(VecAXPY(vec_, factor, x.vec_));
  return *this;
}

Vector& Vector::remove_means() {
  const petsc::Handle<MatNullSpace> of_constants = petsc::constants(vec_, layout_->grid.dof);
  const double before = norm();
  for (int twice = 0; twice < 2; ++twice)  // sums of many numbers that are alike are far from exact
    QUADRILLE_PETSC(MatNullSpaceRemove(of_constants.get(), vec_));
  constexpr double rounding = 1e-14;  // what a constant leaves, which is zero
  return norm() <= rounding * before ? set(0) : *this;
}

double Vector::dot(const Vector& x) const {
  PetscScalar product = 0;
  QUADRILLE_PETSC(VecDot(vec_, x.vec_, &product));
  return product;
}

double Vector::norm() const {
  return std::sqrt(dot(*this));
}

double Vector::largest() const {
  PetscReal least = 0, most = 0;
  QUADRILLE_PETSC(VecMin(vec_, nullptr, &least));
  QUADRILLE_PETSC(VecMax(vec_, nullptr, &most));
  return std::max(std::abs(least), std::abs(most));
}

}  // namespace quadrille
