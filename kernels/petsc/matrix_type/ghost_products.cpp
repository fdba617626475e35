#include "kernels/petsc/matrix_type/ghost_products.hpp"

#include "kernels/petsc/matrix_type/operator.hpp"

namespace quadrille::petsc {
namespace {

bool is_cuda(Vec v) {
  PetscBool cuda = PETSC_FALSE;
  QUADRILLE_PETSC(
      PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(v), &cuda, VECSEQCUDA, VECMPICUDA, ""));
  return cuda;
}

Handle<Vec> local_vector(std::size_t size, bool on_gpu) {
  Handle<Vec> v = make<Vec>("VecCreate", [](Vec* w) { return VecCreate(PETSC_COMM_SELF, w); });
  QUADRILLE_PETSC(VecSetSizes(v.get(), static_cast<PetscInt>(size), PETSC_DECIDE));
  QUADRILLE_PETSC(VecSetType(v.get(), on_gpu ? VECSEQCUDA : VECSEQ));
  return v;
}

Handle<IS> indices(const std::vector<PetscInt>& of) {
  return make<IS>("ISCreateGeneral", [&](IS* is) {
    return ISCreateGeneral(PETSC_COMM_SELF, static_cast<PetscInt>(of.size()), of.data(), PETSC_COPY_VALUES,
                           is);
  });
}

}  // namespace

GhostProducts::GhostProducts(Mat owner, const LocalParts& parts, SpaceKind space)
    : space_(space), rows_(parts.boundary_rows), columns_(parts.ghost_columns) {
  Vec x = nullptr;
  QUADRILLE_PETSC(MatCreateVecs(owner, &x, nullptr));
  const Handle<Vec> model(x);
  prepare(x);
  VecScatter gather = nullptr;
  QUADRILLE_PETSC(VecScatterCreate(x, indices(columns_).get(), ghosts_.get(), nullptr, &gather));
  gather_.reset(gather);
  set_values(parts.ghost);
}

void GhostProducts::set_values(std::shared_ptr<const Csr<double>> values) {
  if (values != values_ || on_gpu_) product_.reset();  // in GPU memory it is a copy
  values_ = std::move(values);
}

void GhostProducts::prepare(Vec model) {
  const bool on_gpu = space_ == SpaceKind::cuda && is_cuda(model);
  if (ghosts_ && on_gpu == on_gpu_) return;
  on_gpu_ = on_gpu;
  ghosts_ = local_vector(columns_.size(), on_gpu);
  boundary_ = local_vector(rows_.size(), on_gpu);
  product_.reset();
}

VecScatter GhostProducts::rows_of(Vec vector) {
  if (rows_scatter_) return rows_scatter_.get();
  PetscInt first = 0;
  QUADRILLE_PETSC(VecGetOwnershipRange(vector, &first, nullptr));
  std::vector<PetscInt> global = rows_;
  for (PetscInt& row : global) row += first;
  VecScatter scatter = nullptr;
  QUADRILLE_PETSC(VecScatterCreate(vector, indices(global).get(), boundary_.get(), nullptr, &scatter));
  rows_scatter_.reset(scatter);
  return scatter;
}

void GhostProducts::take_rows(Vec vector) {
  if (on_gpu_) {
    const VecScatter scatter = rows_of(vector);
    QUADRILLE_PETSC(VecScatterBegin(scatter, vector, boundary_.get(), INSERT_VALUES, SCATTER_FORWARD));
    QUADRILLE_PETSC(VecScatterEnd(scatter, vector, boundary_.get(), INSERT_VALUES, SCATTER_FORWARD));
    return;
  }
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  QUADRILLE_PETSC(VecGetArrayRead(vector, &from));
  QUADRILLE_PETSC(VecGetArrayWrite(boundary_.get(), &to));
  for (std::size_t i = 0; i < rows_.size(); ++i) to[i] = from[rows_[i]];
  QUADRILLE_PETSC(VecRestoreArrayWrite(boundary_.get(), &to));
  QUADRILLE_PETSC(VecRestoreArrayRead(vector, &from));
}

void GhostProducts::add_rows(Vec vector) {
  if (on_gpu_) {
    const VecScatter scatter = rows_of(vector);
    QUADRILLE_PETSC(VecScatterBegin(scatter, boundary_.get(), vector, ADD_VALUES, SCATTER_REVERSE));
    QUADRILLE_PETSC(VecScatterEnd(scatter, boundary_.get(), vector, ADD_VALUES, SCATTER_REVERSE));
    return;
  }
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  QUADRILLE_PETSC(VecGetArrayRead(boundary_.get(), &from));
  QUADRILLE_PETSC(VecGetArray(vector, &to));
  for (std::size_t i = 0; i < rows_.size(); ++i) to[rows_[i]] += from[i];
  QUADRILLE_PETSC(VecRestoreArray(vector, &to));
  QUADRILLE_PETSC(VecRestoreArrayRead(boundary_.get(), &from));
}

void GhostProducts::begin(Vec x, bool transposed) {
  prepare(x);
  if (!product_) {
    Source<double> source;
    source.csr = values_;
    product_ = std::make_unique<ScaledOperator>(
        make_operator("csr", on_gpu_ ? SpaceKind::cuda : SpaceKind::cpu, source, 1), "csr");
  }
  if (transposed) {
    take_rows(x);
    product_->multiply(boundary_.get(), ghosts_.get(), true);
  } else {
    QUADRILLE_PETSC(VecScatterBegin(gather_.get(), x, ghosts_.get(), INSERT_VALUES, SCATTER_FORWARD));
    x_ = x;
  }
}

void GhostProducts::end(Vec y, bool transposed) {
  if (transposed) {
    QUADRILLE_PETSC(VecScatterBegin(gather_.get(), ghosts_.get(), y, ADD_VALUES, SCATTER_REVERSE));
    QUADRILLE_PETSC(VecScatterEnd(gather_.get(), ghosts_.get(), y, ADD_VALUES, SCATTER_REVERSE));
    return;
  }
  QUADRILLE_PETSC(VecScatterEnd(gather_.get(), x_, ghosts_.get(), INSERT_VALUES, SCATTER_FORWARD));
  product_->multiply(ghosts_.get(), boundary_.get(), false);
  add_rows(y);
}

}  // namespace quadrille::petsc
