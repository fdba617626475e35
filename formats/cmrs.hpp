// CMRS, compressed multi-row storage. Source: Koza, Matyka, Szkoda, Miroslaw, "Compressed Multi-Row Storage
// Format for Sparse Matrices on Graphics Processing Units", 2012, sections 3 and 4.
//
//   height                        rows per strip, 1..16
//   strip_ptr[strips + 1]         strip s holds entries strip_ptr[s] .. strip_ptr[s+1] - 1
//   column[nnz]                   packed: column*16 + row within the strip, when columns <= 2^28; otherwise
//                                 the column
//   row_in_strip[nnz]             the row within the strip where it is not packed; empty otherwise and for
//                                 height 1
//   value[nnz]
//
// The strip's entries stand in CSR's order or, reordered, by ascending column (and row, within a column),
// which brings the reads of x together.
//
// Worked example, height 2 (the paper's own matrix, also the test):
//
//     1 . . 2 .      value        = 1 2 3 4 5 6 7 8 9 10      reordered:  1 3 2 4  5 7 8 6 9  10
//     . 3 . . 4      column       = 0 3 1 4 2 4 2 3 4 4                   0 1 3 4  2 2 3 4 4  4
//     . . 5 . 6      row_in_strip = 0 0 1 1 0 0 1 1 1 0                   0 1 0 1  0 1 1 0 1  0
//     . . 7 8 9      strip_ptr    = 0 4 9 10
//     . . . . 10
//
// (packed, column holds 16*column + row_in_strip.) No padding. Indices are 32-bit.
#pragma once

#include "formats/csr.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Cmrs {
  static constexpr int packed_bits = 4;

  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int height = 1;
  bool packed = false;
  Array<std::int32_t, Space> strip_ptr;     // [strips + 1]
  Array<std::uint32_t, Space> column;       // [nnz]
  Array<std::uint8_t, Space> row_in_strip;  // [nnz] or empty
  Array<T, Space> value;                    // [nnz]

  std::int64_t strips() const { return (rows + height - 1) / height; }
  std::int64_t nnz() const { return value.size(); }
};

// A copy in the memory of To.
template <class To, class T, class From>
Cmrs<T, To> copy_to(const Cmrs<T, From>& a) {
  return {a.rows,
          a.columns,
          a.height,
          a.packed,
          copy_to<To>(a.strip_ptr),
          copy_to<To>(a.column),
          copy_to<To>(a.row_in_strip),
          copy_to<To>(a.value)};
}

// Where the row within the strip is kept. `automatic` packs it when the columns fit 28 bits, as the paper
// does.
enum class CmrsRows { automatic, separate };
// Whether the columns fit 28 bits.
bool cmrs_packs(std::int64_t columns);

// Throws FormatError for a height outside 1..16.
template <class T>
Cmrs<T> cmrs_from_csr(const Csr<T>& csr, int height, bool reorder, CmrsRows rows = CmrsRows::automatic);
template <class T>
Csr<T> to_csr(const Cmrs<T>& cmrs);
// Throws FormatError naming the first broken strip.
template <class T>
void validate(const Cmrs<T>& cmrs);
template <class T, class Space>
Traffic traffic(const Cmrs<T, Space>& cmrs);
// `separate_rows`: the row within the strip is not packed.
Traffic cmrs_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t height,
                     bool separate_rows, std::int64_t value_bytes);

// One entry, unpacked.
struct CmrsEntry {
  std::uint32_t column;
  std::uint32_t row_in_strip;
};
template <class T>
CmrsEntry entry(const Cmrs<T>& cmrs, std::int64_t k) {
  const std::uint32_t c = cmrs.column[k];
  if (cmrs.packed) return {c >> Cmrs<T>::packed_bits, c & ((1u << Cmrs<T>::packed_bits) - 1)};
  return {c, cmrs.row_in_strip.size() > 0 ? cmrs.row_in_strip[k] : 0u};
}

}  // namespace quadrille
