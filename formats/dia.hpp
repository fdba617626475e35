// DIA, diagonal storage: every scalar diagonal with a non-zero, in full. Source: Saad, SPARSKIT; as in Godwin
// et al. 2012, section 2.3.2.
//
//   offset[diagonals]             ascending; diagonal d holds entries (row, row + offset[d])
//   value[diagonals][rows]        value[d*rows + row]; zero where row + offset[d] lies outside the matrix
//
// Worked example (also the test; x marks the padding outside the matrix, stored as zero):
//
//     1 . . 2 .      offset  =   -1   0   1   2   3
//     . 3 . . 4      row 0        x   1   .   .   2
//     . . 5 . 6      row 1        .   3   .   .   4
//     . . 7 8 9      row 2        .   5   .   6   x
//     . . . . 10     row 3        7   8   9   x   x
//                    row 4        .  10   x   x   x
//
// Padding: whole diagonals. A grid operator with b unknowns per node needs up to 2b - 1 scalar diagonals for
// each block diagonal, where CDS needs b columns; a periodic axis adds diagonals that CDS does not have.
#pragma once

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Dia {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Array<std::int64_t, Space> offset;  // [diagonals]
  Array<T, Space> value;              // [diagonal][row]

  std::int64_t diagonals() const { return offset.size(); }
};

// A copy in the memory of To.
template <class To, class T, class From>
Dia<T, To> copy_to(const Dia<T, From>& a) {
  return {a.rows, a.columns, copy_to<To>(a.offset), copy_to<To>(a.value)};
}

// Throws FormatError for absurd fill.
template <class T>
Dia<T> dia_from_csr(const Csr<T>& csr);
// The same diagonals and values without CSR in between, for any number of non-zeros: those with an entry that
// is not zero, or that couples by the fill.
template <class T>
Dia<T> dia_from_hub(const BlockDiagonals<T>& hub);

// Where the entries of block diagonals stand among scalar diagonals. Node j couples to node j + distance[m];
// one block diagonal has several distances where it wraps.
struct DiaSlots {
  int dof = 1;
  std::vector<std::int64_t> distance;  // [m] ascending
  std::vector<std::int32_t> slot;      // [m][c - r + dof - 1]: the scalar diagonal of entry (r, c), or -1
  std::vector<std::int64_t> offset;    // [scalar diagonal] ascending
};
// How far apart in nodes those are that a block diagonal couples: more than one number where it wraps.
std::vector<std::int64_t> distances_of(const BlockStructure& structure, const NodeOffset& diagonal);
// All scalar diagonals that these block diagonals can touch.
DiaSlots dia_slots(const BlockStructure& structure);
// [scalar diagonal]: whether an entry that couples by the fill stands there; all where nothing is said.
std::vector<std::uint8_t> slots_of_fill(const BlockStructure& structure, const DiaSlots& slots);
// Leaves out the diagonals that are not used.
DiaSlots only_used(const DiaSlots& slots, const std::vector<std::uint8_t>& used);
// Entries that are exactly zero are left out.
template <class T>
Csr<T> to_csr(const Dia<T>& dia);
// Throws FormatError unless offsets ascend inside the matrix and the padding is zero.
template <class T>
void validate(const Dia<T>& dia);
template <class T, class Space>
Traffic traffic(const Dia<T, Space>& dia);
Traffic dia_traffic(std::int64_t rows, std::int64_t columns, std::int64_t diagonals,
                    std::int64_t value_bytes);

}  // namespace quadrille
