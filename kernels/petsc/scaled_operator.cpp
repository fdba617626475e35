#include "kernels/petsc/scaled_operator.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/petsc/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

// Host arrays of vectors, given back on every way out.
class ReadArray {
 public:
  explicit ReadArray(Vec vector) : vector_(vector) {
    if (vector_ != nullptr) QUADRILLE_PETSC(VecGetArrayRead(vector_, &data_));
  }
  ~ReadArray() {
    if (vector_ != nullptr) VecRestoreArrayRead(vector_, &data_);
  }
  ReadArray(const ReadArray&) = delete;
  ReadArray& operator=(const ReadArray&) = delete;
  const double* data() const { return data_; }
  // Of no vector, every element is `otherwise`.
  double at(std::int64_t i, double otherwise) const { return data_ == nullptr ? otherwise : data_[i]; }

 private:
  Vec vector_;
  const PetscScalar* data_ = nullptr;
};

class WriteArray {
 public:
  explicit WriteArray(Vec vector) : vector_(vector) { QUADRILLE_PETSC(VecGetArrayWrite(vector_, &data_)); }
  ~WriteArray() { VecRestoreArrayWrite(vector_, &data_); }
  WriteArray(const WriteArray&) = delete;
  WriteArray& operator=(const WriteArray&) = delete;
  double* data() { return data_; }

 private:
  Vec vector_;
  PetscScalar* data_ = nullptr;
};

Handle<Vec> like(Vec model) {
  return make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(model, v); });
}

Handle<Vec> copy_of(Vec from) {
  Handle<Vec> copy = like(from);
  QUADRILLE_PETSC(VecCopy(from, copy.get()));
  return copy;
}

void require_size(Vec vector, std::int64_t size, const char* what) {
  PetscInt found = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector, &found));
  if (found != size)
    throw FormatError(std::string(what) + " has " + std::to_string(found) + " elements, and must have " +
                      std::to_string(size));
}

// into .*= by, where `by` may be none.
void multiply_into(Handle<Vec>& into, Vec by) {
  if (by == nullptr) return;
  if (into)
    QUADRILLE_PETSC(VecPointwiseMult(into.get(), into.get(), by));
  else
    into = copy_of(by);
}

// The inverse of a matrix [column][row] in place, by Gauss and Jordan with row pivots. False where it is singular.
bool invert(double* a, std::int64_t n) {
  std::vector<std::int64_t> swapped(static_cast<std::size_t>(n));
  const auto at = [=](std::int64_t r, std::int64_t c) -> double& { return a[c * n + r]; };
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t r = k + 1; r < n; ++r)
      if (std::abs(at(r, k)) > std::abs(at(pivot, k))) pivot = r;
    if (at(pivot, k) == 0 || !std::isfinite(at(pivot, k))) return false;
    swapped[k] = pivot;
    for (std::int64_t c = 0; c < n && pivot != k; ++c) std::swap(at(k, c), at(pivot, c));
    const double reciprocal = 1 / at(k, k);
    at(k, k) = 1;
    for (std::int64_t c = 0; c < n; ++c) at(k, c) *= reciprocal;
    for (std::int64_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const double factor = at(r, k);
      at(r, k) = 0;
      for (std::int64_t c = 0; c < n; ++c) at(r, c) -= factor * at(k, c);
    }
  }
  for (std::int64_t k = n - 1; k >= 0; --k)
    for (std::int64_t r = 0; r < n && swapped[k] != k; ++r) std::swap(at(r, k), at(r, swapped[k]));
  return true;
}

void invert_blocks(double* blocks, std::span<const PetscInt> sizes) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!invert(blocks, sizes[i]))
      throw quadrille::PetscError("the diagonal block " + std::to_string(i) + ", rows " +
                                  std::to_string(first) + " to " + std::to_string(first + sizes[i] - 1) +
                                  ", is singular");
    first += sizes[i];
    blocks += static_cast<std::int64_t>(sizes[i]) * sizes[i];
  }
}

}  // namespace

std::unique_ptr<ScaledOperator> ScaledOperator::duplicate(bool values) const {
  auto result = std::make_unique<ScaledOperator>(op_, format_, coupling_);
  result->non_zeros_ = non_zeros_;
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
  if (has != needs) work = like(model);
  return work.get();
}

void ScaledOperator::apply(Vec x, Vec y, bool transposed) {
  const std::int64_t from_size = transposed ? op_->rows() : op_->columns(),
                     to_size = transposed ? op_->columns() : op_->rows();
  require_size(x, from_size, "the vector x of the product");
  require_size(y, to_size, "the vector y of the product");
  const ReadArray from(x);
  WriteArray to(y);
  const auto product = [&](const double* in, double* out) {
    if (transposed)
      op_->apply_transpose(in, out);
    else
      op_->apply(in, out);
  };
  if (op_->space() == SpaceKind::cpu) return product(from.data(), to.data());
  const std::int64_t largest = std::max(op_->rows(), op_->columns());
  if (device_x_.size() < largest)
    device_x_ = Array<double, Device>(largest), device_y_ = Array<double, Device>(largest);
  memory::copy_to_device(device_x_.data(), from.data(),
                         from_size * static_cast<std::int64_t>(sizeof(double)));
  product(device_x_.data(), device_y_.data());
  memory::copy_to_host(to.data(), device_y_.data(), to_size * static_cast<std::int64_t>(sizeof(double)));
}

void ScaledOperator::multiply(Vec x, Vec y, bool transposed) {
  const Vec before = transposed ? left_.get() : right_.get(), after = transposed ? right_.get() : left_.get();
  if (scale_ == 0) {
    QUADRILLE_PETSC(VecSet(y, 0));
  } else {
    Vec from = x;
    if (before != nullptr) {
      from = work_like(scaled_x_, x);
      QUADRILLE_PETSC(VecPointwiseMult(from, x, before));
    }
    if (coupling_) coupling_->begin(from, transposed);
    apply(from, y, transposed);
    if (coupling_) coupling_->end(y, transposed);
    if (after != nullptr) QUADRILLE_PETSC(VecPointwiseMult(y, y, after));
    if (scale_ != 1) QUADRILLE_PETSC(VecScale(y, scale_));
  }
  if (shift_ != 0) QUADRILLE_PETSC(VecAXPY(y, shift_, x));
  if (diagonal_) {
    const Vec part = work_like(scaled_x_, x);
    QUADRILLE_PETSC(VecPointwiseMult(part, x, diagonal_.get()));
    QUADRILLE_PETSC(VecAXPY(y, 1, part));
  }
}

void ScaledOperator::multiply_add(Vec x, Vec y, Vec z, bool transposed) {
  const Vec product = y == z ? work_like(product_, z) : z;
  multiply(x, product, transposed);
  QUADRILLE_PETSC(VecAXPY(z, 1, y == z ? product : y));
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
      if (by != nullptr) QUADRILLE_PETSC(VecPointwiseMult(diagonal_.get(), diagonal_.get(), by));
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
  scale_and_shift_blocks(values.data(), std::vector<PetscInt>(static_cast<std::size_t>(op_->rows()), 1));
  WriteArray to(d);
  std::copy(values.begin(), values.end(), to.data());
}

double ScaledOperator::norm(NormType type) const {
  if (type != NORM_1 && type != NORM_FROBENIUS && type != NORM_INFINITY)
    throw FormatError("a shell matrix has the norms 1, Frobenius and infinity");
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

const double* ScaledOperator::inverse_blocks(int size) {
  const Array<double> blocks = op_->diagonal_blocks(size);
  inverses_.assign(blocks.begin(), blocks.end());
  const std::vector<PetscInt> sizes(static_cast<std::size_t>(op_->rows() / size), size);
  scale_and_shift_blocks(inverses_.data(), sizes);
  invert_blocks(inverses_.data(), sizes);
  return inverses_.data();
}

void ScaledOperator::inverse_blocks(std::span<const PetscInt> sizes, double* inverses) const {
  const Array<double> blocks = quadrille::diagonal_blocks(op_->to_csr(), sizes);
  std::copy(blocks.begin(), blocks.end(), inverses);
  scale_and_shift_blocks(inverses, sizes);
  invert_blocks(inverses, sizes);
}

void ScaledOperator::view(PetscViewer viewer) {
  PetscBool ascii = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (!ascii) throw FormatError("a shell matrix is shown as text only (PETSCVIEWERASCII)");
  const bool on_gpu = op_->space() == SpaceKind::cuda;
  const std::int64_t stored = op_->traffic().stored_bytes;
  std::string fill = "unknown";
  try {
    if (non_zeros_ < 0) non_zeros_ = op_->to_csr().nnz();
    char text[64];
    std::snprintf(text, sizeof text, "%.3g",
                  static_cast<double>(stored) / std::max(1.0, 8.0 * static_cast<double>(non_zeros_)));
    fill = text;
  } catch (const FormatError&) {  // past CSR's indices
  } catch (const MemoryError&) {
  }
  QUADRILLE_PETSC(PetscViewerASCIIPrintf(
      viewer, "  Quadrille: format %s, in %s memory, %s bytes stored, fill %s\n", format_.c_str(),
      on_gpu ? "GPU" : "CPU", std::to_string(stored).c_str(), fill.c_str()));
  if (on_gpu)
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(
        viewer, "  products on the GPU with vectors of host memory: x is copied there and y back\n"));
  else
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "  products on the CPU\n"));
  if (scale_ != 1 || shift_ != 0 || left_ || right_ || diagonal_)
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "  scale %g, shift %g%s%s%s\n", scale_, shift_,
                                           left_ ? ", rows scaled" : "", right_ ? ", columns scaled" : "",
                                           diagonal_ ? ", a diagonal added" : ""));
}

}  // namespace quadrille::petsc
