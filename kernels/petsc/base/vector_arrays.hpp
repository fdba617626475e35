// The arrays of PETSc's vectors, in the memory where a product wants them, given back on every way out.
// Internal to kernels/petsc.
#pragma once

#include <petscvec.h>

#include <string>
#include <type_traits>

#include "formats/format.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// write: every element is written, and what was there is not read.
enum class Access { read, write, read_write };

// `wanted` cuda gives the array in GPU memory where the vector is one that lives there (VECCUDA), and the one
// in host memory otherwise; cpu always the latter. PETSc copies between its two arrays where the newer values
// are in the other.
template <Access access>
class VectorArray {
  using Pointer = std::conditional_t<access == Access::read, const PetscScalar*, PetscScalar*>;

 public:
  explicit VectorArray(Vec vector, SpaceKind wanted = SpaceKind::cpu) : vector_(vector), wanted_(wanted) {
    if (vector_ == nullptr) return;
    PetscMemType type = PETSC_MEMTYPE_HOST;
    const bool host = wanted_ == SpaceKind::cpu;
    if constexpr (access == Access::read)
      QUADRILLE_PETSC(host ? VecGetArrayRead(vector_, &data_)
                           : VecGetArrayReadAndMemType(vector_, &data_, &type));
    else if constexpr (access == Access::write)
      QUADRILLE_PETSC(host ? VecGetArrayWrite(vector_, &data_)
                           : VecGetArrayWriteAndMemType(vector_, &data_, &type));
    else
      QUADRILLE_PETSC(host ? VecGetArray(vector_, &data_) : VecGetArrayAndMemType(vector_, &data_, &type));
    space_ = PetscMemTypeDevice(type) ? SpaceKind::cuda : SpaceKind::cpu;
  }
  ~VectorArray() {
    if (vector_ == nullptr) return;
    const bool host = wanted_ == SpaceKind::cpu;
    if constexpr (access == Access::read)
      (void)(host ? VecRestoreArrayRead(vector_, &data_) : VecRestoreArrayReadAndMemType(vector_, &data_));
    else if constexpr (access == Access::write)
      (void)(host ? VecRestoreArrayWrite(vector_, &data_) : VecRestoreArrayWriteAndMemType(vector_, &data_));
    else
      (void)(host ? VecRestoreArray(vector_, &data_) : VecRestoreArrayAndMemType(vector_, &data_));
  }
  VectorArray(const VectorArray&) = delete;
  VectorArray& operator=(const VectorArray&) = delete;

  Pointer data() const { return data_; }
  SpaceKind space() const { return space_; }
  // Of no vector, every element is `otherwise`.
  double at(std::int64_t i, double otherwise) const { return data_ == nullptr ? otherwise : data_[i]; }

 private:
  Vec vector_;
  SpaceKind wanted_, space_ = SpaceKind::cpu;
  Pointer data_ = nullptr;
};

using ReadArray = VectorArray<Access::read>;
using WriteArray = VectorArray<Access::write>;
using ReadWriteArray = VectorArray<Access::read_write>;

// Throws FormatError unless this rank holds so many elements of the vector. `what` begins the message.
inline void require_size(Vec vector, std::int64_t size, const char* what) {
  PetscInt found = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector, &found));
  if (found != size)
    throw FormatError(std::string(what) + " has " + std::to_string(found) + " elements, and must have " +
                      std::to_string(size));
}

}  // namespace quadrille::petsc
