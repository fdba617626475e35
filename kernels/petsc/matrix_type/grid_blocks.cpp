#include "kernels/petsc/matrix_type/grid_blocks.hpp"

#include <algorithm>

namespace quadrille::petsc {

Block GridBlocks::ghost_between(std::int64_t node, PetscInt to) const {
  const std::int64_t k = ghost_ ? structure_.ghost_place(node, to) : -1;
  return k < 0 ? Block{to} : ghost_block(node, to, k);
}

Block GridBlocks::ghost_block(std::int64_t node, PetscInt to, std::int64_t place) const {
  const std::int64_t dof = hub_.dof, at = structure_.boundary_of[node];
  const std::int64_t begin = structure_.begin[at], count = structure_.begin[at + 1] - begin;
  return {to, ghost_->value.data(), begin * dof * dof + (place - begin) * dof, count * dof, 1};
}

void GridBlocks::all_of(std::int64_t node, std::vector<Block>& blocks) const {
  const std::int64_t nx = hub_.extents[0], line = node / nx;
  blocks.clear();
  for (std::int64_t d = 0; d < hub_.diagonals(); ++d) {
    const std::int64_t to =
        hub_.neighbour(node % nx, line % hub_.extents[1], line / hub_.extents[1], hub_.offsets[d]);
    if (to >= 0) blocks.push_back(own_block(node, static_cast<PetscInt>(structure_.first_node + to), d));
  }
  const std::int32_t at = ghost_ ? structure_.boundary_of[node] : -1;
  if (at >= 0)
    for (PetscInt k = structure_.begin[at]; k < structure_.begin[at + 1]; ++k)
      blocks.push_back(ghost_block(node, structure_.ghosts[structure_.ghost[k]], k));
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.node < b.node; });
}

std::int64_t GridBlocks::place_of(PetscInt row, PetscInt column) const {
  const PetscInt dof = hub_.dof, local = row - structure_.first_node * dof, to = column / dof;
  const Block block = between(structure_.own_node(local / dof), to);
  if (block.values == nullptr) return -1;
  return block.place(local % dof, column - to * dof) +
         (block.values == hub_.values.data() ? 0 : hub_.values.size());
}

}  // namespace quadrille::petsc
