// From and to PETSc's own types, by way of AIJ.
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {
namespace {

// Programs may tell a block size late.
void copy_block_sizes(Mat from, Mat to) {
  PetscInt rows = 1, columns = 1, known_rows = 1, known_columns = 1;
  QUADRILLE_PETSC(MatGetBlockSizes(from, &rows, &columns));
  QUADRILLE_PETSC(MatGetBlockSizes(to, &known_rows, &known_columns));
  if (rows != known_rows || columns != known_columns) QUADRILLE_PETSC(MatSetBlockSizes(to, rows, columns));
}

void copy_near_null_space(Mat from, Mat to) {
  MatNullSpace space = nullptr, known = nullptr;
  QUADRILLE_PETSC(MatGetNearNullSpace(from, &space));
  QUADRILLE_PETSC(MatGetNearNullSpace(to, &known));
  if (space != known) QUADRILLE_PETSC(MatSetNearNullSpace(to, space));
}

}  // namespace

Mat as_aij(Mat m) {
  const Mat aij = typed(m).store().aij();
  copy_block_sizes(m, aij);
  copy_near_null_space(m, aij);
  ISLocalToGlobalMapping rows = nullptr, columns = nullptr, known = nullptr;
  QUADRILLE_PETSC(MatPropagateSymmetryOptions(m, aij));
  QUADRILLE_PETSC(MatGetLocalToGlobalMapping(m, &rows, &columns));
  QUADRILLE_PETSC(MatGetLocalToGlobalMapping(aij, &known, nullptr));
  if (rows != nullptr && columns != nullptr && known != rows)
    QUADRILLE_PETSC(MatSetLocalToGlobalMapping(aij, rows, columns));
  DM dm = nullptr, known_dm = nullptr;
  QUADRILLE_PETSC(MatGetDM(m, &dm));
  QUADRILLE_PETSC(MatGetDM(aij, &known_dm));
  if (dm != known_dm) QUADRILLE_PETSC(MatSetDM(aij, dm));
  return aij;
}

namespace {

// quadrille -> anything that AIJ converts to.
PetscErrorCode convert_to(Mat m, MatType type, MatReuse reuse, Mat* result) {
  return guarded("MatConvert_Quadrille", [&] {
    const Mat aij = as_aij(m);
    if (reuse != MAT_INPLACE_MATRIX) {
      QUADRILLE_PETSC(MatConvert(aij, type, reuse, result));
      return;
    }
    Mat converted = nullptr;
    QUADRILLE_PETSC(MatConvert(aij, type, MAT_INITIAL_MATRIX, &converted));
    // PETSc 3.18 does not call a shell's own destroy operation here.
    set_shell_context(m, nullptr);
    QUADRILLE_PETSC(MatHeaderReplace(m, &converted));
  });
}

// Anything that converts to AIJ -> quadrille.
PetscErrorCode convert_from(Mat other, MatType type, MatReuse reuse, Mat* result) {
  return guarded("MatConvert_Any_Quadrille", [&] {
    Handle<Mat> aij = make<Mat>("MatConvert to aij",
                                [&](Mat* a) { return MatConvert(other, MATAIJ, MAT_INITIAL_MATRIX, a); });
    if (reuse == MAT_REUSE_MATRIX && typed(*result).on_grid()) {
      typed(*result).store().zero();
      add_rows(typed(*result), 1, aij.get());
    } else if (reuse == MAT_REUSE_MATRIX) {
      typed(*result).set_up(make_aij_store(*result, std::move(aij)));
    } else {
      const char* prefix = nullptr;
      QUADRILLE_PETSC(MatGetOptionsPrefix(other, &prefix));
      Handle<Mat> made = empty_like(other, type);
      QUADRILLE_PETSC(MatSetOptionsPrefix(made.get(), prefix));
      typed(made.get()).set_up();  // for its options
      typed(made.get()).set_up(make_aij_store(made.get(), std::move(aij)));
      QUADRILLE_PETSC(MatSetUp(made.get()));
      QUADRILLE_PETSC(MatAssemblyBegin(made.get(), MAT_FINAL_ASSEMBLY));
      QUADRILLE_PETSC(MatAssemblyEnd(made.get(), MAT_FINAL_ASSEMBLY));
      Mat converted = made.release();
      if (reuse == MAT_INPLACE_MATRIX)
        QUADRILLE_PETSC(MatHeaderReplace(other, &converted));
      else
        *result = converted;
      return;
    }
    QUADRILLE_PETSC(MatAssemblyBegin(*result, MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(*result, MAT_FINAL_ASSEMBLY));
  });
}

// From a file, which holds AIJ: onto the grid where there is one, else with the structure of its sparsity.
PetscErrorCode load(Mat m, PetscViewer viewer) {
  return guarded("MatLoad_Quadrille", [&] {
    const auto object = reinterpret_cast<PetscObject>(m);
    PetscInt rows = 0, columns = 0, all_rows = 0, all_columns = 0, row_block = 1, column_block = 1;
    const char *prefix = nullptr, *name = nullptr;
    QUADRILLE_PETSC(MatGetLocalSize(m, &rows, &columns));
    QUADRILLE_PETSC(MatGetSize(m, &all_rows, &all_columns));
    QUADRILLE_PETSC(MatGetBlockSizes(m, &row_block, &column_block));
    QUADRILLE_PETSC(MatGetOptionsPrefix(m, &prefix));
    QUADRILLE_PETSC(PetscObjectGetName(object, &name));
    const MPI_Comm comm = PetscObjectComm(object);
    Handle<Mat> aij = make<Mat>("MatCreate", [=](Mat* a) { return MatCreate(comm, a); });
    QUADRILLE_PETSC(MatSetOptionsPrefix(aij.get(), prefix));
    QUADRILLE_PETSC(
        PetscObjectSetName(reinterpret_cast<PetscObject>(aij.get()), name));  // in files of several
    QUADRILLE_PETSC(MatSetType(aij.get(), MATAIJ));
    const bool sized = all_rows >= 0 || rows >= 0;  // else the file says it
    if (sized) QUADRILLE_PETSC(MatSetSizes(aij.get(), rows, columns, all_rows, all_columns));
    if (row_block > 1 || column_block > 1)
      QUADRILLE_PETSC(MatSetBlockSizes(aij.get(), row_block, column_block));
    QUADRILLE_PETSC(MatLoad(aij.get(), viewer));
    if (!sized) {
      QUADRILLE_PETSC(MatGetLocalSize(aij.get(), &rows, &columns));
      QUADRILLE_PETSC(MatGetSize(aij.get(), &all_rows, &all_columns));
      QUADRILLE_PETSC(MatGetBlockSizes(aij.get(), &row_block, &column_block));
      QUADRILLE_PETSC(MatSetSizes(m, rows, columns, all_rows, all_columns));
      QUADRILLE_PETSC(MatSetBlockSizes(m, row_block, column_block));
    }
    QUADRILLE_PETSC(MatSetUp(m));
    TypedMatrix& t = typed(m);
    if (t.on_grid()) {
      t.store().zero();
      add_rows(t, 1, aij.get());
    } else {
      t.set_up(make_aij_store(m, std::move(aij)));
    }
    QUADRILLE_PETSC(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
    QUADRILLE_PETSC(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
  });
}

}  // namespace

void set_conversions(Mat m) {
  set_operation(m, MATOP_LOAD, load);
  set_operation(m, MATOP_CONVERT, convert_to);
  set_operation(m, MATOP_CONVERT_FROM, convert_from);
}

}  // namespace quadrille::petsc
