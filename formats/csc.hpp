// CSC, compressed sparse column: CSR of the transpose. Source: Steinberger et al. 2016, section II.
//
//   column_ptr[columns + 1]   column j holds entries column_ptr[j] .. column_ptr[j+1] - 1
//   row[nnz]                  ascending within a column
//   value[nnz]
//
// Worked example (also the test):
//
//     1 . . 2 .      value      = 1 3 5 7 2 8 4 6 9 10
//     . 3 . . 4      row        = 0 1 2 3 0 3 1 2 3 4
//     . . 5 . 6      column_ptr = 0 1 2 4 6 10
//     . . 7 8 9
//     . . . . 10
//
// No padding. Indices are 32-bit.
#pragma once

#include "formats/csr.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Csc {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Array<std::int32_t, Space> column_ptr;  // [columns + 1]
  Array<std::int32_t, Space> row;         // [nnz]
  Array<T, Space> value;                  // [nnz]

  std::int64_t nnz() const { return value.size(); }
};

// A copy in the memory of To.
template <class To, class T, class From>
Csc<T, To> copy_to(const Csc<T, From>& a) {
  return {a.rows, a.columns, copy_to<To>(a.column_ptr), copy_to<To>(a.row), copy_to<To>(a.value)};
}

template <class T>
Csc<T> csc_from_csr(const Csr<T>& csr);
template <class T>
Csr<T> to_csr(const Csc<T>& csc);
// The transposed matrix as CSR.
template <class T>
Csr<T> transposed(const Csr<T>& csr);
// Throws FormatError naming the first broken column.
template <class T>
void validate(const Csc<T>& csc);
template <class T, class Space>
Traffic traffic(const Csc<T, Space>& csc);
Traffic csc_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t value_bytes);

}  // namespace quadrille
