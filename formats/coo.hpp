// COO, coordinate list, sorted by row and then by column. Source: Koza et al. 2012 (CMRS), section 2.3.
//
//   row[nnz], column[nnz], value[nnz]
//
// Worked example (the 5x5 matrix of the CMRS paper, also the test):
//
//     1 . . 2 .      value  = 1 2 3 4 5 6 7 8 9 10
//     . 3 . . 4      column = 0 3 1 4 2 4 2 3 4 4
//     . . 5 . 6      row    = 0 0 1 1 2 2 3 3 3 4
//     . . 7 8 9
//     . . . . 10
//
// No padding. Indices are 32-bit.
#pragma once

#include "formats/csr.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Coo {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Array<std::int32_t, Space> row;     // [nnz]
  Array<std::int32_t, Space> column;  // [nnz]
  Array<T, Space> value;              // [nnz]

  std::int64_t nnz() const { return value.size(); }
};

// A copy in the memory of To.
template <class To, class T, class From>
Coo<T, To> copy_to(const Coo<T, From>& a) {
  return {a.rows, a.columns, copy_to<To>(a.row), copy_to<To>(a.column), copy_to<To>(a.value)};
}

template <class T>
Coo<T> coo_from_csr(const Csr<T>& csr);
template <class T>
Csr<T> to_csr(const Coo<T>& coo);
// Throws FormatError naming the first entry that is out of range or out of order.
template <class T>
void validate(const Coo<T>& coo);
template <class T, class Space>
Traffic traffic(const Coo<T, Space>& coo);
Traffic coo_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t value_bytes);

}  // namespace quadrille
