// Stencil table: the different stencils of an operator, once each, and for every node the number of its own,
// in one byte where there are at most 256, else in two. A stencil is all that a node's rows hold, the dof x
// dof blocks of all diagonals; two are one only where all their bits are.
//
//   number[nodes]                              in `bytes` or `words`
//   table[stencils][diagonals][dof][dof]       table[((s*k + d)*dof + r)*dof + c]
//
// Regions of constant coefficients have few stencils: those of each region's inside, of its edges and of the
// grid's faces, where missing neighbours have zeros. The order is that of the nodes that have them first.
//
// Worked example (also the test), 5 nodes on a line, one unknown:
//
//     2 1 . . .      offsets -1 0 +1                number  = 0 1 1 2 3
//     1 2 1 . .      table    0:  0 2 1
//     . 1 2 1 .               1:  1 2 1
//     . . 1 5 3               2:  1 5 3
//     . . . 3 5               3:  3 5 0
//
// Padding: the zeros of missing neighbours, in the table alone. At most 65,536 stencils: an operator with
// more is refused. In the manner of dictionary compression of values (Kourtis, Goumas, Koziris, Optimizing
// sparse matrix-vector multiplication using index and value compression, CF 2008); of whole stencils, so that
// no index is left but the number.
#pragma once

#include <cstdint>
#include <string>

#include "formats/block_diagonals.hpp"

namespace quadrille {

inline constexpr std::int64_t most_stencils = 65536;

template <class T, class Space = Host>
struct StencilTable : BlockStructure {
  std::int64_t stencils = 0;
  Array<std::uint8_t, Space> bytes;   // [node], with at most 256 stencils; else empty
  Array<std::uint16_t, Space> words;  // [node], with more; else empty
  Array<T, Space> table;              // [stencil][diagonal][row][column]

  std::int64_t stencil_size() const { return diagonals() * dof * dof; }
};

// A copy in the memory of To.
template <class To, class T, class From>
StencilTable<T, To> copy_to(const StencilTable<T, From>& a) {
  StencilTable<T, To> result;
  static_cast<BlockStructure&>(result) = a;
  result.stencils = a.stencils;
  result.bytes = copy_to<To>(a.bytes);
  result.words = copy_to<To>(a.words);
  result.table = copy_to<To>(a.table);
  return result;
}

// How many different stencils there are; more than most_stencils where there are more, which is known early.
template <class T>
std::int64_t count_stencils(const BlockDiagonals<T>& hub);

// Throws FormatError where there are more than most_stencils.
template <class T>
StencilTable<T> stencil_table_from_hub(const BlockDiagonals<T>& hub);
// The block diagonals that it was made from, bit by bit.
template <class T>
BlockDiagonals<T> to_hub(const StencilTable<T>& table);
template <class T>
Csr<T> to_csr(const StencilTable<T>& table);
// Throws FormatError unless sizes agree, numbers are of stencils, and what has no neighbour is 0.
template <class T>
void validate(const StencilTable<T>& table);
template <class T, class Space>
Traffic traffic(const StencilTable<T, Space>& table);
Traffic stencil_table_traffic(const BlockStructure& structure, std::int64_t stencils,
                              std::int64_t value_bytes);
// The refusal of so many, or "".
std::string too_many_stencils(std::int64_t stencils);

}  // namespace quadrille
