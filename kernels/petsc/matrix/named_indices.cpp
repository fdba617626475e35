#include "kernels/petsc/matrix/named_indices.hpp"

namespace quadrille::petsc {

void NamedIndices::learn(ISLocalToGlobalMapping map) {
  QUADRILLE_PETSC(PetscObjectReference(reinterpret_cast<PetscObject>(map)));
  map_.reset(map);
  QUADRILLE_PETSC(ISLocalToGlobalMappingGetBlockSize(map, &mapped_block_));
  QUADRILLE_PETSC(ISLocalToGlobalMappingGetSize(map, &known_));
  known_ /= mapped_block_;
  const PetscInt* numbers = nullptr;
  QUADRILLE_PETSC(ISLocalToGlobalMappingGetBlockIndices(map, &numbers));
  node_of_ = numbers;  // the mapping's, as long as it lives
  QUADRILLE_PETSC(ISLocalToGlobalMappingRestoreBlockIndices(map, &numbers));
}

Indices NamedIndices::expanded(ISLocalToGlobalMapping map, PetscInt block, PetscInt count,
                               const PetscInt* index) {
  expanded_.clear();
  for (PetscInt i = 0; i < count; ++i)
    for (PetscInt r = 0; r < block; ++r) expanded_.push_back(index[i] < 0 ? -1 : index[i] * block + r);
  const auto all = static_cast<PetscInt>(expanded_.size());
  if (map != nullptr)
    QUADRILLE_PETSC(ISLocalToGlobalMappingApply(map, all, expanded_.data(), expanded_.data()));
  return {all, expanded_.data()};
}

}  // namespace quadrille::petsc
