// The operations that PETSc's AIJ does for this type: those that read the whole matrix, and those that change it as a whole.
#include "kernels/petsc/guarded.hpp"
#include "kernels/petsc/matrix_type/matrix.hpp"
#include "kernels/petsc/petsc_error.hpp"
#include "kernels/petsc/transfer_matrix.hpp"

namespace quadrille::petsc {
namespace {

Mat aij_of(Mat m) {
  return typed(m).store().aij();
}

// Reading.

PetscErrorCode norm(Mat m, NormType type, PetscReal* result) {
  return guarded("MatNorm_Quadrille", [&] { QUADRILLE_PETSC(MatNorm(aij_of(m), type, result)); });
}
PetscErrorCode get_info(Mat m, MatInfoType type, MatInfo* info) {
  return guarded("MatGetInfo_Quadrille", [&] { QUADRILLE_PETSC(MatGetInfo(aij_of(m), type, info)); });
}
PetscErrorCode sor(Mat m, Vec b, PetscReal omega, MatSORType type, PetscReal shift, PetscInt its,
                   PetscInt local, Vec x) {
  return guarded("MatSOR_Quadrille",
                 [&] { QUADRILLE_PETSC(MatSOR(aij_of(m), b, omega, type, shift, its, local, x)); });
}
// What PCEISENSTAT scales with: it must be what SOR takes for the diagonal, which are blocks where AIJ finds equal rows.
PetscErrorCode mult_diagonal_block(Mat m, Vec x, Vec y) {
  return guarded("MatMultDiagonalBlock_Quadrille", [&] {
    const Mat aij = aij_of(m);
    PetscBool blocks = PETSC_FALSE;
    QUADRILLE_PETSC(MatHasOperation(aij, MATOP_MULT_DIAGONAL_BLOCK, &blocks));
    if (blocks) {
      QUADRILLE_PETSC(MatMultDiagonalBlock(aij, x, y));
      return;
    }
    QUADRILLE_PETSC(MatGetDiagonal(aij, y));
    QUADRILLE_PETSC(VecPointwiseMult(y, x, y));
  });
}
PetscErrorCode get_diagonal_block(Mat m, Mat* block) {
  return guarded("MatGetDiagonalBlock_Quadrille",
                 [&] { QUADRILLE_PETSC(MatGetDiagonalBlock(aij_of(m), block)); });
}
PetscErrorCode create_submatrix(Mat m, IS rows, IS columns, MatReuse reuse, Mat* result) {
  return guarded("MatCreateSubMatrix_Quadrille",
                 [&] { QUADRILLE_PETSC(MatCreateSubMatrix(aij_of(m), rows, columns, reuse, result)); });
}
PetscErrorCode create_submatrices(Mat m, PetscInt n, const IS rows[], const IS columns[], MatReuse reuse,
                                  Mat* result[]) {
  return guarded("MatCreateSubMatrices_Quadrille",
                 [&] { QUADRILLE_PETSC(MatCreateSubMatrices(aij_of(m), n, rows, columns, reuse, result)); });
}
PetscErrorCode increase_overlap(Mat m, PetscInt n, IS sets[], PetscInt overlap) {
  return guarded("MatIncreaseOverlap_Quadrille",
                 [&] { QUADRILLE_PETSC(MatIncreaseOverlap(aij_of(m), n, sets, overlap)); });
}
PetscErrorCode get_row_ij(Mat m, PetscInt shift, PetscBool symmetric, PetscBool compressed, PetscInt* n,
                          const PetscInt** begin, const PetscInt** column, PetscBool* done) {
  return guarded("MatGetRowIJ_Quadrille", [&] {
    QUADRILLE_PETSC(MatGetRowIJ(aij_of(m), shift, symmetric, compressed, n, begin, column, done));
  });
}
PetscErrorCode restore_row_ij(Mat m, PetscInt shift, PetscBool symmetric, PetscBool compressed, PetscInt* n,
                              const PetscInt** begin, const PetscInt** column, PetscBool* done) {
  return guarded("MatRestoreRowIJ_Quadrille", [&] {
    QUADRILLE_PETSC(MatRestoreRowIJ(aij_of(m), shift, symmetric, compressed, n, begin, column, done));
  });
}
// AIJ shows equal rows as one to MatGetOrdering(), which afterwards asks for them all.
PetscErrorCode adjust_for_inodes(Mat m, IS* rows, IS* columns) {
  return guarded("MatInodeAdjustForInodes_Quadrille",
                 [&] { QUADRILLE_PETSC(MatInodeAdjustForInodes(aij_of(m), rows, columns)); });
}
PetscErrorCode get_column_ij(Mat m, PetscInt shift, PetscBool symmetric, PetscBool compressed, PetscInt* n,
                             const PetscInt** begin, const PetscInt** row, PetscBool* done) {
  return guarded("MatGetColumnIJ_Quadrille", [&] {
    QUADRILLE_PETSC(MatGetColumnIJ(aij_of(m), shift, symmetric, compressed, n, begin, row, done));
  });
}
PetscErrorCode restore_column_ij(Mat m, PetscInt shift, PetscBool symmetric, PetscBool compressed,
                                 PetscInt* n, const PetscInt** begin, const PetscInt** row, PetscBool* done) {
  return guarded("MatRestoreColumnIJ_Quadrille", [&] {
    QUADRILLE_PETSC(MatRestoreColumnIJ(aij_of(m), shift, symmetric, compressed, n, begin, row, done));
  });
}
PetscErrorCode is_symmetric(Mat m, PetscReal tolerance, PetscBool* result) {
  return guarded("MatIsSymmetric_Quadrille",
                 [&] { QUADRILLE_PETSC(MatIsSymmetric(aij_of(m), tolerance, result)); });
}
PetscErrorCode transpose(Mat m, MatReuse reuse, Mat* result) {
  return guarded("MatTranspose_Quadrille", [&] {
    if (reuse == MAT_INPLACE_MATRIX) throw FormatError("a quadrille matrix is not transposed in place");
    QUADRILLE_PETSC(MatTranspose(aij_of(m), reuse, result));
  });
}
#if PETSC_VERSION_LT(3, 24, 0)
PetscErrorCode missing_diagonal(Mat m, PetscBool* missing, PetscInt* row) {
  return guarded("MatMissingDiagonal_Quadrille",
                 [&] { QUADRILLE_PETSC(MatMissingDiagonal(aij_of(m), missing, row)); });
}
#endif

// Products with AIJ, such as Galerkin coarse operators: the AIJ copy takes this matrix's place in them, and is kept up to date
// from then on. PETSc may ask twice; the second time the place is taken.
PetscErrorCode product_set_from_options(Mat product) {
  return guarded("MatProductSetFromOptions_Quadrille", [&] {
    Mat factors[3] = {};
    QUADRILLE_PETSC(MatProductGetMats(product, &factors[0], &factors[1], &factors[2]));
    for (Mat& factor : factors) {
      PetscBool ours = PETSC_FALSE;
      if (factor != nullptr)
        QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(factor), &ours,
                                                  "seqquadrille", "mpiquadrille", ""));
      factor = ours ? aij_of(factor) : factor != nullptr ? aij_of_transfer(factor) : nullptr;
    }
    QUADRILLE_PETSC(MatProductReplaceMats(factors[0], factors[1], factors[2], product));
    QUADRILLE_PETSC(MatProductSetFromOptions(product));
  });
}

// The format and its bytes where a summary is asked for, else the values.
PetscErrorCode view(Mat m, PetscViewer viewer) {
  return guarded("MatView_Quadrille", [&] {
    PetscBool ascii = PETSC_FALSE;
    PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    QUADRILLE_PETSC(PetscViewerGetFormat(viewer, &format));
    if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL))
      typed(m).scaled().view(viewer);
    else
      QUADRILLE_PETSC(MatView(aij_of(m), viewer));
  });
}

// Changing: a copy of the values in AIJ is changed, and taken over.

template <class Change>
PetscErrorCode changed(const char* function, Mat m, const Change& change) {
  return guarded(function, [&] {
    typed(m).store().modify(change);
    // The public way to tell preconditioners that values are new.
    QUADRILLE_PETSC(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  });
}

PetscErrorCode shift(Mat m, PetscScalar value) {
  return changed("MatShift_Quadrille", m, [&](Mat a) { QUADRILLE_PETSC(MatShift(a, value)); });
}
PetscErrorCode diagonal_set(Mat m, Vec diagonal, InsertMode mode) {
  return changed("MatDiagonalSet_Quadrille", m,
                 [&](Mat a) { QUADRILLE_PETSC(MatDiagonalSet(a, diagonal, mode)); });
}
PetscErrorCode diagonal_scale(Mat m, Vec left, Vec right) {
  return changed("MatDiagonalScale_Quadrille", m,
                 [&](Mat a) { QUADRILLE_PETSC(MatDiagonalScale(a, left, right)); });
}
PetscErrorCode zero_rows(Mat m, PetscInt n, const PetscInt rows[], PetscScalar diagonal, Vec x, Vec b) {
  return changed("MatZeroRows_Quadrille", m,
                 [&](Mat a) { QUADRILLE_PETSC(MatZeroRows(a, n, rows, diagonal, x, b)); });
}
PetscErrorCode zero_rows_columns(Mat m, PetscInt n, const PetscInt rows[], PetscScalar diagonal, Vec x,
                                 Vec b) {
  return changed("MatZeroRowsColumns_Quadrille", m,
                 [&](Mat a) { QUADRILLE_PETSC(MatZeroRowsColumns(a, n, rows, diagonal, x, b)); });
}

// Finite differences by colours: AIJ's own functions, on the AIJ copy, whose arrays they remember.

template <class Function>
Function* operation_of(Mat aij, MatOperation operation) {
  void (*function)(void) = nullptr;
  QUADRILLE_PETSC(MatGetOperation(aij, operation, &function));
  if (function == nullptr) throw PetscError("PETSc's AIJ has no such operation");
  return reinterpret_cast<Function*>(function);
}
using ColoringSetUp = PetscErrorCode(Mat, ISColoring, MatFDColoring);
using ColoringApply = PetscErrorCode(Mat, MatFDColoring, Vec, void*);

PetscErrorCode coloring_create(Mat m, ISColoring colors, MatFDColoring coloring) {
  return guarded("MatFDColoringCreate_Quadrille", [&] {
    const Mat a = aij_of(m);
    QUADRILLE_PETSC(operation_of<ColoringSetUp>(a, MATOP_FDCOLORING_CREATE)(a, colors, coloring));
  });
}
PetscErrorCode coloring_set_up(Mat m, ISColoring colors, MatFDColoring coloring) {
  return guarded("MatFDColoringSetUp_Quadrille", [&] {
    const Mat a = aij_of(m);
    QUADRILLE_PETSC(operation_of<ColoringSetUp>(a, MATOP_FDCOLORING_SETUP)(a, colors, coloring));
  });
}
PetscErrorCode coloring_apply(Mat m, MatFDColoring coloring, Vec x, void* context) {
  return changed("MatFDColoringApply_Quadrille", m, [&](Mat a) {
    QUADRILLE_PETSC(operation_of<ColoringApply>(a, MATOP_FD_COLORING_APPLY)(a, coloring, x, context));
  });
}

}  // namespace

void set_products_with_transfer(Mat transfer) {
  for (const char* name :
       {"MatProductSetFromOptions_seqquadrille_shell_C", "MatProductSetFromOptions_seqaij_shell_C",
        "MatProductSetFromOptions_mpiquadrille_shell_C", "MatProductSetFromOptions_mpiaij_shell_C"})
    QUADRILLE_PETSC(
        PetscObjectComposeFunction(reinterpret_cast<PetscObject>(transfer), name, product_set_from_options));
}

void set_aij_operations(Mat m) {
  set_operation(m, MATOP_NORM, norm);
  set_operation(m, MATOP_GETINFO, get_info);
  set_operation(m, MATOP_SOR, sor);
  set_operation(m, MATOP_MULT_DIAGONAL_BLOCK, mult_diagonal_block);
  int ranks = 1;
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(m)), &ranks);
  if (ranks > 1) set_operation(m, MATOP_GET_DIAGONAL_BLOCK, get_diagonal_block);
  set_operation(m, MATOP_CREATE_SUBMATRIX, create_submatrix);
  set_operation(m, MATOP_CREATE_SUBMATRICES, create_submatrices);
  set_operation(m, MATOP_INCREASE_OVERLAP, increase_overlap);
  set_operation(m, MATOP_GET_ROW_IJ, get_row_ij);
  set_operation(m, MATOP_RESTORE_ROW_IJ, restore_row_ij);
  QUADRILLE_PETSC(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(m), "MatInodeAdjustForInodes_C",
                                             adjust_for_inodes));
  set_operation(m, MATOP_GET_COLUMN_IJ, get_column_ij);
  set_operation(m, MATOP_RESTORE_COLUMN_IJ, restore_column_ij);
  // MAIJ is what a DMDA of several unknowns a node interpolates with.
  for (const char* name :
       {"MatProductSetFromOptions_seqquadrille_seqaij_C", "MatProductSetFromOptions_mpiquadrille_mpiaij_C",
        "MatProductSetFromOptions_seqquadrille_seqmaij_C", "MatProductSetFromOptions_mpiquadrille_mpimaij_C"})
    QUADRILLE_PETSC(
        PetscObjectComposeFunction(reinterpret_cast<PetscObject>(m), name, product_set_from_options));
  set_operation(m, MATOP_IS_SYMMETRIC, is_symmetric);
  set_operation(m, MATOP_TRANSPOSE, transpose);
#if PETSC_VERSION_LT(3, 24, 0)
  set_operation(m, MATOP_MISSING_DIAGONAL, missing_diagonal);
#endif
  set_operation(m, MATOP_VIEW, view);
  set_operation(m, MATOP_SHIFT, shift);
  set_operation(m, MATOP_DIAGONAL_SET, diagonal_set);
  set_operation(m, MATOP_DIAGONAL_SCALE, diagonal_scale);
  set_operation(m, MATOP_ZERO_ROWS, zero_rows);
  set_operation(m, MATOP_ZERO_ROWS_COLUMNS, zero_rows_columns);
  // MATSHELL's own would look for its scalings; without them PETSc maps the indices and calls the two above.
  set_operation(m, MATOP_ZERO_ROWS_LOCAL, static_cast<void (*)()>(nullptr));
#if PETSC_VERSION_GE(3, 24, 0)
  set_operation(m, MATOP_ZERO_ROWS_COLUMNS_LOCAL, static_cast<void (*)()>(nullptr));
#endif
  set_operation(m, MATOP_FDCOLORING_CREATE, coloring_create);
  set_operation(m, MATOP_FDCOLORING_SETUP, coloring_set_up);
  set_operation(m, MATOP_FD_COLORING_APPLY, coloring_apply);
}

}  // namespace quadrille::petsc
