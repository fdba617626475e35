// The operators on a grid that ranks share: this rank's rows, and where each coupling has its place. A DMDA
// is one way to such a grid. Internal to kernels/petsc/matrix_type.
#pragma once

#include <petscdm.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "grid/partition.hpp"

namespace quadrille::petsc {

// A node of this rank, from 0.
struct OwnNode {
  std::int64_t number = 0;
  std::array<std::int64_t, 3> position{};
  bool inner = false;  // with `reach` nodes of this rank on every side
};

// How the couplings to other ranks are packed where unknowns that do not couple beside a node have no place.
// A node with n such neighbours has n times before[r] values before its row r; in that row the block of
// neighbour k begins after k times count[r] of them, and has column c at index[r * dof + c].
struct PackedFill {
  std::vector<std::int32_t> before, count;  // [row]; `before` has one more, the values of a block
  std::vector<std::int32_t> index;          // [row][column]
};

// Nodes are numbered as the partition does it, which is as in DMDA's global vectors.
struct GridStructure {
  Partition partition;   // of all ranks' nodes
  BlockStructure owned;  // this rank's box; periodic along the axes that it owns as a whole
  std::string stencil;   // "the star stencil of width 1 of the DMDA", for messages
  PetscInt first_node = 0;

  // The neighbours that other ranks own, as rows of nodes: node boundary[i] has ghosts[ghost[k]], k from
  // begin[i] to begin[i+1].
  std::vector<PetscInt> ghosts;    // their numbers, ascending
  std::vector<PetscInt> boundary;  // own nodes that have some, from 0, ascending
  std::vector<PetscInt> begin;     // [boundary + 1]
  std::vector<PetscInt> ghost;     // ascending within a node
  PackedFill packed;               // of their blocks, where a fill is said
  // Which of `boundary` an own node is, or -1.
  std::int64_t boundary_index(std::int64_t node) const;

  // Whether values of both stand in the same places.
  bool same_as(const GridStructure& other) const;
  OwnNode own_node(std::int64_t number) const;
  // The block diagonal that couples own node `from` to own node `to`, counted from 0, or -1.
  std::int64_t diagonal(const OwnNode& from, std::int64_t to) const {
    const auto slot = static_cast<std::size_t>(to - from.number + furthest);
    const std::int64_t d = slot < diagonal_by.size() ? diagonal_by[slot] : -1;
    return from.inner ? d : diagonal_at_side(from, to, d);
  }
  // The place in `ghost` of the node with global number `to`, seen from boundary[at]; or -1, as for `at`.
  std::int64_t ghost_place(std::int64_t at, PetscInt to) const;

  // By difference of position, each within -reach..reach: [z][y][x], -1 where the stencil has nothing.
  std::array<std::int64_t, 3> reach{0, 0, 0};
  std::vector<std::int32_t> diagonal_at;

  // Where the box is longer than 2 reach on every axis, a neighbour is told by how far it stands behind in
  // the numbering; for sure so of a node that is inner.
  std::vector<std::int32_t> diagonal_by;  // [distance + furthest], -1 where the stencil has nothing
  std::int64_t furthest = -1;             // -1 where the box is not so long

 private:
  // `guess` is what the distance says.
  std::int64_t diagonal_at_side(const OwnNode& from, std::int64_t to, std::int64_t guess) const;
  std::int64_t diagonal_between(const std::array<std::int64_t, 3>& from, std::int64_t to) const;
};

// Of this rank, partition.rank, which may have no nodes. `stencil`: where a node's neighbours stand, in any
// order; around a periodic axis several offsets may lead to one neighbour. Its `owned` has the offsets that
// stay in the box from some node: those of the stencil in this order, each first one of those that lead to
// one neighbour, the short way around the axes that are periodic. Where a neighbour is the node itself, the
// centre has the fill beside it, too. Throws FormatError where the indices cannot count the rows.
GridStructure structure_of(Partition partition, int dof, const std::vector<NodeOffset>& stencil,
                           std::string name, BlockFill fill = {});

// [own node]: which planes near the sides of a box that is so long it is in, 0 where it is inner. All nodes
// that have the same, other than `some_side`, have the same neighbours equally far behind.
inline constexpr std::uint8_t some_side = 255;
std::vector<std::uint8_t> sides_of_nodes(const GridStructure& structure);

// The same nodes with these of their unknowns alone.
GridStructure with_unknowns(const GridStructure& all, const UnknownsOfBlocks& unknowns);

// Throw FormatError for a DMDA with twisted sides.
Partition partition_of(DM da);
GridStructure structure_of(DM da);
// That of DMDASetBlockFills(), as AIJ takes it, and the diagonal.
BlockFill block_fill_of(DM da);

}  // namespace quadrille::petsc
