#include "kernels/petsc/matrix/ghost_products.hpp"

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/operator.hpp"

namespace quadrille::petsc {

GhostProducts::GhostProducts(Mat owner, const LocalParts& parts, SpaceKind space)
    : space_(space), rows_(parts.boundary_rows), columns_(parts.ghost_columns) {
  const Handle<Vec> x = make<Vec>("MatCreateVecs", [=](Vec* v) { return MatCreateVecs(owner, v, nullptr); });
  ghosts_ = std::make_unique<Gathering>(x.get(), columns_, 1);
  set_values(parts);
}

void GhostProducts::set_values(const LocalParts& parts) {
  const bool shared = product_on_gpu_ ? device_values_ && parts.device_ghost == device_values_
                                      : !device_values_ && !parts.device_ghost && parts.ghost == values_;
  if (!shared) product_.reset();  // it has a copy
  values_ = parts.ghost;
  device_values_ = parts.device_ghost;
}

// Ghosts and product in the memory of the vectors at hand.
void GhostProducts::fit(Vec like) {
  ghosts_->local(like, space_ == SpaceKind::cuda);
  if (product_ && product_on_gpu_ == ghosts_->on_gpu()) return;
  product_on_gpu_ = ghosts_->on_gpu();
  FormatInput<double> source;
  source.device_csr = device_values_;
  product_is_of_copy_ = device_values_ && !product_on_gpu_;
  source.csr =
      product_is_of_copy_ ? std::make_shared<const Csr<double>>(copy_to<Host>(*device_values_)) : values_;
  product_ = std::make_unique<ScaledOperator>(
      make_operator(any_matrix, product_on_gpu_ ? SpaceKind::cuda : SpaceKind::cpu, source, {}), any_matrix);
}

// In GPU memory they are gathered as ghosts are, in host memory copied.
Vec GhostProducts::boundary(Vec like) {
  if (!product_on_gpu_) {
    if (!boundary_on_host_)
      boundary_on_host_ = make<Vec>("VecCreateSeq", [&](Vec* v) {
        return VecCreateSeq(PETSC_COMM_SELF, static_cast<PetscInt>(rows_.size()), v);
      });
    return boundary_on_host_.get();
  }
  if (!boundary_) {
    PetscInt first = 0;
    QUADRILLE_PETSC(VecGetOwnershipRange(like, &first, nullptr));
    std::vector<PetscInt> global = rows_;
    for (PetscInt& row : global) row += first;
    boundary_ = std::make_unique<Gathering>(like, global, 1);
  }
  return boundary_->local(like, true);
}

void GhostProducts::take_rows(Vec vector) {
  const Vec rows = boundary(vector);
  if (product_on_gpu_) {
    boundary_->begin(vector);
    boundary_->end(vector);
    return;
  }
  const ReadArray from(vector);
  const WriteArray to(rows);
  for (std::size_t i = 0; i < rows_.size(); ++i) to.data()[i] = from.data()[rows_[i]];
}

void GhostProducts::add_rows(Vec vector) {
  if (product_on_gpu_) {
    boundary_->add(vector);
    return;
  }
  const ReadArray from(boundary(vector));
  const ReadWriteArray to(vector);
  for (std::size_t i = 0; i < rows_.size(); ++i) to.data()[rows_[i]] += from.data()[i];
  log_flops(static_cast<std::int64_t>(rows_.size()), false);  // a scatter does that itself
}

void GhostProducts::begin(Vec x, double alpha, bool transposed) {
  fit(x);
  if (transposed) {
    take_rows(x);
    product_->multiply(boundary(x), {ghosts_->local(), nullptr, alpha}, true);
  } else {
    ghosts_->begin(x);
    x_ = x;
  }
}

void GhostProducts::end(Vec y, double alpha, bool transposed) {
  if (transposed) {
    ghosts_->add(y);
    return;
  }
  ghosts_->end(x_);
  product_->multiply(ghosts_->local(), {boundary(y), nullptr, alpha}, false);
  add_rows(y);
}

}  // namespace quadrille::petsc
