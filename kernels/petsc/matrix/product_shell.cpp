#include "kernels/petsc/matrix/product_shell.hpp"

#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/matrix/through_aij.hpp"

namespace quadrille::petsc {
namespace {

ProductOfShell& of(Mat matrix) {
  ProductOfShell* product = nullptr;
  QUADRILLE_PETSC(MatShellGetContext(matrix, &product));
  return *product;
}
Mat aij_of(Mat m) {
  return of(m).aij(PetscObjectComm(reinterpret_cast<PetscObject>(m)));
}

PetscErrorCode mult(Mat m, Vec x, Vec y) {
  return guarded("MatMult_QuadrilleShell", [=] { of(m).multiply(x, {y}, false); });
}
PetscErrorCode mult_transpose(Mat m, Vec x, Vec y) {
  return guarded("MatMultTranspose_QuadrilleShell", [=] { of(m).multiply(x, {y}, true); });
}
PetscErrorCode mult_add(Mat m, Vec x, Vec y, Vec z) {
  return guarded("MatMultAdd_QuadrilleShell", [=] { of(m).multiply(x, {z, y, 1, 1}, false); });
}
PetscErrorCode mult_transpose_add(Mat m, Vec x, Vec y, Vec z) {
  return guarded("MatMultTransposeAdd_QuadrilleShell", [=] { of(m).multiply(x, {z, y, 1, 1}, true); });
}
PetscErrorCode convert(Mat m, MatType type, MatReuse reuse, Mat* result) {
  return guarded("MatConvert_QuadrilleShell", [=] {
    if (reuse == MAT_INPLACE_MATRIX)
      throw FormatError("a shell around a product of Quadrille is not converted in place");
    QUADRILLE_PETSC(MatConvert(aij_of(m), type, reuse, result));
  });
}
PetscErrorCode transpose(Mat m, MatReuse reuse, Mat* result) {
  return guarded("MatTranspose_QuadrilleShell", [=] { transpose_by(aij_of(m), m, reuse, result); });
}
PetscErrorCode destroy(Mat m) {
  return guarded("MatDestroy_QuadrilleShell", [=] {
    ProductOfShell* product = nullptr;
    QUADRILLE_PETSC(MatShellGetContext(m, &product));
    delete product;
    QUADRILLE_PETSC(MatShellSetContext(m, nullptr));
  });
}

template <class Callback>
void set(Mat matrix, MatOperation operation, Callback* callback) {
  QUADRILLE_PETSC(MatShellSetOperation(matrix, operation, reinterpret_cast<void (*)(void)>(callback)));
}

#define QUADRILLE_READ(operation, function) \
  set(m, operation, ThroughAij<#function "_QuadrilleShell", aij_of, function>::call)

// What needs single entries reads them from AIJ.
void set_reading(Mat m) {
  QUADRILLE_READ(MATOP_GET_ROW, MatGetRow);
  QUADRILLE_READ(MATOP_RESTORE_ROW, MatRestoreRow);
  QUADRILLE_READ(MATOP_GET_VALUES, MatGetValues);
  QUADRILLE_READ(MATOP_NORM, MatNorm);
  QUADRILLE_READ(MATOP_GETINFO, MatGetInfo);
  QUADRILLE_READ(MATOP_VIEW, MatView);
  QUADRILLE_READ(MATOP_DUPLICATE, MatDuplicate);
  QUADRILLE_READ(MATOP_CREATE_SUBMATRIX, MatCreateSubMatrix);
  QUADRILLE_READ(MATOP_CREATE_SUBMATRICES, MatCreateSubMatrices);
  QUADRILLE_READ(MATOP_GET_COLUMN_NORMS, MatGetColumnReductions);
  QUADRILLE_READ(MATOP_GET_ROW_MAX_ABS, MatGetRowMaxAbs);
  set(m, MATOP_CONVERT, convert);
  set(m, MATOP_TRANSPOSE, transpose);
}

}  // namespace

Handle<Mat> make_product_shell(const ShellLayout& layout, std::unique_ptr<ProductOfShell> product) {
  Handle<Mat> matrix = make<Mat>("MatCreateShell", [&](Mat* m) {
    return MatCreateShell(layout.comm, layout.rows, layout.columns, PETSC_DETERMINE, PETSC_DETERMINE, nullptr,
                          m);
  });
  QUADRILLE_PETSC(MatSetBlockSizes(matrix.get(), layout.row_block, layout.column_block));
#if defined(PETSC_HAVE_CUDA)
  if (layout.on_gpu) QUADRILLE_PETSC(MatShellSetVecType(matrix.get(), VECCUDA));
#endif
  QUADRILLE_PETSC(MatShellSetManageScalingShifts(matrix.get()));  // off: there are none
  set(matrix.get(), MATOP_MULT, mult);
  set(matrix.get(), MATOP_MULT_ADD, mult_add);
  set(matrix.get(), MATOP_MULT_TRANSPOSE, mult_transpose);
  set(matrix.get(), MATOP_MULT_TRANSPOSE_ADD, mult_transpose_add);
  set_reading(matrix.get());
  set(matrix.get(), MATOP_DESTROY, destroy);
  QUADRILLE_PETSC(MatShellSetContext(matrix.get(), product.get()));
  product.release();  // the matrix's own from here on
  return matrix;
}

ProductOfShell* product_of_shell(Mat matrix) {
  PetscBool is_shell = PETSC_FALSE;
  void (*multiply)(void) = nullptr;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATSHELL, &is_shell));
  if (is_shell) QUADRILLE_PETSC(MatShellGetOperation(matrix, MATOP_MULT, &multiply));
  return multiply == reinterpret_cast<void (*)(void)>(mult) ? &of(matrix) : nullptr;
}

Mat aij_of_shell(Mat matrix) {
  return product_of_shell(matrix) != nullptr ? aij_of(matrix) : nullptr;
}

}  // namespace quadrille::petsc
