// What DMDASetBlockFills() left in a DMDA. PETSc has no function that tells it.
#include <petsc/private/dmdaimpl.h>

#include <algorithm>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/structure.hpp"

namespace quadrille::petsc {
namespace {

// PETSc keeps where each row begins, and behind it the columns of all rows; null for dense blocks.
struct KeptFill {
  const PetscInt* begin;

  bool couples(PetscInt row, PetscInt column) const {
    return begin == nullptr ||
           std::find(begin + begin[row], begin + begin[row + 1], column) != begin + begin[row + 1];
  }
};

struct KeptFills {
  KeptFill of_centre, beside;

  bool couples(bool centre, int row, int column) const {
    return (centre ? of_centre : beside).couples(row, column);
  }
};

}  // namespace

BlockFill block_fill_of(DM da) {
  const auto& kept = *static_cast<const DM_DA*>(da->data);
  if (kept.ofill == nullptr) return {};  // AIJ goes by this one
  return fill_of(KeptFills{{kept.dfill}, {kept.ofill}}, static_cast<int>(kept.w));
}

}  // namespace quadrille::petsc
