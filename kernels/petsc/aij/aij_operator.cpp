#include "kernels/petsc/aij/aij_operator.hpp"

#include <utility>

#include "kernels/cuda/begin_sums.hpp"
#include "kernels/petsc/aij/aij_matrix.hpp"
#include "kernels/petsc/base/device_work.hpp"

namespace quadrille::petsc {
namespace {

class AijOperator final : public SpmvOperator<double> {
 public:
  explicit AijOperator(std::shared_ptr<const Csr<double>> csr) : csr_(std::move(csr)), matrix_(*csr_) {}

  std::int64_t rows() const override { return csr_->rows; }
  std::int64_t columns() const override { return csr_->columns; }
  SpaceKind space() const override { return SpaceKind::cpu; }
  Traffic traffic() const override { return quadrille::traffic(*csr_); }
  void multiply(Queue, const double* x, const Output<double>& y) const override { matrix_.multiply(x, y); }
  bool has_transpose() const override { return true; }
  void multiply_transposed(Queue, const double* x, const Output<double>& y) const override {
    matrix_.multiply(x, y, true);
  }
  Csr<double> to_csr() const override { return copy_to<Host>(*csr_); }

 private:
  std::shared_ptr<const Csr<double>> csr_;
  AijMatrix matrix_;
};

#if defined(PETSC_HAVE_CUDA)
// Borrows an array in GPU memory for a while.
class PlacedOnGpu {
 public:
  PlacedOnGpu(Vec vector, const double* array) : vector_(vector) {
    QUADRILLE_PETSC(VecCUDAPlaceArray(vector, array));
  }
  ~PlacedOnGpu() { VecCUDAResetArray(vector_); }
  PlacedOnGpu(const PlacedOnGpu&) = delete;
  PlacedOnGpu& operator=(const PlacedOnGpu&) = delete;

 private:
  Vec vector_;
};

class AijCusparseOperator final : public SpmvOperator<double> {
 public:
  explicit AijCusparseOperator(std::shared_ptr<const Csr<double>> csr)
      : csr_(std::move(csr)), matrix_(aij_copy(*csr_, 1, true)) {
    const auto vector = [](std::int64_t size) {
      return make<Vec>("VecCreateSeqCUDAWithArrays", [=](Vec* v) {
        return VecCreateSeqCUDAWithArrays(PETSC_COMM_SELF, 1, static_cast<PetscInt>(size), nullptr, nullptr,
                                          v);
      });
    };
    right_ = vector(csr_->columns);
    left_ = vector(csr_->rows);
  }

  std::int64_t rows() const override { return csr_->rows; }
  std::int64_t columns() const override { return csr_->columns; }
  SpaceKind space() const override { return SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(*csr_); }
  void multiply(Queue queue, const double* x, const Output<double>& y) const override {
    run(queue, x, y, MatMult, right_.get(), left_.get());
  }
  bool has_transpose() const override { return true; }
  void multiply_transposed(Queue queue, const double* x, const Output<double>& y) const override {
    run(queue, x, y, MatMultTranspose, left_.get(), right_.get());
  }
  Csr<double> to_csr() const override { return copy_to<Host>(*csr_); }

 private:
  // In PETSc's queue, which the other one waits for.
  void run(Queue queue, const double* x, const Output<double>& y, PetscErrorCode (*product)(Mat, Vec, Vec),
           Vec in, Vec out) const {
    PetscInt size = 0;
    QUADRILLE_PETSC(VecGetLocalSize(out, &size));
    if (y.beta != 0) cuda::begin_sums(queue, y, size);
    const Queue petsc = current_queue();
    cuda::wait_for(queue, petsc);
    const PlacedOnGpu from(in, x), to(out, y.to);
    if (y.beta == 0) {
      QUADRILLE_PETSC(product(matrix_.get(), in, out));
      if (y.alpha != 1) QUADRILLE_PETSC(VecScale(out, y.alpha));
    } else {
      const Handle<Vec> sums =
          make<Vec>("VecCreateSeqCUDA", [=](Vec* v) { return VecCreateSeqCUDA(PETSC_COMM_SELF, size, v); });
      QUADRILLE_PETSC(product(matrix_.get(), in, sums.get()));
      QUADRILLE_PETSC(VecAXPY(out, y.alpha, sums.get()));
    }
    cuda::wait_for(petsc, queue);
  }

  std::shared_ptr<const Csr<double>> csr_;
  Handle<Mat> matrix_;
  Handle<Vec> right_, left_;  // of columns and of rows, without memory of their own
};
#endif

}  // namespace

std::unique_ptr<SpmvOperator<double>> make_aijcusparse_operator(
    [[maybe_unused]] std::shared_ptr<const Csr<double>> csr) {
#if defined(PETSC_HAVE_CUDA)
  return std::make_unique<AijCusparseOperator>(std::move(csr));
#else
  throw FormatError("MATSEQAIJCUSPARSE needs a PETSc with CUDA");
#endif
}

std::unique_ptr<SpmvOperator<double>> make_aij_operator(std::shared_ptr<const Csr<double>> csr) {
  return std::make_unique<AijOperator>(std::move(csr));
}

}  // namespace quadrille::petsc
