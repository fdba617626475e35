#include "kernels/petsc/plugin/register.hpp"

#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/host_share.hpp"
#include "kernels/petsc/matrix/aij_readers.hpp"
#include "kernels/petsc/matrix/factor.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/point_block_jacobi.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/solve/conjugate_gradients.hpp"

namespace quadrille::petsc {
namespace {

PetscErrorCode create(Mat m) {
  return guarded("MatCreate_Quadrille", [&] { create_typed(m); });
}

}  // namespace

void register_matrix_type() {
  // PETSc loads plug-ins before it calls itself initialised: that is no condition here.
  QUADRILLE_PETSC(MatRegister("seqquadrille", create));
  QUADRILLE_PETSC(MatRegister("mpiquadrille", create));
  QUADRILLE_PETSC(MatRegisterRootName("quadrille", "seqquadrille", "mpiquadrille"));
  find_host_share();
  register_factors();
  register_aij_readers();
  register_point_block_jacobi();
  register_grid_multigrid();
  register_conjugate_gradients();
}

}  // namespace quadrille::petsc
