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
  BlockFill fill;
  if (kept.ofill != nullptr)  // AIJ goes by this one
    fill = fill_of(KeptFills{{kept.dfill}, {kept.ofill}}, static_cast<int>(kept.w));
  // Nobody says what its coefficients are. Stars of one unknown have kernels with the library for what there
  // may be: a look pays.
  fill.constants = fill.symmetric = kept.w == 1 && kept.s == 1 && kept.stencil_type == DMDA_STENCIL_STAR;
  return fill;
}

}  // namespace quadrille::petsc
