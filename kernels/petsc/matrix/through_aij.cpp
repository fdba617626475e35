// The operations that PETSc's AIJ does for this type: those that read the whole matrix, and those that change
// it as a whole.
#include "kernels/petsc/matrix/through_aij.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/product_shell.hpp"

namespace quadrille::petsc {
namespace {

template <class Function>
Function* operation_of(Mat m, MatOperation operation) {
  void (*function)(void) = nullptr;
  QUADRILLE_PETSC(MatGetOperation(m, operation, &function));
  if (function == nullptr) throw PetscError("this matrix has no such operation");
  return reinterpret_cast<Function*>(function);
}

void assemble(Mat m) {
  QUADRILLE_PETSC(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
}

// A copy of the values in AIJ is changed by PETSc's own function, and taken over.
template <Name name, auto function>
struct ChangeOfAij;
template <Name name, class... Arguments, PetscErrorCode (*function)(Mat, Arguments...)>
struct ChangeOfAij<name, function> {
  static PetscErrorCode call(Mat m, Arguments... arguments) {
    return guarded(name.text, [&] {
      PetscBool assembled = PETSC_FALSE;
      QUADRILLE_PETSC(MatAssembled(m, &assembled));
      typed(m).store().modify([&](Mat a) { check(function(a, arguments...), name.text); });
      if (!assembled) return assemble(m);
      // As AIJ: the type's own part, without what PETSc shows and forgets at an assembly.
      using AssemblyEnd = PetscErrorCode(Mat, MatAssemblyType);
      QUADRILLE_PETSC(operation_of<AssemblyEnd>(m, MATOP_ASSEMBLY_END)(m, MAT_FINAL_ASSEMBLY));
      mark_changed(m);
    });
  }
};

// What PCEISENSTAT scales with: it must be what SOR takes for the diagonal, which are blocks where AIJ finds
// equal rows.
PetscErrorCode mult_diagonal_block(Mat m, Vec x, Vec y) {
  return guarded("MatMultDiagonalBlock_Quadrille", [&] {
    const Mat aij = as_aij(m);
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
PetscErrorCode equal(Mat m, Mat other, PetscBool* result) {
  return guarded("MatEqual_Quadrille", [&] {
    QUADRILLE_PETSC(MatEqual(as_aij(m), is_typed(other) ? as_aij(other) : other, result));
  });
}
PetscErrorCode transpose(Mat m, MatReuse reuse, Mat* result) {
  return guarded("MatTranspose_Quadrille", [&] { transpose_by(as_aij(m), m, reuse, result); });
}
// Products with AIJ, such as Galerkin coarse operators: the AIJ copy takes this matrix's place in them, and
// is kept up to date from then on. PETSc may ask twice; the second time the place is taken.
PetscErrorCode product_set_from_options(Mat product) {
  return guarded("MatProductSetFromOptions_Quadrille", [&] {
    Mat factors[3] = {};
    QUADRILLE_PETSC(MatProductGetMats(product, &factors[0], &factors[1], &factors[2]));
    for (Mat& factor : factors)
      if (factor != nullptr) factor = is_typed(factor) ? as_aij(factor) : aij_of_shell(factor);
    QUADRILLE_PETSC(MatProductReplaceMats(factors[0], factors[1], factors[2], product));
    QUADRILLE_PETSC(MatProductSetFromOptions(product));
  });
}

// The format and its bytes where a summary is asked for, else the values.
PetscErrorCode view(Mat m, PetscViewer viewer) {
  return guarded("MatView_Quadrille", [&] {
    PetscBool ascii = PETSC_FALSE, string = PETSC_FALSE;
    PetscViewerFormat format = PETSC_VIEWER_DEFAULT;
    QUADRILLE_PETSC(
        PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERSTRING, &string));
    if (string) return;  // of one line about everything: MatView() put the type's name there
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    QUADRILLE_PETSC(PetscViewerGetFormat(viewer, &format));
    if (ascii && (format == PETSC_VIEWER_ASCII_INFO || format == PETSC_VIEWER_ASCII_INFO_DETAIL))
      typed(m).scaled().view(viewer);
    else
      QUADRILLE_PETSC(MatView(as_aij(m), viewer));
  });
}

// Finite differences by colours: AIJ's own functions, on the AIJ copy, whose arrays they remember.

using ColoringSetUp = PetscErrorCode(Mat, ISColoring, MatFDColoring);

PetscErrorCode coloring_create(Mat m, ISColoring colors, MatFDColoring coloring) {
  return guarded("MatFDColoringCreate_Quadrille", [&] {
    const Mat a = as_aij(m);
    QUADRILLE_PETSC(operation_of<ColoringSetUp>(a, MATOP_FDCOLORING_CREATE)(a, colors, coloring));
  });
}
PetscErrorCode coloring_set_up(Mat m, ISColoring colors, MatFDColoring coloring) {
  return guarded("MatFDColoringSetUp_Quadrille", [&] {
    const Mat a = as_aij(m);
    QUADRILLE_PETSC(operation_of<ColoringSetUp>(a, MATOP_FDCOLORING_SETUP)(a, colors, coloring));
  });
}
PetscErrorCode coloring_apply(Mat m, MatFDColoring coloring, Vec x, void* context) {
  return guarded("MatFDColoringApply_Quadrille", [&] {
    typed(m).store().modify([&](Mat a) {
      ColoringApply* const of_dm = typed(m).coloring_by_dm;
      if (of_dm != nullptr)
        QUADRILLE_PETSC(of_dm(m, coloring, x, context));
      else
        QUADRILLE_PETSC(operation_of<ColoringApply>(a, MATOP_FD_COLORING_APPLY)(a, coloring, x, context));
    });
    assemble(m);
  });
}
// MatFDColoringUseDM() puts a function of its own in the place of the one above, which would write into the
// copy's arrays and leave the values there. MatFDColoringApply() calls this one just before.
PetscErrorCode set_unfactored(Mat m) {
  return guarded("MatSetUnfactored_Quadrille", [&] {
    auto* const now = operation_of<ColoringApply>(m, MATOP_FD_COLORING_APPLY);
    if (now == coloring_apply) return;
    typed(m).coloring_by_dm = now;
    set_operation(m, MATOP_FD_COLORING_APPLY, coloring_apply);
  });
}

}  // namespace

void set_products_through_aij(Mat m) {
  // With another one of ours on the other side, and with any other type.
  set_operation(m, MATOP_PRODUCTSETFROMOPTIONS, product_set_from_options);
  QUADRILLE_PETSC(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(m),
                                             "MatProductSetFromOptions_anytype_C", product_set_from_options));
}

namespace {

#define QUADRILLE_READ(operation, function) \
  set_operation(m, operation, ThroughAij<#function "_Quadrille", as_aij, function>::call)
#define QUADRILLE_CHANGE(operation, function) \
  set_operation(m, operation, ChangeOfAij<#function "_Quadrille", function>::call)

void set_reading(Mat m) {
  QUADRILLE_READ(MATOP_NORM, MatNorm);
  QUADRILLE_READ(MATOP_GETINFO, MatGetInfo);
  QUADRILLE_READ(MATOP_SOR, MatSOR);
  QUADRILLE_READ(MATOP_CREATE_SUBMATRICES, MatCreateSubMatrices);
  QUADRILLE_READ(MATOP_CREATE_SUB_MATRICES_MPI, MatCreateSubMatricesMPI);
  QUADRILLE_READ(MATOP_GET_MULTI_PROC_BLOCK, MatGetMultiProcBlock);
  QUADRILLE_READ(MATOP_INCREASE_OVERLAP, MatIncreaseOverlap);
  QUADRILLE_READ(MATOP_COLORING_PATCH, MatColoringPatch);  // of rows that AIJ showed as one
  QUADRILLE_READ(MATOP_GET_SEQ_NONZERO_STRUCTUR, MatGetSeqNonzeroStructure);
  QUADRILLE_READ(MATOP_GET_GHOSTS, MatGetGhosts);
  QUADRILLE_READ(MATOP_IS_SYMMETRIC, MatIsSymmetric);
  QUADRILLE_READ(MATOP_IS_HERMITIAN, MatIsHermitian);
  QUADRILLE_READ(MATOP_GET_ROW_MAX, MatGetRowMax);
  QUADRILLE_READ(MATOP_GET_ROW_MIN, MatGetRowMin);
  QUADRILLE_READ(MATOP_GET_ROW_MAX_ABS, MatGetRowMaxAbs);
  QUADRILLE_READ(MATOP_GET_ROW_MIN_ABS, MatGetRowMinAbs);
  QUADRILLE_READ(MATOP_GET_COLUMN_NORMS, MatGetColumnReductions);
  QUADRILLE_READ(MATOP_GET_COLUMN_VECTOR, MatGetColumnVector);
  QUADRILLE_READ(MATOP_FIND_ZERO_DIAGONALS, MatFindZeroDiagonals);
  QUADRILLE_READ(MATOP_FIND_NONZERO_ROWS, MatFindNonzeroRows);
  QUADRILLE_READ(MATOP_FIND_OFFBLOCK_ENTRIES, MatFindOffBlockDiagonalEntries);
  QUADRILLE_READ(MATOP_PERMUTE, MatPermute);
#if PETSC_VERSION_LT(3, 24, 0)
  QUADRILLE_READ(MATOP_MISSING_DIAGONAL, MatMissingDiagonal);
#endif
#if PETSC_VERSION_GE(3, 25, 0)
  QUADRILLE_READ(MATOP_GET_ROW_SUM_ABS, MatGetRowSumAbs);
#endif
  set_operation(m, MATOP_MULT_DIAGONAL_BLOCK, mult_diagonal_block);
  set_operation(m, MATOP_EQUAL, equal);
  set_operation(m, MATOP_TRANSPOSE, transpose);
  set_operation(m, MATOP_VIEW, view);
  if (distributed(m)) {
    QUADRILLE_READ(MATOP_GET_DIAGONAL_BLOCK, MatGetDiagonalBlock);
  } else {  // as AIJ: of several ranks nobody shows all rows at once
    QUADRILLE_READ(MATOP_GET_ROW_IJ, MatGetRowIJ);
    QUADRILLE_READ(MATOP_RESTORE_ROW_IJ, MatRestoreRowIJ);
    QUADRILLE_READ(MATOP_GET_COLUMN_IJ, MatGetColumnIJ);
    QUADRILLE_READ(MATOP_RESTORE_COLUMN_IJ, MatRestoreColumnIJ);
  }
  // AIJ shows equal rows as one to MatGetOrdering(), which afterwards asks for them all.
  auto* const adjust = ThroughAij<"MatInodeAdjustForInodes_Quadrille", as_aij, MatInodeAdjustForInodes>::call;
  QUADRILLE_PETSC(
      PetscObjectComposeFunction(reinterpret_cast<PetscObject>(m), "MatInodeAdjustForInodes_C", adjust));
}

void set_changing(Mat m) {
  QUADRILLE_CHANGE(MATOP_ZERO_ROWS, MatZeroRows);
  QUADRILLE_CHANGE(MATOP_ZERO_ROWS_COLUMNS, MatZeroRowsColumns);
  QUADRILLE_CHANGE(MATOP_SET_RANDOM, MatSetRandom);
  QUADRILLE_CHANGE(MATOP_REAL_PART, MatRealPart);
  QUADRILLE_CHANGE(MATOP_IMAGINARY_PART, MatImaginaryPart);
  QUADRILLE_CHANGE(MATOP_CONJUGATE, MatConjugate);
  // MATSHELL's own would look for its scalings; without them PETSc maps the indices and calls the two above.
  set_operation(m, MATOP_ZERO_ROWS_LOCAL, static_cast<void (*)()>(nullptr));
#if PETSC_VERSION_GE(3, 24, 0)
  set_operation(m, MATOP_ZERO_ROWS_COLUMNS_LOCAL, static_cast<void (*)()>(nullptr));
#endif
  set_operation(m, MATOP_SET_UNFACTORED, set_unfactored);
  set_operation(m, MATOP_FDCOLORING_CREATE, coloring_create);
  set_operation(m, MATOP_FDCOLORING_SETUP, coloring_set_up);
  set_operation(m, MATOP_FD_COLORING_APPLY, coloring_apply);
}

}  // namespace

void set_aij_operations(Mat m) {
  set_reading(m);
  set_changing(m);
  set_products_through_aij(m);
}

}  // namespace quadrille::petsc
