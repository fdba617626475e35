// ELL (ELLPACK): every row padded to the longest, entries column by column. Source: Grimes, Kincaid, Young,
// ITPACK 2.0; as in Koza et al. 2012, section 2.3.
//
//   width                         entries of the longest row
//   pitch                         rows rounded up to 32, so that every column starts on a 128-byte boundary
//   column[width][pitch]          entry k of a row at k*pitch + row; -1 marks padding
//   value[width][pitch]           0 where there is padding
//
// Worked example (also the test; rows 5..31 of the pitch are padding as well):
//
//     1 . . 2 .      value = 1  2  0      column = 0  3 -1
//     . 3 . . 4              3  4  0               1  4 -1
//     . . 5 . 6              5  6  0               2  4 -1
//     . . 7 8 9              7  8  9               2  3  4
//     . . . . 10            10  0  0               4 -1 -1
//
// Padding sits at the end of a row. Indices are 32-bit.
#pragma once

#include "formats/csr.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Ell {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t pitch = 0;
  std::int64_t width = 0;
  Array<std::int32_t, Space> column;  // [width][pitch]
  Array<T, Space> value;              // [width][pitch]
};

// A copy in the memory of To.
template <class To, class T, class From>
Ell<T, To> copy_to(const Ell<T, From>& a) {
  return {a.rows, a.columns, a.pitch, a.width, copy_to<To>(a.column), copy_to<To>(a.value)};
}

inline constexpr std::int64_t ell_pitch = 32;

// What so many rows of this width take; throws FormatError when it overflows 64 bits.
std::int64_t ell_bytes(std::int64_t rows, std::int64_t width, std::int64_t value_bytes);

// Throws FormatError for absurd fill.
template <class T>
Ell<T> ell_from_csr(const Csr<T>& csr);
// The first `width` entries of every row; rows that have more are cut (HYB keeps the rest elsewhere).
template <class T>
Ell<T> ell_of_width(const Csr<T>& csr, std::int64_t width);
template <class T>
Csr<T> to_csr(const Ell<T>& ell);
// Throws FormatError naming the first row whose columns do not ascend or whose padding is not at its end.
template <class T>
void validate(const Ell<T>& ell);
template <class T, class Space>
Traffic traffic(const Ell<T, Space>& ell);
Traffic ell_traffic(std::int64_t rows, std::int64_t columns, std::int64_t width, std::int64_t value_bytes);

}  // namespace quadrille
