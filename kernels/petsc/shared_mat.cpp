#include "kernels/petsc/shared_mat.hpp"

#include "kernels/petsc/check.hpp"

namespace quadrille::petsc {

SharedMat shared(Mat matrix) {
  return {matrix, Destroy()};
}

}  // namespace quadrille::petsc
