#include "kernels/petsc/base/gathering.hpp"

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"

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
    : size_(static_cast<PetscInt>(blocks.size()) * block_size), block_size_(block_size) {
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

// Of single elements, whose units are known: a scatter may take blocks as they are, or apart.
cuda::PeerExchange* Gathering::between_gpus() {
  if (!on_gpu_ || block_size_ > 1) return nullptr;
  if (!between_gpus_) between_gpus_ = gpu_exchange(scatter_.get(), sizeof(PetscScalar));
  return between_gpus_->get();
}

void Gathering::begin(Vec from) {
  if (cuda::PeerExchange* const exchange = between_gpus()) {
    const ReadArray there(from, SpaceKind::cuda);
    const WriteArray here(local_.get(), SpaceKind::cuda);
    return exchange->run(there.data(), here.data(), sizeof(PetscScalar), current_queue());
  }
  QUADRILLE_PETSC(VecScatterBegin(scatter_.get(), from, local_.get(), INSERT_VALUES, SCATTER_FORWARD));
}

void Gathering::end(Vec from) {
  if (between_gpus() != nullptr) return;  // it is queued
  QUADRILLE_PETSC(VecScatterEnd(scatter_.get(), from, local_.get(), INSERT_VALUES, SCATTER_FORWARD));
}

void Gathering::add(Vec to) {
  QUADRILLE_PETSC(VecScatterBegin(scatter_.get(), local_.get(), to, ADD_VALUES, SCATTER_REVERSE));
  QUADRILLE_PETSC(VecScatterEnd(scatter_.get(), local_.get(), to, ADD_VALUES, SCATTER_REVERSE));
}

}  // namespace quadrille::petsc
