#include "kernels/petsc/aij/aij_matrix.hpp"

#include <type_traits>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille::petsc {

static_assert(std::is_same_v<PetscScalar, double>, "Quadrille needs a PETSc with real double scalars");

Handle<Mat> aij_copy(const Csr<double>& csr, int block_size, bool on_gpu) {
  require_initialised();
  if (on_gpu && !has_cuda()) throw FormatError("MATSEQAIJCUSPARSE needs a PETSc with CUDA");
  const PetscInt rows = to_index32(csr.rows, "rows"), columns = to_index32(csr.columns, "columns");
  Handle<Mat> matrix = make<Mat>("MatCreate", [](Mat* m) { return MatCreate(PETSC_COMM_SELF, m); });
  QUADRILLE_PETSC(MatSetSizes(matrix.get(), rows, columns, rows, columns));
  QUADRILLE_PETSC(MatSetBlockSize(matrix.get(), block_size));
  QUADRILLE_PETSC(MatSetType(matrix.get(), on_gpu ? MATSEQAIJCUSPARSE : MATSEQAIJ));
  QUADRILLE_PETSC(MatSeqAIJSetPreallocationCSR(matrix.get(), PetscIndices(csr.row_ptr).data(),
                                               PetscIndices(csr.column).data(), csr.value.data()));
  return matrix;
}

AijMatrix::AijMatrix(const Csr<double>& csr) : row_ptr_(csr.row_ptr), column_(csr.column) {
  require_initialised();
  const PetscInt rows = to_index32(csr.rows, "rows"), columns = to_index32(csr.columns, "columns");
  // PETSc takes non-const pointers, but MatMult only reads.
  matrix_ = make<Mat>("MatCreateSeqAIJWithArrays", [&](Mat* matrix) {
    return MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, columns, row_ptr_.writable(), column_.writable(),
                                     const_cast<PetscScalar*>(csr.value.data()), matrix);
  });
  const auto vector = [](PetscInt size) {
    return make<Vec>("VecCreateSeqWithArray",
                     [=](Vec* v) { return VecCreateSeqWithArray(PETSC_COMM_SELF, 1, size, nullptr, v); });
  };
  right_ = vector(columns);
  left_ = vector(rows);
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

void AijMatrix::multiply(const double* x, const Output<double>& y, bool transposed) const {
  const Vec in = transposed ? left_.get() : right_.get(), out = transposed ? right_.get() : left_.get();
  PetscInt size = 0;
  QUADRILLE_PETSC(VecGetLocalSize(out, &size));
  const bool apart = y.alpha != 1 || y.beta != 0;
  Array<double> sums(apart ? size : 0);
  const Placed from(in, x), to(out, apart ? sums.data() : y.to);
  QUADRILLE_PETSC((transposed ? MatMultTranspose : MatMult)(matrix_.get(), in, out));
  for (std::int64_t i = 0; i < sums.size(); ++i) y.put(i, sums[i]);
}

}  // namespace quadrille::petsc
