#include "kernels/petsc/matrix/shell_matrix.hpp"
#include "kernels/petsc/matrix/factor_error.hpp"

#include <petscmat.h>

#include <string_view>
#include <type_traits>

#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/base/vector_sums.hpp"
#include "kernels/petsc/matrix/scaled_operator.hpp"

namespace quadrille::petsc {

static_assert(std::is_same_v<Mat, _p_Mat*>);
static_assert(std::is_same_v<PetscScalar, double>);

namespace {

Handle<Mat> shell_around(std::unique_ptr<ScaledOperator> scaled, int block_size,
                         MPI_Comm comm = PETSC_COMM_SELF);

ScaledOperator& of(Mat matrix) {
  return shell_context(matrix).scaled(matrix);
}

ScaledOperator& transposable(Mat matrix) {
  return shell_context(matrix).transposable(matrix);
}

int block_size_of(Mat matrix) {
  PetscInt size = 1;
  QUADRILLE_PETSC(MatGetBlockSize(matrix, &size));
  return to_index32(size, "rows of a block");
}

// The callbacks, as PETSc calls them.

PetscErrorCode mult(Mat m, Vec x, Vec y) {
  return guarded("MatMult_Quadrille", [&] { of(m).multiply(x, {y}, false); });
}
PetscErrorCode mult_transpose(Mat m, Vec x, Vec y) {
  return guarded("MatMultTranspose_Quadrille", [&] { transposable(m).multiply(x, {y}, true); });
}
PetscErrorCode mult_add(Mat m, Vec x, Vec y, Vec z) {
  return guarded("MatMultAdd_Quadrille", [&] { of(m).multiply(x, {z, y, 1, 1}, false); });
}
PetscErrorCode mult_transpose_add(Mat m, Vec x, Vec y, Vec z) {
  return guarded("MatMultTransposeAdd_Quadrille", [&] { transposable(m).multiply(x, {z, y, 1, 1}, true); });
}
PetscErrorCode residual(Mat m, Vec b, Vec x, Vec r) {
  return guarded("MatResidual_Quadrille", [&] { of(m).multiply(x, {r, b, -1, 1}, false); });
}
PetscErrorCode get_row(Mat m, PetscInt number, PetscInt* size, PetscInt** columns, PetscScalar** values) {
  return guarded("MatGetRow_Quadrille", [&] {
    const ScaledOperator::Row row = of(m).row(number);
    *size = row.size;
    if (columns != nullptr) *columns = const_cast<PetscInt*>(row.columns);  // for reading, as PETSc says
    if (values != nullptr) *values = const_cast<PetscScalar*>(row.values);
  });
}
PetscErrorCode get_diagonal(Mat m, Vec d) {
  return guarded("MatGetDiagonal_Quadrille", [&] { of(m).diagonal(d); });
}
PetscErrorCode scale(Mat m, PetscScalar factor) {
  return guarded("MatScale_Quadrille", [&] { of(m).scale(factor); });
}
PetscErrorCode shift(Mat m, PetscScalar value) {
  return guarded("MatShift_Quadrille", [&] { of(m).shift(value); });
}
PetscErrorCode diagonal_scale(Mat m, Vec left, Vec right) {
  return guarded("MatDiagonalScale_Quadrille", [&] { of(m).scale_rows_and_columns(left, right); });
}
PetscErrorCode norm(Mat m, NormType type, PetscReal* result) {
  return guarded("MatNorm_Quadrille", [&] { *result = of(m).norm(type); });
}
PetscErrorCode zero_entries(Mat m) {
  return guarded("MatZeroEntries_Quadrille", [&] { of(m).zero(); });
}
PetscErrorCode invert_block_diagonal(Mat m, const PetscScalar** inverses) {
  return guarded("MatInvertBlockDiagonal_Quadrille", [&] {
    bool singular = false;
    *inverses = of(m).inverse_blocks(block_size_of(m), fails_by_error(m), singular);
    set_factor_error(m, singular ? MAT_FACTOR_NUMERIC_ZEROPIVOT : MAT_FACTOR_NOERROR);
  });
}
// What PCPBJACOBI asks for first. It applies where this matrix is, so that goes by the vectors that it is
// for.
[[maybe_unused]] PetscErrorCode get_block_diagonal(Mat m, Mat* blocks) {
  return guarded("MatGetBlockDiagonal_Quadrille", [&] {
    *blocks = of(m).block_diagonal(block_size_of(m), has_gpu_vectors(m) ? MATSEQAIJCUSPARSE : MATSEQAIJ);
  });
}
PetscErrorCode invert_variable_block_diagonal(Mat m, PetscInt count, const PetscInt* sizes,
                                              PetscScalar* inverses) {
  return guarded("MatInvertVariableBlockDiagonal_Quadrille", [&] {
    of(m).inverse_blocks({sizes, static_cast<std::size_t>(count)}, inverses);
  });
}
PetscErrorCode duplicate(Mat m, MatDuplicateOption option, Mat* copy) {
  return guarded("MatDuplicate_Quadrille", [&] {
    *copy = shell_around(of(m).duplicate(option == MAT_COPY_VALUES), block_size_of(m),
                         PetscObjectComm(reinterpret_cast<PetscObject>(m)))
                .release();
  });
}
PetscErrorCode view(Mat m, PetscViewer viewer) {
  return guarded("MatView_Quadrille", [&] { of(m).view(viewer); });
}
PetscErrorCode destroy(Mat m) {
  return guarded("MatDestroy_Quadrille", [&] { set_shell_context(m, nullptr); });
}

template <class Callback>
void set(Mat matrix, MatOperation operation, Callback* callback) {
  QUADRILLE_PETSC(MatShellSetOperation(matrix, operation, reinterpret_cast<void (*)(void)>(callback)));
}

#if defined(PETSC_HAVE_CUDA)
// Of several ranks without an array in host memory until one is asked for, as PETSc makes those of one rank,
// and copies of vectors: else it makes that array and fills it with zeros, in the time of twenty products.
Handle<Vec> made_vector(Mat matrix, PetscLayout layout) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  PetscInt size = 0, all = 0, block = 1;
  PetscMPIInt ranks = 1;
  MPI_Comm_size(comm, &ranks);
  QUADRILLE_PETSC(PetscLayoutGetLocalSize(layout, &size));
  QUADRILLE_PETSC(PetscLayoutGetSize(layout, &all));
  QUADRILLE_PETSC(PetscLayoutGetBlockSize(layout, &block));
  if (has_gpu_vectors(matrix) && ranks > 1) {
    Handle<Vec> vector = make<Vec>("VecCreateMPICUDAWithArrays", [=](Vec* v) {
      return VecCreateMPICUDAWithArrays(comm, block, size, all, nullptr, nullptr, v);
    });
    use_own_sums(vector.get());
    return vector;
  }
  VecType type = nullptr;
  QUADRILLE_PETSC(MatGetVecType(matrix, &type));
  Handle<Vec> vector = make<Vec>("VecCreate", [=](Vec* v) { return VecCreate(comm, v); });
  QUADRILLE_PETSC(VecSetSizes(vector.get(), size, all));
  QUADRILLE_PETSC(VecSetBlockSize(vector.get(), block));
  QUADRILLE_PETSC(VecSetType(vector.get(), type));
  use_own_sums(vector.get());
  return vector;
}

PetscErrorCode create_vectors(Mat m, Vec* right, Vec* left) {
  return guarded("MatCreateVecs_Quadrille", [&] {
    PetscLayout rows = nullptr, columns = nullptr;
    QUADRILLE_PETSC(MatGetLayouts(m, &rows, &columns));
    if (right != nullptr) *right = made_vector(m, columns).release();
    if (left != nullptr) *left = made_vector(m, rows).release();
  });
}
#endif

}  // namespace

void set_shell_operations(Mat matrix, bool transposes, bool square) {
  QUADRILLE_PETSC(MatShellSetManageScalingShifts(matrix));  // off: scalings are ours
  set(matrix, MATOP_MULT, mult);
  set(matrix, MATOP_MULT_ADD, mult_add);
  set(matrix, MATOP_RESIDUAL, residual);
  if (transposes) {
    set(matrix, MATOP_MULT_TRANSPOSE, mult_transpose);
    set(matrix, MATOP_MULT_TRANSPOSE_ADD, mult_transpose_add);
  }
  set(matrix, MATOP_GET_ROW, get_row);  // PETSc 3.18 calls it without a look whether it is there
  set(matrix, MATOP_SCALE, scale);
  set(matrix, MATOP_DIAGONAL_SCALE, diagonal_scale);
  if (square) {
    set(matrix, MATOP_GET_DIAGONAL, get_diagonal);
    set(matrix, MATOP_SHIFT, shift);
    set(matrix, MATOP_INVERT_BLOCK_DIAGONAL, invert_block_diagonal);
    set(matrix, MATOP_INVERT_VBLOCK_DIAGONAL, invert_variable_block_diagonal);
  }
  set(matrix, MATOP_NORM, norm);
  set(matrix, MATOP_ZERO_ENTRIES, zero_entries);
  set(matrix, MATOP_DUPLICATE, duplicate);
  set(matrix, MATOP_VIEW, view);
  set(matrix, MATOP_DESTROY, destroy);
}

ScaledOperator* scaled_behind(Mat matrix) {
  PetscBool shell = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(matrix), &shell, "seqquadrille",
                                            "mpiquadrille", MATSHELL, ""));
  if (!shell) return nullptr;
  void (*multiplies)(void) = nullptr;
  QUADRILLE_PETSC(MatShellGetOperation(matrix, MATOP_MULT, &multiplies));
  return multiplies == reinterpret_cast<void (*)(void)>(mult) ? &of(matrix) : nullptr;
}

bool has_gpu_vectors(Mat matrix) {
  VecType vectors = nullptr;
  QUADRILLE_PETSC(MatGetVecType(matrix, &vectors));
  return std::string_view(vectors).find("cuda") != std::string_view::npos;
}

void set_gpu_vectors(Mat matrix, [[maybe_unused]] bool block_diagonal) {
  QUADRILLE_PETSC(MatShellSetVecType(matrix, VECCUDA));
#if defined(PETSC_HAVE_CUDA)
  set(matrix, MATOP_CREATE_VECS, create_vectors);
#endif
#if PETSC_VERSION_GE(3, 25, 0)
  if (block_diagonal) set(matrix, MATOP_GET_BLOCK_DIAGONAL, get_block_diagonal);
#endif
}

namespace {

Handle<Mat> shell_around(std::unique_ptr<ScaledOperator> scaled, int block_size, MPI_Comm comm) {
  const SpmvOperator<double>& op = *scaled->op();
  const PetscInt rows = to_index32(op.rows(), "rows"), columns = to_index32(op.columns(), "columns");
  Handle<Mat> matrix = make<Mat>("MatCreateShell", [&](Mat* m) {
    return MatCreateShell(comm, rows, columns, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, m);
  });
  if (block_size != 1) QUADRILLE_PETSC(MatSetBlockSize(matrix.get(), block_size));
  const bool square = rows == columns;
  set_shell_operations(matrix.get(), op.has_transpose(), square);
  if (has_cuda() && op.space() == SpaceKind::cuda) set_gpu_vectors(matrix.get(), square);
  set_shell_context(matrix.get(), std::move(scaled));
  return matrix;
}

}  // namespace

_p_Mat* make_shell_matrix(std::shared_ptr<const SpmvOperator<double>> op, const std::string& format,
                          int block_size) {
  require_initialised();
  if (!op) throw FormatError("a shell matrix needs an operator");
  if (block_size < 1 || op->rows() % block_size != 0 || op->columns() % block_size != 0)
    throw FormatError("a shell matrix of " + std::to_string(op->rows()) + " x " +
                      std::to_string(op->columns()) + " has no blocks of " + std::to_string(block_size));
  return shell_around(std::make_unique<ScaledOperator>(std::move(op), format), block_size).release();
}

}  // namespace quadrille::petsc
