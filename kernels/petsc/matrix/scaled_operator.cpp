#include "kernels/petsc/matrix/scaled_operator.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"

namespace quadrille::petsc {
namespace {

Handle<Vec> like(Vec model) {
  return make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(model, v); });
}

Handle<Vec> copy_of(Vec from) {
  Handle<Vec> copy = like(from);
  QUADRILLE_PETSC(VecCopy(from, copy.get()));
  return copy;
}

// Whether both are of one type, and so in one kind of memory.
bool same_type(Vec a, Vec b) {
  VecType type = nullptr;
  PetscBool same = PETSC_FALSE;
  QUADRILLE_PETSC(VecGetType(b, &type));
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(a), type, &same));
  return same;
}

// The vector `of` in the kind of memory that `model` has, kept as that from then on. Null stays null.
Vec beside(Handle<Vec>& of, Vec model) {
  if (of && !same_type(of.get(), model)) {
    Handle<Vec> moved = like(model);
    QUADRILLE_PETSC(VecCopy(of.get(), moved.get()));
    of = std::move(moved);
  }
  return of.get();
}

// into .*= by, where `by` may be none.
void multiply_into(Handle<Vec>& into, Vec by) {
  if (by == nullptr) return;
  if (into)
    QUADRILLE_PETSC(VecPointwiseMult(beside(into, by), into.get(), by));
  else
    into = copy_of(by);
}

// A matrix of blocks on the diagonal, each [column][row]; all of one size where `sizes` says so.
Handle<Mat> aij_of_blocks(const double* blocks, std::span<const PetscInt> sizes, MatType type) {
  std::vector<PetscInt> lengths;
  for (const PetscInt size : sizes) lengths.insert(lengths.end(), static_cast<std::size_t>(size), size);
  const PetscInt rows = to_index32(static_cast<std::int64_t>(lengths.size()), "rows");
  Handle<Mat> matrix =
      make<Mat>("MatCreate", [](Mat* created) { return MatCreate(PETSC_COMM_SELF, created); });
  QUADRILLE_PETSC(MatSetSizes(matrix.get(), rows, rows, rows, rows));
  QUADRILLE_PETSC(MatSetType(matrix.get(), type));
  if (!sizes.empty() && std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end())
    QUADRILLE_PETSC(MatSetBlockSize(matrix.get(), sizes.front()));
  QUADRILLE_PETSC(MatSeqAIJSetPreallocation(matrix.get(), 0, lengths.data()));
  QUADRILLE_PETSC(MatSetOption(matrix.get(), MAT_ROW_ORIENTED, PETSC_FALSE));
  std::vector<PetscInt> indices;
  PetscInt first = 0;
  for (const PetscInt size : sizes) {
    indices.resize(static_cast<std::size_t>(size));
    std::iota(indices.begin(), indices.end(), first);
    QUADRILLE_PETSC(
        MatSetValues(matrix.get(), size, indices.data(), size, indices.data(), blocks, INSERT_VALUES));
    first += size;
    blocks += static_cast<std::int64_t>(size) * size;
  }
  QUADRILLE_PETSC(MatAssemblyBegin(matrix.get(), MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(matrix.get(), MAT_FINAL_ASSEMBLY));
  return matrix;
}

bool inverts(Mat blocks, const PetscScalar** inverses) {
  MatFactorError error = MAT_FACTOR_NOERROR;
  QUADRILLE_PETSC(MatInvertBlockDiagonal(blocks, inverses));
  QUADRILLE_PETSC(MatFactorGetError(blocks, &error));
  return error == MAT_FACTOR_NOERROR;
}

// PETSc does not say which block it could not invert.
[[noreturn]] void name_singular_block(Mat all, PetscInt size) {
  std::vector<PetscInt> rows(static_cast<std::size_t>(size));
  std::vector<double> block(rows.size() * rows.size());
  PetscInt count = 0;
  QUADRILLE_PETSC(MatGetLocalSize(all, &count, nullptr));
  for (PetscInt first = 0; first < count; first += size) {
    std::iota(rows.begin(), rows.end(), first);
    QUADRILLE_PETSC(MatGetValues(all, size, rows.data(), size, rows.data(), block.data()));
    const PetscScalar* inverse = nullptr;
    if (!inverts(aij_of_blocks(block.data(), std::span(&size, 1), MATSEQAIJ).get(), &inverse))
      throw quadrille::PetscError("the diagonal block " + std::to_string(first / size) + ", rows " +
                                  std::to_string(first) + " to " + std::to_string(first + size - 1) +
                                  ", is singular");
  }
  throw quadrille::PetscError("a diagonal block is singular");
}

}  // namespace

std::unique_ptr<ScaledOperator> ScaledOperator::duplicate(bool values) const {
  auto result = std::make_unique<ScaledOperator>(op_, format_, coupling_, entries_);
  result->non_zeros_ = non_zeros_;
  result->rows_ = rows_;
  result->scale_ = values ? scale_ : 0;
  if (!values) return result;
  result->shift_ = shift_;
  if (left_) result->left_ = copy_of(left_.get());
  if (right_) result->right_ = copy_of(right_.get());
  if (diagonal_) result->diagonal_ = copy_of(diagonal_.get());
  return result;
}

Vec ScaledOperator::work_like(Handle<Vec>& work, Vec model) {
  PetscInt has = -1, needs = 0;
  if (work) QUADRILLE_PETSC(VecGetLocalSize(work.get(), &has));
  QUADRILLE_PETSC(VecGetLocalSize(model, &needs));
  if (has != needs || !same_type(work.get(), model)) work = like(model);
  return work.get();
}

void ScaledOperator::apply(Vec x, const VecOutput& y, bool transposed) {
  if (coupling_) coupling_->begin(x, y.alpha, transposed);
  double* const dots = gives_dot(y, transposed) ? dot_->dots : nullptr;
  const bool made = product_of_vectors_.run(*op_, x, y, transposed, entries_, dots);
  if (dots != nullptr) dot_->made = made;
  if (coupling_) coupling_->end(y.to, y.alpha, transposed);
}

void ScaledOperator::multiply(Vec x, const VecOutput& y, bool transposed) {
  const Vec before = beside(transposed ? left_ : right_, x),
            after = beside(transposed ? right_ : left_, y.to);
  const double alpha = y.alpha * scale_;
  Vec from = x;
  if (alpha != 0 && before != nullptr) {
    from = work_like(scaled_x_, x);
    QUADRILLE_PETSC(VecPointwiseMult(from, x, before));
  }
  if (alpha == 0) {
    begin_sums(y);
  } else if (after == nullptr) {
    apply(from, {y.to, y.from, alpha, y.beta}, transposed);
  } else {  // the rows of A alone are scaled
    const Vec product = y.beta == 0 ? y.to : work_like(product_, y.to);
    apply(from, {product, nullptr, alpha}, transposed);
    QUADRILLE_PETSC(VecPointwiseMult(product, product, after));
    if (product != y.to) {
      begin_sums(y);
      QUADRILLE_PETSC(VecAXPY(y.to, 1, product));
    }
  }
  if (shift_ != 0) QUADRILLE_PETSC(VecAXPY(y.to, y.alpha * shift_, x));
  if (diagonal_) {
    const Vec part = work_like(scaled_x_, x);
    QUADRILLE_PETSC(VecPointwiseMult(part, x, beside(diagonal_, x)));
    QUADRILLE_PETSC(VecAXPY(y.to, y.alpha, part));
  }
}

void ScaledOperator::ask_dot(Dot* request) {
  dot_ = request != nullptr && op_->prepare_dot() ? request : nullptr;
}

bool ScaledOperator::gives_dot(const VecOutput& y, bool transposed) const {
  return dot_ != nullptr && is_plain() && !coupling_ && !transposed && y.alpha == 1 && y.beta == 0;
}

void ScaledOperator::scale(double factor) {
  scale_ *= factor;
  shift_ *= factor;
  if (diagonal_) QUADRILLE_PETSC(VecScale(diagonal_.get(), factor));
}

void ScaledOperator::scale_rows_and_columns(Vec left, Vec right) {
  if (left != nullptr) require_size(left, op_->rows(), "the left vector of the scaling");
  if (right != nullptr) require_size(right, op_->columns(), "the right vector of the scaling");
  if (shift_ != 0) {  // the shift is no longer the same in every row
    if (!diagonal_ && (left != nullptr || right != nullptr)) {
      diagonal_ = like(left != nullptr ? left : right);
      QUADRILLE_PETSC(VecSet(diagonal_.get(), 0));
    }
    if (diagonal_) QUADRILLE_PETSC(VecShift(diagonal_.get(), std::exchange(shift_, 0)));
  }
  if (diagonal_)
    for (const Vec by : {left, right})
      if (by != nullptr) QUADRILLE_PETSC(VecPointwiseMult(beside(diagonal_, by), diagonal_.get(), by));
  multiply_into(left_, left);
  multiply_into(right_, right);
}

void ScaledOperator::zero() {
  scale_ = shift_ = 0;
  left_.reset();
  right_.reset();
  diagonal_.reset();
}

void ScaledOperator::scale_and_shift_blocks(double* block, std::span<const PetscInt> sizes) const {
  if (is_plain()) return;
  const ReadArray left(left_.get()), right(right_.get()), diagonal(diagonal_.get());
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    for (std::int64_t c = 0; c < size; ++c)
      for (std::int64_t r = 0; r < size; ++r) {
        double& value = block[c * size + r];
        value = scale_ == 0 ? 0 : scale_ * left.at(first + r, 1) * value * right.at(first + c, 1);
        if (r == c) value += shift_ + diagonal.at(first + r, 0);
      }
    first += size;
    block += size * size;
  }
}

void ScaledOperator::diagonal(Vec d) const {
  require_size(d, op_->rows(), "the vector of the diagonal");
  Array<double> values = op_->diagonal_blocks(1);
  if (!is_plain())
    scale_and_shift_blocks(values.data(), std::vector<PetscInt>(static_cast<std::size_t>(op_->rows()), 1));
  WriteArray to(d, op_->space());
  if (to.space() == SpaceKind::cuda) {
    const DefaultQueue order(true);
    memory::copy_to_device(to.data(), values.data(), values.bytes());
    log_copy(values.bytes(), true);
  } else {
    std::copy(values.begin(), values.end(), to.data());
  }
}

double ScaledOperator::norm(NormType type) const {
  if (type != NORM_1 && type != NORM_FROBENIUS && type != NORM_INFINITY)
    throw FormatError("a shell matrix has the norms 1, Frobenius and infinity");
  if (coupling_) throw FormatError("a shell matrix on several ranks has no norms");
  const Csr<double> csr = op_->to_csr();
  const ReadArray left(left_.get()), right(right_.get()), diagonal(diagonal_.get());
  std::vector<double> sums(static_cast<std::size_t>(type == NORM_1 ? csr.columns : csr.rows), 0.0);
  const auto add = [&](std::int64_t row, std::int64_t column, double value) {
    sums[type == NORM_1 ? column : row] += type == NORM_FROBENIUS ? value * value : std::abs(value);
  };
  for (std::int64_t i = 0; i < csr.rows; ++i) {
    double beside = shift_ + diagonal.at(i, 0);
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      const std::int32_t j = csr.column[k];
      const double scaled = scale_ == 0 ? 0 : scale_ * left.at(i, 1) * csr.value[k] * right.at(j, 1);
      add(i, j, scaled + (i == j ? std::exchange(beside, 0) : 0));
    }
    if (beside != 0) add(i, i, beside);
  }
  if (type == NORM_FROBENIUS) return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
  return sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
}

Mat ScaledOperator::block_diagonal(int size, MatType type) {
  Array<double> blocks = op_->diagonal_blocks(size);
  const std::vector<PetscInt> sizes(static_cast<std::size_t>(op_->rows() / size), size);
  scale_and_shift_blocks(blocks.data(), sizes);
  blocks_ = aij_of_blocks(blocks.data(), sizes, type);
  QUADRILLE_PETSC(PetscObjectReference(reinterpret_cast<PetscObject>(blocks_.get())));
  return blocks_.get();
}

const double* ScaledOperator::inverse_blocks(int size, bool singular_is_error, bool& singular) {
  const Handle<Mat> reference(block_diagonal(size, MATSEQAIJ));
  const PetscScalar* inverses = nullptr;
  singular = !inverts(blocks_.get(), &inverses);
  if (singular && singular_is_error) name_singular_block(blocks_.get(), size);
  return inverses;
}

void ScaledOperator::inverse_blocks(std::span<const PetscInt> sizes, double* inverses) const {
  const std::vector<std::int32_t> block_rows(sizes.begin(), sizes.end());
  Array<double> blocks = quadrille::diagonal_blocks(op_->to_csr(), block_rows);
  scale_and_shift_blocks(blocks.data(), sizes);
  const Handle<Mat> matrix = aij_of_blocks(blocks.data(), sizes, MATSEQAIJ);
  QUADRILLE_PETSC(MatInvertVariableBlockDiagonal(matrix.get(), static_cast<PetscInt>(sizes.size()),
                                                 sizes.data(), inverses));
}

void ScaledOperator::view(PetscViewer viewer) {
  PetscBool ascii = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (!ascii) throw FormatError("a shell matrix is shown as text only (PETSCVIEWERASCII)");
  const bool on_gpu = op_->space() == SpaceKind::cuda;
  try {
    if (non_zeros_ < 0) non_zeros_ = op_->to_csr().nnz();
  } catch (const FormatError&) {  // past CSR's indices
  } catch (const MemoryError&) {
  }
  // Of all ranks that show it, without what couples them.
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(viewer));
  const std::int64_t mine[2] = {op_->traffic().stored_bytes, non_zeros_};
  std::int64_t all[2] = {0, 0}, fewest = 0;
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(&non_zeros_, &fewest, 1, MPI_INT64_T, MPI_MIN, comm);
  const std::int64_t stored = all[0];
  char fill[64] = "unknown";
  if (fewest >= 0)
    std::snprintf(fill, sizeof fill, "%.3g",
                  static_cast<double>(stored) / std::max(1.0, 8.0 * static_cast<double>(all[1])));
  QUADRILLE_PETSC(
      PetscViewerASCIIPrintf(viewer, "  Quadrille: format %s, in %s memory, %s bytes stored, fill %s\n",
                             format_.c_str(), on_gpu ? "GPU" : "CPU", std::to_string(stored).c_str(), fill));
  const char* where =
      !on_gpu ? "on the CPU"
#if defined(PETSC_HAVE_CUDA)
              : "on the GPU; vectors of host memory are copied there and back, those of type cuda are not";
#else
              : "on the GPU with vectors of host memory: x is copied there and y back";
#endif
  QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "  products %s\n", where));
  double error = op_->value_error();
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, comm);  // 0 of a rank without rows
  if (error > 0)
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer,
                                           "  products with values in fewer bits: off by at most %.3g "
                                           "(|A||x|)_i in row i\n",
                                           error));
  if (!is_plain())
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "  scale %g, shift %g%s%s%s\n", scale_, shift_,
                                           left_ ? ", rows scaled" : "", right_ ? ", columns scaled" : "",
                                           diagonal_ ? ", a diagonal added" : ""));
}

}  // namespace quadrille::petsc
