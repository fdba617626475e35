#include "kernels/petsc/matrix/part_matrix.hpp"

#include <petscvec.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/product_shell.hpp"
#include "kernels/value_changes.hpp"

namespace quadrille::petsc {
namespace {

// The rows or the columns of the part: the first `count` of the `of_square` of every node.
class Side {
 public:
  Side(Mat square, PetscInt of_square, PetscInt count)
      : square_(square), of_square_(of_square), count_(count) {
    QUADRILLE_PETSC(MatGetOwnershipRange(square, &first_, nullptr));
    QUADRILLE_PETSC(MatGetLocalSize(square, &size_, nullptr));
    size_ = size_ / of_square * count;
  }

  bool whole() const { return count_ == of_square_; }
  PetscInt size() const { return size_; }  // of this rank
  // x with zeros for the others.
  Vec widened(Vec x) {
    if (whole()) return x;
    require_size(x, size_, "the vector x of a part of the unknowns");
    if (!in_) QUADRILLE_PETSC(VecZeroEntries(wide(in_)));
    copy(x, count_, in_.get(), of_square_, INSERT_VALUES);
    return in_.get();
  }
  Vec out() { return wide(out_); }
  // What stands there, put into `to` or added.
  void take_out(Vec to, InsertMode mode) const {
    require_size(to, size_, "the vector y of a part of the unknowns");
    copy(out_.get(), of_square_, to, count_, mode);
  }
  // Their numbers in the square matrix.
  Handle<IS> places() const {
    std::vector<PetscInt> index;
    for (PetscInt node = 0; node < size_ / count_; ++node)
      for (PetscInt i = 0; i < count_; ++i) index.push_back(first_ + node * of_square_ + i);
    return make<IS>("ISCreateGeneral", [&](IS* is) {
      return ISCreateGeneral(PetscObjectComm(reinterpret_cast<PetscObject>(square_)), size_, index.data(),
                             PETSC_COPY_VALUES, is);
    });
  }

 private:
  Vec wide(Handle<Vec>& vector) const {
    if (!vector)
      vector = make<Vec>("MatCreateVecs", [this](Vec* v) { return MatCreateVecs(square_, v, nullptr); });
    return vector.get();
  }
  void copy(Vec from, PetscInt of_from, Vec to, PetscInt of_to, InsertMode mode) const {
    const FirstOfNodes of{size_ / count_, count_, of_from, of_to, mode == ADD_VALUES};
    const auto done_in = [&](SpaceKind space) {
      const ReadArray in(from, space);
      const ReadWriteArray out(to, space);
      if (in.space() != out.space()) return false;
      if (in.space() == SpaceKind::cuda)
        cuda::copy_first(current_queue(), of, in.data(), out.data());
      else
        cpu::copy_first(of, in.data(), out.data());
      return true;
    };
    if (!done_in(SpaceKind::cuda)) done_in(SpaceKind::cpu);
  }

  Mat square_;  // not owned
  PetscInt of_square_, count_, first_ = 0, size_ = 0;
  Handle<Vec> in_, out_;  // of the square matrix
};

PetscInt count_of(const std::vector<int>& unknowns) {
  return static_cast<PetscInt>(std::ssize(unknowns) -
                               std::count(unknowns.begin(), unknowns.end(), UnknownsOfBlocks::no_unknown));
}

class Part final : public ProductOfShell {
 public:
  explicit Part(Handle<Mat> square)
      : square_(std::move(square)),
        unknowns_(typed(square_.get()).store().taken_unknowns()),
        rows_(square_.get(), unknowns_.dof(), count_of(unknowns_.rows)),
        columns_(square_.get(), unknowns_.dof(), count_of(unknowns_.columns)) {}

  const UnknownsOfBlocks& unknowns() const { return unknowns_; }
  void take(Store& all) {
    typed(square_.get()).store().take_unknowns(all);
    mark_changed(square_.get());
  }
  ShellLayout layout(bool gpu_vectors) const {
    return {PetscObjectComm(reinterpret_cast<PetscObject>(square_.get())),
            rows_.size(),
            columns_.size(),
            count_of(unknowns_.rows),
            count_of(unknowns_.columns),
            gpu_vectors};
  }

  void multiply(Vec x, const VecOutput& y, bool transposed) override {
    Side &from = transposed ? rows_ : columns_, &to = transposed ? columns_ : rows_;
    TypedMatrix& square = typed(square_.get());
    ScaledOperator& product = transposed ? square.transposable(square_.get()) : square.scaled(square_.get());
    const Vec wide = from.widened(x);
    if (to.whole()) return product.multiply(wide, y, transposed);
    product.multiply(wide, {to.out(), nullptr, y.alpha}, transposed);
    if (y.beta != 0) begin_sums(y);
    to.take_out(y.to, y.beta != 0 ? ADD_VALUES : INSERT_VALUES);
  }

  Mat aij(MPI_Comm) override {
    const Mat whole = as_aij(square_.get());
    const std::int64_t version = typed(square_.get()).store().version();
    if (aij_ && version == aij_version_) return aij_.get();
    Mat part = aij_.release();
    const MatReuse reuse = part != nullptr ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;
    const Handle<IS> rows = rows_.places(), columns = columns_.places();
    const PetscErrorCode error = MatCreateSubMatrix(whole, rows.get(), columns.get(), reuse, &part);
    aij_.reset(part);
    check(error, "MatCreateSubMatrix");
    aij_version_ = version;
    return part;
  }

 private:
  Handle<Mat> square_;
  UnknownsOfBlocks unknowns_;
  Side rows_, columns_;
  Handle<Mat> aij_;
  std::int64_t aij_version_ = -1;  // of the square matrix
};

Part* part_of(Mat matrix) {
  return dynamic_cast<Part*>(product_of_shell(matrix));
}

}  // namespace

Handle<Mat> make_part_matrix(Handle<Mat> square, bool gpu_vectors) {
  auto part = std::make_unique<Part>(std::move(square));
  const ShellLayout layout = part->layout(gpu_vectors);
  Handle<Mat> matrix = make_product_shell(layout, std::move(part));
  set_products_through_aij(matrix.get());
  QUADRILLE_PETSC(MatAssemblyBegin(matrix.get(), MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(matrix.get(), MAT_FINAL_ASSEMBLY));
  return matrix;
}

UnknownsOfBlocks unknowns_of_part(Mat part) {
  const Part* const found = part_of(part);
  return found != nullptr ? found->unknowns() : UnknownsOfBlocks{};
}

void take_values(Mat part, Store& all) {
  part_of(part)->take(all);
}

}  // namespace quadrille::petsc
