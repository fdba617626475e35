// ELLR-T: ELLPACK with row lengths, T threads to a row. Source: Vazquez, Fernandez, Garzon, "Automatic tuning
// of the sparse matrix vector product on GPUs based on the ELLR-T approach", 2011, section 3.2 and figure 2.
//
//   threads                        T: 1, 2, 4, 8, 16 or 32
//   width                          longest row rounded up to a multiple of T
//   pitch                          rows rounded up to 16
//   row_length[rows]
//   column, value[width/T][pitch][T]
//       entry e of a row at ((e/T)*pitch + row)*T + e%T; column -1 and value 0 in the padding
//
// so that the T threads of a row, and the rows of a warp, read consecutive addresses.
//
// Worked example, T = 2 (also the test; rows 5..15 of the pitch are padding as well):
//
//     1 . . 2 .      set 0 of each row   set 1 of each row    row_length
//     . 3 . . 4         1  2                0  0                2
//     . . 5 . 6         3  4                0  0                2
//     . . 7 8 9         5  6                0  0                2
//     . . . . 10        7  8                9  0                3
//                      10  0                0  0                1
//
//     value  = 1 2 3 4 5 6 7 8 10 0 ... | 0 0 0 0 0 0 9 0 0 0 ...
//     column = 0 3 1 4 2 4 2 3  4 -1 .. | -1 .. at 9: 4 ..
//
// Indices are 32-bit.
#pragma once

#include <array>

#include "formats/csr.hpp"

namespace quadrille {

// What T may be.
inline constexpr std::array<int, 6> ellr_t_threads{1, 2, 4, 8, 16, 32};

template <class T, class Space = Host>
struct EllrT {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int threads = 1;
  std::int64_t pitch = 0;
  std::int64_t width = 0;
  std::int64_t nnz = 0;
  Array<std::int32_t, Space> row_length;  // [rows]
  Array<std::int32_t, Space> column;      // [width/T][pitch][T]
  Array<T, Space> value;                  // [width/T][pitch][T]
};

// A copy in the memory of To.
template <class To, class T, class From>
EllrT<T, To> copy_to(const EllrT<T, From>& a) {
  return {a.rows,
          a.columns,
          a.threads,
          a.pitch,
          a.width,
          a.nnz,
          copy_to<To>(a.row_length),
          copy_to<To>(a.column),
          copy_to<To>(a.value)};
}

// Throws FormatError for another T, and for absurd fill.
template <class T>
EllrT<T> ellr_t_from_csr(const Csr<T>& csr, int threads);
template <class T>
Csr<T> to_csr(const EllrT<T>& ellr);
// Throws FormatError naming the first broken row.
template <class T>
void validate(const EllrT<T>& ellr);
// Compulsory: the row lengths and the entries within them; the padding is stored but skipped.
template <class T, class Space>
Traffic traffic(const EllrT<T, Space>& ellr);
// `width` is a multiple of T.
Traffic ellr_t_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t width,
                       std::int64_t value_bytes);

}  // namespace quadrille
