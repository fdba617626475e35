// What stands behind a shell matrix: the operator A and what MatScale, MatShift and MatDiagonalScale made of
// it. Internal to kernels/petsc.
#pragma once

#include <petscmat.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/array.hpp"
#include "formats/csr.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/shell_context.hpp"
#include "kernels/petsc/matrix/vector_product.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// What a rank's product needs of other ranks: y += alpha B g with the values g of x that they own, or g +=
// alpha B^T x of x's own.
class RankCoupling {
 public:
  virtual ~RankCoupling() = default;
  virtual void begin(Vec x, double alpha, bool transposed) = 0;  // before this rank's own product
  virtual void end(Vec y, double alpha, bool transposed) = 0;    // after it: adds alpha times its sums to y
};

// scale L A R + shift I + D, with diagonal matrices L, R and D. Every member throws; nothing here is a
// callback.
class ScaledOperator final : public ShellContext {
 public:
  // `coupling` where A is the part of a distributed operator that this rank's rows and columns have in
  // common. All but the products and the diagonal are then of this part alone. `entries`: how many numbers A
  // has, where that is known better than to `op`.
  ScaledOperator(std::shared_ptr<const SpmvOperator<double>> op, std::string format,
                 std::shared_ptr<RankCoupling> coupling = nullptr, std::int64_t entries = -1)
      : op_(std::move(op)),
        format_(std::move(format)),
        coupling_(std::move(coupling)),
        entries_(entries >= 0 ? entries : op_->entries()) {}
  ScaledOperator& scaled(Mat) override { return *this; }
  // Shares the operator and copies the scaling; zero where `values` are not wanted.
  std::unique_ptr<ScaledOperator> duplicate(bool values) const;

  // M x, or M^T x, to `y`.
  void multiply(Vec x, const VecOutput& y, bool transposed);

  // While `request` stands, products M x that are A x, of one rank, give x . A x where they can
  // (SpmvOperator::multiply_with_dot(), for which A is prepared here); null for none.
  struct Dot {
    double* dots = nullptr;
    bool made = false;
  };
  void ask_dot(Dot* request);

  void scale(double factor);
  void shift(double value) { shift_ += value; }
  void scale_rows_and_columns(Vec left, Vec right);  // either may be null
  void zero();

  struct Row {
    PetscInt size;
    const PetscInt* columns;
    const double* values;
  };
  // Of an operator of one rank; valid until the next call. It comes from a CSR copy of A, which is made at
  // the first call and kept.
  Row row(PetscInt row);
  void diagonal(Vec d) const;
  double norm(NormType type) const;
  // The blocks on the diagonal as a matrix of that type (MATSEQAIJ, MATSEQAIJCUSPARSE) and block size, a
  // reference for the caller; kept until the next call, for PETSc keeps a pointer into it after it has
  // destroyed its own reference.
  Mat block_diagonal(int size, MatType type);
  // Their inverses, each [column][row]; of one size, kept until the next call, or of several. Throws
  // PetscError where one is singular; the former only if that is to be an error, and says it otherwise.
  const double* inverse_blocks(int size, bool singular_is_error, bool& singular);
  void inverse_blocks(std::span<const PetscInt> sizes, double* inverses) const;

  // After a change in the arrays of the operator.
  void values_changed() {
    rows_.reset();
    non_zeros_ = -1;
  }

  // The blocks that PETSc may still point to, for the operator that takes this one's place.
  Handle<Mat> take_blocks() { return std::move(blocks_); }
  void keep_blocks(Handle<Mat> blocks) { blocks_ = std::move(blocks); }

  void view(PetscViewer viewer);
  const std::shared_ptr<const SpmvOperator<double>>& op() const { return op_; }

 private:
  // Whether this is A itself.
  bool is_plain() const { return scale_ == 1 && shift_ == 0 && !left_ && !right_ && !diagonal_; }
  void apply(Vec x, const VecOutput& y, bool transposed);  // with A
  bool gives_dot(const VecOutput& y, bool transposed) const;
  const Csr<double>& rows();
  void scale_and_shift_blocks(double* blocks, std::span<const PetscInt> sizes) const;
  // `work`, made anew where it has not the size and the type of `model`.
  Vec work_like(Handle<Vec>& work, Vec model);

  std::shared_ptr<const SpmvOperator<double>> op_;
  std::string format_;
  std::shared_ptr<RankCoupling> coupling_;
  std::int64_t entries_;                     // or -1
  std::shared_ptr<const Csr<double>> rows_;  // made when first needed
  std::vector<PetscInt> row_columns_;        // what row() gave last
  std::vector<double> row_values_;
  double scale_ = 1, shift_ = 0;
  Handle<Vec> left_, right_, diagonal_;  // L, R and D; null for I, I and 0
  Handle<Vec> scaled_x_, product_;       // made when first needed, as x and y of the last product
  VectorProduct product_of_vectors_;
  Dot* dot_ = nullptr;           // that is asked for
  Handle<Mat> blocks_;           // what block_diagonal() gave last
  std::int64_t non_zeros_ = -1;  // unknown until MatView asks
};

}  // namespace quadrille::petsc
