// The rows or columns of MatSetValuesBlocked(), MatSetValuesLocal() and MatSetValuesBlockedLocal(). Internal
// to kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include <vector>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/index_runs.hpp"

namespace quadrille::petsc {

// Of the rows, or of the columns, of one matrix on a grid. What it learns of the mapping is kept: every call
// for a few values asks.
class NamedIndices {
 public:
  // `index` numbers blocks of `block` unknowns (1: unknowns), of this rank where there is a `map`, with `dof`
  // unknowns a node. Valid until the next call.
  Indices of(ISLocalToGlobalMapping map, PetscInt dof, PetscInt block, PetscInt count,
             const PetscInt* index) {
    if (map != nullptr && map != map_.get()) learn(map);
    const bool whole = block == dof;
    if ((block > 1 && !whole) || (map != nullptr && mapped_block_ != dof))
      return expanded(map, block, count, index);
    if (map == nullptr) return {count, index, whole};
    return {count, index, whole, node_of_, known_};
  }

 private:
  void learn(ISLocalToGlobalMapping map);
  // Where blocks are no nodes: unknowns, counted over all ranks.
  Indices expanded(ISLocalToGlobalMapping map, PetscInt block, PetscInt count, const PetscInt* index);

  Handle<ISLocalToGlobalMapping> map_;  // kept, so that no other one gets its address
  const PetscInt* node_of_ = nullptr;   // its own
  PetscInt mapped_block_ = 1, known_ = 0;
  std::vector<PetscInt> expanded_;
};

}  // namespace quadrille::petsc
