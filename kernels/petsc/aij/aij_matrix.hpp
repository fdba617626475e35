// A PETSc MATSEQAIJ over CSR arrays that live elsewhere. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include "formats/csr.hpp"
#include "kernels/output.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/indices.hpp"

namespace quadrille::petsc {

// Owns the PETSc objects, not the arrays: `csr` must outlive it. Needs real double scalars; where PetscInt
// has 64 bits the indices are copied.
class AijMatrix {
 public:
  explicit AijMatrix(const Csr<double>& csr);

  // A x and A^T x by MatMult and MatMultTranspose to `y`, without copying x, or y where beta is 0.
  void multiply(const double* x, const Output<double>& y, bool transposed = false) const;

 private:
  PetscIndices row_ptr_, column_;
  Handle<Mat> matrix_;
  Handle<Vec> right_, left_;  // of columns and of rows, without memory of their own
};

// A MATSEQAIJ with arrays of its own, or a MATSEQAIJCUSPARSE. Throws FormatError for the latter where PETSc
// has no CUDA.
Handle<Mat> aij_copy(const Csr<double>& csr, int block_size, bool on_gpu);

}  // namespace quadrille::petsc
