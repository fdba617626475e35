#include "kernels/petsc/base/gathering.hpp"

namespace quadrille::petsc {
namespace {

bool is_cuda(Vec v) {
  PetscBool cuda = PETSC_FALSE;
  QUADRILLE_PETSC(
      PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(v), &cuda, VECSEQCUDA, VECMPICUDA, ""));
  return cuda;
}

}  // namespace

Gathering::Gathering(Vec model, const std::vector<PetscInt>& blocks, PetscInt block_size)
    : size_(static_cast<PetscInt>(blocks.size()) * block_size) {
  const Handle<IS> from = make<IS>("ISCreateBlock", [&](IS* is) {
    return ISCreateBlock(PETSC_COMM_SELF, block_size, static_cast<PetscInt>(blocks.size()), blocks.data(),
                         PETSC_COPY_VALUES, is);
  });
  VecScatter scatter = nullptr;
  QUADRILLE_PETSC(VecScatterCreate(model, from.get(), local(model, false), nullptr, &scatter));
  scatter_.reset(scatter);
}

Vec Gathering::local(Vec like, bool may_be_on_gpu) {
  const bool on_gpu = may_be_on_gpu && is_cuda(like);
  if (local_ && on_gpu == on_gpu_) return local_.get();
  on_gpu_ = on_gpu;
  local_ = make<Vec>("VecCreate", [](Vec* v) { return VecCreate(PETSC_COMM_SELF, v); });
  QUADRILLE_PETSC(VecSetSizes(local_.get(), size_, PETSC_DECIDE));
  QUADRILLE_PETSC(VecSetType(local_.get(), on_gpu ? VECSEQCUDA : VECSEQ));
  return local_.get();
}

void Gathering::begin(Vec from) {
  QUADRILLE_PETSC(VecScatterBegin(scatter_.get(), from, local_.get(), INSERT_VALUES, SCATTER_FORWARD));
}

void Gathering::end(Vec from) {
  QUADRILLE_PETSC(VecScatterEnd(scatter_.get(), from, local_.get(), INSERT_VALUES, SCATTER_FORWARD));
}

void Gathering::add(Vec to) {
  QUADRILLE_PETSC(VecScatterBegin(scatter_.get(), local_.get(), to, ADD_VALUES, SCATTER_REVERSE));
  QUADRILLE_PETSC(VecScatterEnd(scatter_.get(), local_.get(), to, ADD_VALUES, SCATTER_REVERSE));
}

}  // namespace quadrille::petsc
