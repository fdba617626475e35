// BlockDiagonals, the hub: what assembly produces and every format is made from.
//
// k node offsets, and for each of them a dense dof x dof block per node, stored in the order of Column
// Diagonal Storage (Godwin, Holewinski, Sadayappan, GPGPU-5 2012), so that CDS needs no conversion and no
// second copy:
//
//   values[(d*dof + c)*rows + row]      row = node*dof + r
//
// is the coefficient that couples unknown r of `node` to unknown c of the node at offset d. The node at
// offset d of node (x, y, z) is (x + dx, y + dy, z + dz), wrapped along the periodic axes; where it lies
// outside the grid there is no coupling, and the stored value is zero. No two offsets lead to the same node.
//
//   2D, 4 nodes along x, dof 2, offsets -1 0 +1: k*dof = 6 columns of rows = 8 numbers each
//
//     offset      -1          0         +1
//     column    0    1     2    3     4    5
//     row 0     .    .    a00  a01   b00  b01      node 0, r 0     (no node at -1: zeros)
//     row 1     .    .    a10  a11   b10  b11      node 0, r 1
//     row 2    ...
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/array.hpp"
#include "formats/csr.hpp"
#include "formats/format.hpp"

namespace quadrille {

struct NodeOffset {
  std::int32_t x = 0, y = 0, z = 0;
  bool operator==(const NodeOffset&) const = default;
};

// Which unknowns of two nodes couple, where that is said before there are values: [row][column] of the block
// of a node with itself, which always has its diagonal, and of the blocks beside it. Formats without dense
// blocks store the entries that couple, also those that are zero now, so that their places stay when values
// change. Where nothing is said the values decide: what is exactly zero is left out.
//
// `constants`: of the numbers that couple some are the same at all nodes, those near faces aside.
// `symmetric`: the operator is its transpose. Both are no more than hints that it pays to look, when values
// are there: they decide.
struct BlockFill {
  std::vector<std::uint8_t> centre, beside;  // dof x dof each, or empty: nothing is said
  bool constants = false, symmetric = false;

  bool said() const { return !centre.empty(); }
  // Of what couples.
  bool operator==(const BlockFill& other) const { return centre == other.centre && beside == other.beside; }
};
// An unknown with itself alone.
BlockFill diagonal_fill(int dof);
// For neighbours that can be the node itself: the centre has what couples beside it, too.
BlockFill with_beside_in_centre(BlockFill fill);
// As `says.couples(centre, row, column)`, `says.has_constants()`, `says.uniform` (assembly/residual.hpp) and
// `says.symmetric` have it, where there are such members; else nothing is said.
template <class Says>
BlockFill fill_of(const Says& says, int dof) {
  BlockFill fill;
  if constexpr (requires { says.has_constants(); }) fill.constants = says.has_constants();
  if constexpr (requires { says.uniform; }) fill.constants = fill.constants || says.uniform;
  if constexpr (requires { says.symmetric; }) fill.symmetric = says.symmetric;
  if constexpr (requires { says.couples(true, 0, 0); })
    for (int r = 0; r < dof; ++r)
      for (int c = 0; c < dof; ++c) {
        fill.centre.push_back(r == c || says.couples(true, r, c));
        fill.beside.push_back(says.couples(false, r, c));
      }
  return fill;
}

// The structure, without values.
struct BlockStructure {
  std::array<std::int64_t, 3> extents{1, 1, 1};
  std::array<bool, 3> periodic{false, false, false};
  int dof = 1;
  std::vector<NodeOffset> offsets;  // [k]
  BlockFill fill = {};

  std::int64_t nodes() const { return extents[0] * extents[1] * extents[2]; }
  std::int64_t rows() const { return nodes() * dof; }
  std::int64_t diagonals() const { return static_cast<std::int64_t>(offsets.size()); }
  // The index of the node at offset d of node (x, y, z), or -1 where there is none.
  std::int64_t neighbour(std::int64_t x, std::int64_t y, std::int64_t z, const NodeOffset& offset) const;
  // [row][column] of what couples in the blocks of diagonal d; null where nothing is said.
  const std::uint8_t* fill_of(std::int64_t d) const {
    if (!fill.said()) return nullptr;
    return (offsets[d] == NodeOffset{} ? fill.centre : fill.beside).data();
  }
  // node index difference of an offset that does not wrap
  std::int64_t linear(const NodeOffset& o) const { return (o.z * extents[1] + o.y) * extents[0] + o.x; }
  bool operator==(const BlockStructure&) const = default;
};

// Some unknowns of each node as the rows of blocks, and some as their columns: no_unknown fills the fewer up.
struct UnknownsOfBlocks {
  static constexpr int no_unknown = -1;
  std::vector<int> rows, columns;  // of the same size

  int dof() const { return static_cast<int>(rows.size()); }
  bool operator==(const UnknownsOfBlocks&) const = default;
};
// The same nodes with these alone.
BlockStructure with_unknowns(const BlockStructure& all, const UnknownsOfBlocks& unknowns);

template <class T, class Space = Host>
struct BlockDiagonals : BlockStructure {
  Array<T, Space> values;  // [diagonal][column][row]
};

// A copy in the memory of To.
template <class To, class T, class From>
BlockDiagonals<T, To> copy_to(const BlockDiagonals<T, From>& a) {
  BlockDiagonals<T, To> result;
  static_cast<BlockStructure&>(result) = a;
  result.values = copy_to<To>(a.values);
  return result;
}

// Bytes of the values; throws FormatError when they overflow 64 bits.
std::int64_t value_bytes(const BlockStructure& structure, std::int64_t bytes_per_value);

// Throws FormatError unless the fill, where it says something, is of blocks of this size, with the diagonal.
void validate_fill(const BlockStructure& structure);

// Throws FormatError unless sizes agree, offsets are distinct and no two lead to the same node. Values that
// stand where there is no neighbour, or where the fill says that nothing couples, must be zero.
template <class T>
void validate(const BlockDiagonals<T>& hub);

// Entries that are exactly zero are left out, so that CSR and every row format are as small as they can be;
// but for those that the fill says to couple.
template <class T>
Csr<T> to_csr(const BlockDiagonals<T>& hub);

// The same for `nodes` consecutive nodes of an operator that is too large as a whole: rows of these nodes,
// all columns. `values` is [diagonal][column][row of these nodes].
template <class T>
Csr<T> to_csr_rows(const BlockStructure& structure, const Array<T>& values, std::int64_t first_node,
                   std::int64_t nodes);

// Entries that couple by the fill; where it says nothing all dof^2 of every pair of coupled nodes, which are
// at most the non-zeros. Throws FormatError when it overflows 64 bits.
std::int64_t most_non_zeros(const BlockStructure& structure);
// Pairs of coupled nodes: blocks of the operator.
std::int64_t coupled_pairs(const BlockStructure& structure);

// Reads a square matrix as block diagonals on a line of nodes (extents rows/dof x 1 x 1). Throws FormatError
// when the matrix is not square, dof does not divide it, or the block diagonals would be absurdly full of
// zeros.
template <class T>
BlockDiagonals<T> block_diagonals_from_csr(const Csr<T>& csr, int dof);

template <class To, class From>
BlockDiagonals<To> cast(const BlockDiagonals<From>& hub);

}  // namespace quadrille
