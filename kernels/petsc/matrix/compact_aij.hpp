// AIJ as small as it can be, unlike Store::aij(), which has every place of the stencil. Internal to
// kernels/petsc.
#pragma once

#include <petscmat.h>

#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {

// The values of a matrix on a grid that are not zero or couple by its fill, and its whole diagonal, as MATAIJ
// or MATAIJCUSPARSE.
// Collective. Throws FormatError for a GPU where PETSc has no CUDA.
Handle<Mat> compact_aij(Mat matrix, bool on_gpu);

}  // namespace quadrille::petsc
