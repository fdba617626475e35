// The values of a matrix on a grid once more, in PETSc's own format in GPU memory, for what cuSPARSE does
// with that alone. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include "kernels/gather_sum.hpp"
#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {

// Whether there is one: of a matrix of one rank whose products run on a GPU, in a PETSc with CUDA.
bool has_gpu_aij(Mat matrix);

class GpuAij {
 public:
  // With every place of the stencil. Of a matrix that has one; no reference to it is kept.
  explicit GpuAij(Mat matrix);
  Mat get() const { return aij_.get(); }
  // The values that the matrix has now, within GPU memory.
  void refresh(Mat matrix);

 private:
  Handle<Mat> aij_;         // MATSEQAIJCUSPARSE
  GatherSum<Device> from_;  // of each entry, its place among the values of the block diagonals
};

}  // namespace quadrille::petsc
