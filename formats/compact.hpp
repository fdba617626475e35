// Compact: block diagonals of which nothing is stored that is known already, to the last bit. Each entry of a
// block, (diagonal, row, column), is one of
//
//   nothing    +0 at every node
//   constant   the same number wherever the node has that neighbour
//   column     a number for every node: values[column*nodes + node], 0 where there is no neighbour
//   mirror     the entry (-diagonal, column, row) of the neighbour: values[column*nodes + neighbour]
//
// so that a symmetric operator stores one half, unknowns that do not couple nothing, and a Laplacian with
// constant coefficients no values at all. What a value is, is decided by its bits.
//
// Worked example (also the test): 4 nodes on a line, one unknown, symmetric, with one number beside the
// diagonal at all places but the last, and the same with a diagonal of 2 at all nodes:
//
//     2 a . .     offset -1: mirror of column 0        a = 5, b = 7:  values = 5 5 7 0  (of nodes 0 .. 3)
//     a 2 a .     offset  0: constant 2
//     . a 2 b     offset +1: column 0                  where CDS has 3 columns, and DIA as well
//     . . b 2
//
// Padding: as in CDS, one zero for every missing neighbour of a stored column. A product reads a column for
// its node and, where it has a mirror, for the neighbour again, which a cache still holds.
//
// The half that is stored is the one with the neighbours behind a node, and within the centre that above the
// diagonal: mirrors then lead to what nodes before this one have read. Constant and symmetric storage are old
// (Falgout and Jones, hypre's Struct matrices, 2000, have one of both for a whole operator); that every entry
// of a block has its own is ours.
//
// Columns may be stored less precisely than vectors (formats/value_precision.hpp), where that is asked for;
// constants are not. What is asked so of cds is this with a column for every entry.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "formats/few_rows.hpp"
#include "formats/value_precision.hpp"

namespace quadrille {

enum class Stored : std::int32_t { nothing, constant, column, mirror };

template <class T>
struct CompactEntry {
  Stored stored = Stored::nothing;
  std::int32_t column = 0;  // of a column or a mirror
  T constant = 0;
};

template <class T, class Space = Host>
struct Compact : BlockStructure {
  std::vector<CompactEntry<T>> entry;  // [diagonal][row][column of the block], in host memory
  ValuePrecision precision = ValuePrecision::own;
  Array<T, Space> values;  // [column][node], in one of these three arrays
  Array<float, Space> values_fp32;
  Array<Bf16, Space> values_bf16;

  const CompactEntry<T>& at(std::int64_t d, int r, int c) const { return entry[(d * dof + r) * dof + c]; }
  // body(the array that has the columns)
  template <class Body>
  auto with_values(const Body& body) const {
    if (precision == ValuePrecision::fp32) return body(values_fp32);
    if (precision == ValuePrecision::bf16) return body(values_bf16);
    return body(values);
  }
  template <class Body>
  auto with_values(const Body& body) {
    if (precision == ValuePrecision::fp32) return body(values_fp32);
    if (precision == ValuePrecision::bf16) return body(values_bf16);
    return body(values);
  }
  // By how much of itself a value of the operator is off at most.
  double value_error() const { return rounding_of(precision, sizeof(T)); }
};

// A copy in the memory of To.
template <class To, class T, class From>
Compact<T, To> copy_to(const Compact<T, From>& a) {
  Compact<T, To> result;
  static_cast<BlockStructure&>(result) = a;
  result.entry = a.entry;
  result.precision = a.precision;
  result.values = copy_to<To>(a.values);
  result.values_fp32 = copy_to<To>(a.values_fp32);
  result.values_bf16 = copy_to<To>(a.values_bf16);
  return result;
}

// What decides how entries are stored, [diagonal][row][column], whoever looked at the values.
template <class T>
struct CompactFacts {
  std::vector<T> first;              // the value at the first node with that neighbour; 0 where there is none
  std::vector<std::uint8_t> varies;  // another node has another
  std::vector<std::uint8_t> differs;  // from the opposite's, of an entry that may be a mirror
};
template <class T>
std::vector<CompactEntry<T>> compact_entries(const BlockStructure& structure, const CompactFacts<T>& facts);
// Reads the values once, as one and as the other of a pair, and those of an entry no more once it is decided;
// none where nothing couples by the fill.
template <class T>
std::vector<CompactEntry<T>> compact_entries(const BlockDiagonals<T>& hub);
template <class T>
std::int32_t columns_of(const std::vector<CompactEntry<T>>& entries);

// Whether A^T is A by how its entries are stored: each is the constant of its opposite, or a column with its
// mirror. What is said of values that were looked at is not asked here: an operator with a column for each of
// a pair that are equal is none.
template <class T>
bool is_symmetric(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries);

// Whether all entries are constants, and neighbours couple each unknown with its own kind alone; blocks on
// the diagonal may be full.
template <class T>
bool has_constants_by_kind(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries);

// A column for every entry.
template <class T>
std::vector<CompactEntry<T>> all_columns(const BlockStructure& structure);
// A column for every entry that couples by the fill, whatever the values are; where it says nothing, for all.
template <class T>
std::vector<CompactEntry<T>> columns_of_fill(const BlockStructure& structure);
// Whether entry e, [diagonal][row][column], couples by the fill, or may.
bool may_couple(const BlockStructure& structure, std::int64_t e);

template <class T>
Compact<T> compact_from_hub(const BlockDiagonals<T>& hub);
// With these entries. Throws FormatError where a value cannot be stored with this precision.
template <class T>
Compact<T> compact_from_hub(const BlockDiagonals<T>& hub, std::vector<CompactEntry<T>> entries,
                            ValuePrecision precision);
// The same of an operator of which few rows are all, with what their block diagonals would say; of couplings
// to neighbours.
std::vector<CompactEntry<double>> compact_entries(const FewRows& rows);
Compact<double> compact_from_few_rows(const FewRows& rows, std::vector<CompactEntry<double>> entries);
// What its columns hold of stored nodes, [column][stored node].
Array<double> few_of_columns(const FewRows& rows, const std::vector<CompactEntry<double>>& entries);
[[noreturn]] void throw_not_stored(ValuePrecision precision);
// The block diagonals that it was made from, bit by bit but for the rounding of values.
template <class T>
BlockDiagonals<T> to_hub(const Compact<T>& compact);
template <class T>
Csr<T> to_csr(const Compact<T>& compact);
// As diagonal_blocks() of block diagonals (formats/diagonal_blocks.hpp), of values with their own precision.
template <class T, class Space>
Array<T> diagonal_blocks(const Compact<T, Space>& compact, int size);
// Throws FormatError unless sizes agree, columns are there, mirrors have one, and what has no neighbour is 0.
template <class T>
void validate(const Compact<T>& compact);
template <class T, class Space>
Traffic traffic(const Compact<T, Space>& compact);
// Vectors and constants of numbers with so many bytes.
Traffic compact_traffic(const BlockStructure& structure, std::int64_t columns, std::int64_t number_bytes,
                        ValuePrecision precision = ValuePrecision::own);

// The diagonal that leads from the node at diagonal d back, or -1.
std::int64_t opposite(const BlockStructure& structure, std::int64_t d);
// Whether entry (d, r, c), of which `back` is the opposite diagonal, is the one of the pair that may be a
// mirror of the other.
bool may_be_mirror(const BlockStructure& structure, std::int64_t d, std::int64_t back, int r, int c);
// The first node that has a neighbour at this offset, or -1.
std::int64_t first_node_with(const BlockStructure& structure, const NodeOffset& offset);

}  // namespace quadrille
