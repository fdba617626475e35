// A PETSc MATSEQAIJ over CSR arrays that live elsewhere. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include "formats/csr.hpp"

namespace quadrille::petsc {

// Owns the PETSc objects, not the arrays: `csr` must outlive it. Needs 32-bit PetscInt and real double
// scalars.
class AijMatrix {
 public:
  explicit AijMatrix(const Csr<double>& csr);
  ~AijMatrix();
  AijMatrix(const AijMatrix&) = delete;
  AijMatrix& operator=(const AijMatrix&) = delete;

  // y = A x and y = A^T x by MatMult and MatMultTranspose, without copying x or y.
  void multiply(const double* x, double* y) const;
  void multiply_transpose(const double* x, double* y) const;

 private:
  Mat matrix_ = nullptr;
  Vec right_ = nullptr, left_ = nullptr;  // of columns and of rows, without memory of their own
};

}  // namespace quadrille::petsc
