#include "kernels/petsc/aij_matrix.hpp"

#include <type_traits>

#include "kernels/petsc/check.hpp"

namespace quadrille::petsc {

static_assert(std::is_same_v<PetscScalar, double>, "Quadrille needs a PETSc with real double scalars");
static_assert(sizeof(PetscInt) == sizeof(std::int32_t), "Quadrille needs a PETSc with 32-bit indices");

AijMatrix::AijMatrix(const Csr<double>& csr) {
  require_initialised();
  const PetscInt rows = to_index32(csr.rows, "rows"), columns = to_index32(csr.columns, "columns");
  // PETSc takes non-const pointers, but MatMult only reads.
  QUADRILLE_PETSC(MatCreateSeqAIJWithArrays(
      PETSC_COMM_SELF, rows, columns, const_cast<PetscInt*>(csr.row_ptr.data()),
      const_cast<PetscInt*>(csr.column.data()), const_cast<PetscScalar*>(csr.value.data()), &matrix_));
  QUADRILLE_PETSC(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, columns, nullptr, &right_));
  QUADRILLE_PETSC(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, nullptr, &left_));
}

AijMatrix::~AijMatrix() {
  VecDestroy(&left_);
  VecDestroy(&right_);
  MatDestroy(&matrix_);
}

namespace {

void apply(PetscErrorCode (*product)(Mat, Vec, Vec), Mat matrix, Vec from, Vec to, const double* x,
           double* y) {
  QUADRILLE_PETSC(VecPlaceArray(from, x));
  QUADRILLE_PETSC(VecPlaceArray(to, y));
  QUADRILLE_PETSC(product(matrix, from, to));
  QUADRILLE_PETSC(VecResetArray(to));
  QUADRILLE_PETSC(VecResetArray(from));
}

}  // namespace

void AijMatrix::multiply(const double* x, double* y) const {
  apply(MatMult, matrix_, right_, left_, x, y);
}

void AijMatrix::multiply_transpose(const double* x, double* y) const {
  apply(MatMultTranspose, matrix_, left_, right_, x, y);
}

}  // namespace quadrille::petsc
