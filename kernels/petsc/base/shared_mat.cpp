#include "kernels/petsc/base/shared_mat.hpp"

#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {

SharedMat shared(Mat matrix) {
  return {matrix, Destroy()};
}

}  // namespace quadrille::petsc
