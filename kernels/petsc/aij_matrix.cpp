#include "kernels/petsc/aij_matrix.hpp"

#include <type_traits>

#include "kernels/petsc/check.hpp"

namespace quadrille::petsc {

static_assert(std::is_same_v<PetscScalar, double>, "Quadrille needs a PETSc with real double scalars");
static_assert(sizeof(PetscInt) == sizeof(std::int32_t), "Quadrille needs a PETSc with 32-bit indices");

namespace {

// PETSc takes non-const pointers, but what is done with this matrix only reads.
Handle<Mat> aij_over(const Csr<double>& csr) {
  require_initialised();
  const PetscInt rows = to_index32(csr.rows, "rows"), columns = to_index32(csr.columns, "columns");
  return make<Mat>("MatCreateSeqAIJWithArrays", [&](Mat* matrix) {
    return MatCreateSeqAIJWithArrays(
        PETSC_COMM_SELF, rows, columns, const_cast<PetscInt*>(csr.row_ptr.data()),
        const_cast<PetscInt*>(csr.column.data()), const_cast<PetscScalar*>(csr.value.data()), matrix);
  });
}

}  // namespace

Handle<Mat> aij_copy(const Csr<double>& csr, int block_size, [[maybe_unused]] bool on_gpu) {
  const Handle<Mat> over = aij_over(csr);
  Handle<Mat> copy = make<Mat>(
      "MatDuplicate", [&](Mat* matrix) { return MatDuplicate(over.get(), MAT_COPY_VALUES, matrix); });
  QUADRILLE_PETSC(MatSetBlockSize(copy.get(), block_size));
  if (!on_gpu) return copy;
#if defined(PETSC_HAVE_CUDA)
  Mat converted = copy.release();
  check(MatConvert(converted, MATSEQAIJCUSPARSE, MAT_INPLACE_MATRIX, &converted), "MatConvert");
  return Handle<Mat>(converted);
#else
  throw FormatError("MATSEQAIJCUSPARSE needs a PETSc with CUDA");
#endif
}

AijMatrix::AijMatrix(const Csr<double>& csr) {
  matrix_ = aij_over(csr);
  const auto vector = [](std::int64_t size) {
    return make<Vec>("VecCreateSeqWithArray", [=](Vec* v) {
      return VecCreateSeqWithArray(PETSC_COMM_SELF, 1, static_cast<PetscInt>(size), nullptr, v);
    });
  };
  right_ = vector(csr.columns);
  left_ = vector(csr.rows);
}

namespace {

// A vector that borrows an array for a while.
class Placed {
 public:
  Placed(Vec vector, const double* array) : vector_(vector) { QUADRILLE_PETSC(VecPlaceArray(vector, array)); }
  ~Placed() { VecResetArray(vector_); }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

 private:
  Vec vector_;
};

}  // namespace

void AijMatrix::multiply(const double* x, double* y) const {
  const Placed from(right_.get(), x), to(left_.get(), y);
  QUADRILLE_PETSC(MatMult(matrix_.get(), right_.get(), left_.get()));
}

void AijMatrix::multiply_transpose(const double* x, double* y) const {
  const Placed from(left_.get(), x), to(right_.get(), y);
  QUADRILLE_PETSC(MatMultTranspose(matrix_.get(), left_.get(), right_.get()));
}

}  // namespace quadrille::petsc
