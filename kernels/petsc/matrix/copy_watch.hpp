// For -mat_quadrille_verify: values in the AIJ copy of a matrix that did not come from the matrix. Internal
// to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <cstdint>
#include <optional>

namespace quadrille::petsc {

// Whoever has kept the arrays of an AIJ may write into them without a call that anybody hears of.
class CopyWatch {
 public:
  void start() { watching_ = true; }
  // These values are the matrix's.
  void remember(Mat aij);
  // Throws PetscError where they are others by now. Collective.
  void require_remembered(Mat aij) const;

 private:
  bool watching_ = false;
  std::optional<std::uint64_t> remembered_;  // of this rank's values
};

// On all ranks. Collective.
bool only_zeros(Mat aij);

}  // namespace quadrille::petsc
