#include "quadrille/vector.hpp"

#include <cmath>

#include "kernels/petsc/base/check.hpp"

namespace quadrille {

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

Vector& Vector::set(double value) {
  QUADRILLE_PETSC(VecSet(vec_, value));
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
