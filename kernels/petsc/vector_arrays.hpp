// The arrays of PETSc's vectors, in the memory where a product wants them, given back on every way out. Internal to
// kernels/petsc.
#pragma once

#include <petscvec.h>

#include "kernels/petsc/check.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

namespace detail {
inline SpaceKind space_of(PetscMemType type) {
  return PetscMemTypeDevice(type) ? SpaceKind::cuda : SpaceKind::cpu;
}
}  // namespace detail

// For reading. `wanted` cuda gives the array in GPU memory where the vector is one that lives there (VECCUDA), and the one in
// host memory otherwise; cpu always the latter. PETSc copies between its two arrays where the newer values are in the other.
class ReadArray {
 public:
  explicit ReadArray(Vec vector, SpaceKind wanted = SpaceKind::cpu) : vector_(vector), wanted_(wanted) {
    if (vector_ == nullptr) return;
    PetscMemType type = PETSC_MEMTYPE_HOST;
    if (wanted_ == SpaceKind::cpu)
      QUADRILLE_PETSC(VecGetArrayRead(vector_, &data_));
    else
      QUADRILLE_PETSC(VecGetArrayReadAndMemType(vector_, &data_, &type));
    space_ = detail::space_of(type);
  }
  ~ReadArray() {
    if (vector_ == nullptr) return;
    (void)(wanted_ == SpaceKind::cpu ? VecRestoreArrayRead(vector_, &data_)
                                     : VecRestoreArrayReadAndMemType(vector_, &data_));
  }
  ReadArray(const ReadArray&) = delete;
  ReadArray& operator=(const ReadArray&) = delete;

  const double* data() const { return data_; }
  SpaceKind space() const { return space_; }
  // Of no vector, every element is `otherwise`.
  double at(std::int64_t i, double otherwise) const { return data_ == nullptr ? otherwise : data_[i]; }

 private:
  Vec vector_;
  SpaceKind wanted_, space_ = SpaceKind::cpu;
  const PetscScalar* data_ = nullptr;
};

// For writing every element; what was there is not read.
class WriteArray {
 public:
  explicit WriteArray(Vec vector, SpaceKind wanted = SpaceKind::cpu) : vector_(vector), wanted_(wanted) {
    PetscMemType type = PETSC_MEMTYPE_HOST;
    if (wanted_ == SpaceKind::cpu)
      QUADRILLE_PETSC(VecGetArrayWrite(vector_, &data_));
    else
      QUADRILLE_PETSC(VecGetArrayWriteAndMemType(vector_, &data_, &type));
    space_ = detail::space_of(type);
  }
  ~WriteArray() {
    (void)(wanted_ == SpaceKind::cpu ? VecRestoreArrayWrite(vector_, &data_)
                                     : VecRestoreArrayWriteAndMemType(vector_, &data_));
  }
  WriteArray(const WriteArray&) = delete;
  WriteArray& operator=(const WriteArray&) = delete;

  double* data() { return data_; }
  SpaceKind space() const { return space_; }

 private:
  Vec vector_;
  SpaceKind wanted_, space_ = SpaceKind::cpu;
  PetscScalar* data_ = nullptr;
};

}  // namespace quadrille::petsc
