#include "kernels/petsc/matrix/grid_blocks.hpp"

#include <algorithm>

namespace quadrille::petsc {
namespace {

// Rows: how many, where that is known to the compiler; else 0.
template <int Rows, bool add>
void put_columns(double* to, std::int64_t column_step, PetscInt rows, PetscInt columns,
                 const GivenValues& given) {
  const PetscInt count = Rows > 0 ? Rows : rows;
  const double* from = given.first;
  for (PetscInt c = 0; c < columns; ++c, to += column_step, from += given.column_step) {
    __builtin_prefetch(to + 16, 1);  // the nodes behind, which are likely to be next
    for (PetscInt r = 0; r < count; ++r)
      to[r] = add ? to[r] + from[r * given.row_step] : from[r * given.row_step];
  }
}

template <bool add>
PutColumns putter(PetscInt rows) {
  constexpr PutColumns known[] = {put_columns<0, add>, put_columns<1, add>, put_columns<2, add>,
                                  put_columns<3, add>, put_columns<4, add>, put_columns<5, add>,
                                  put_columns<6, add>};
  return known[rows < static_cast<PetscInt>(std::size(known)) ? rows : 0];
}

}  // namespace

PutColumns put_columns_of(PetscInt rows, InsertMode mode) {
  return mode == ADD_VALUES ? putter<true>(rows) : putter<false>(rows);
}

void put(const Block& block, const IndexRun& rows, const IndexRun& columns, const GivenValues& given) {
  GivenValues of_block = given;
  of_block.first += rows.at * given.row_step + columns.at * given.column_step;
  double* const to = &block.at(rows.first, columns.first);
  if (block.row_step == 1)
    return put_columns_of(rows.count, given.mode)(to, block.column_step, rows.count, columns.count, of_block);
  for (PetscInt c = 0; c < columns.count; ++c)
    for (PetscInt r = 0; r < rows.count; ++r) {
      double& place = to[c * block.column_step + r * block.row_step];
      const double value = of_block.at(r, c);
      place = given.mode == ADD_VALUES ? place + value : value;
    }
}

Block GridBlocks::ghost_between(std::int64_t node, PetscInt to) const {
  const std::int64_t at = ghost_ ? structure_.boundary_index(node) : -1, k = structure_.ghost_place(at, to);
  return k < 0 ? Block{to} : ghost_block(at, to, k);
}

Block GridBlocks::ghost_block(std::int64_t at, PetscInt to, std::int64_t place) const {
  const std::int64_t dof = hub_.dof;
  const std::int64_t begin = structure_.begin[at], count = structure_.begin[at + 1] - begin;
  const PackedFill& packed = structure_.packed;
  double* const values = ghost_->value.data();
  if (fill_[1] != nullptr)
    return {to, values, begin * packed.before.back(), count, place - begin, fill_[1], dof, &packed};
  return {to, values, begin * dof * dof + (place - begin) * dof, count * dof, 1, nullptr, dof};
}

void GridBlocks::all_of(std::int64_t node, std::vector<Block>& blocks) const {
  const OwnNode own = structure_.own_node(node);
  const auto& [x, y, z] = own.position;
  blocks.clear();
  for (std::int64_t d = 0; d < hub_.diagonals(); ++d) {
    const std::int64_t to = hub_.neighbour(x, y, z, hub_.offsets[d]);
    if (to >= 0) blocks.push_back(own_block(node, static_cast<PetscInt>(structure_.first_node + to), d));
  }
  const std::int64_t at = ghost_ != nullptr && !own.inner ? structure_.boundary_index(node) : -1;
  if (at >= 0)
    for (PetscInt k = structure_.begin[at]; k < structure_.begin[at + 1]; ++k)
      blocks.push_back(ghost_block(at, structure_.ghosts[structure_.ghost[k]], k));
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.node < b.node; });
}

std::int64_t GridBlocks::place_of(PetscInt row, PetscInt column) const {
  const PetscInt dof = hub_.dof, local = row - structure_.first_node * dof, to = column / dof;
  const Block block = between(structure_.own_node(local / dof), to);
  if (block.values == nullptr || !block.couples(local % dof, column - to * dof)) return -1;
  return block.place(local % dof, column - to * dof) +
         (block.values == hub_.values.data() ? 0 : hub_.values.size());
}

}  // namespace quadrille::petsc
