// CSR, compressed sparse row. Source: Tinney and Walker 1967; as in Steinberger et al. 2016, section II.
//
//   row_ptr[rows + 1]   row i holds entries row_ptr[i] .. row_ptr[i+1] - 1
//   column[nnz]         ascending within a row, no repeats
//   value[nnz]
//
// Worked example (the 5x5 matrix of the CMRS paper, also the test; '.' is a zero):
//
//     1 . . 2 .      value   = 1 2 3 4 5 6 7 8 9 10
//     . 3 . . 4      column  = 0 3 1 4 2 4 2 3 4 4
//     . . 5 . 6      row_ptr = 0 2 4 6 9 10
//     . . 7 8 9
//     . . . . 10
//
// No padding. Indices are 32-bit: rows, columns and nnz must be below 2^31.
#pragma once

#include <cstdint>

#include "formats/array.hpp"
#include "formats/format.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Csr {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Array<std::int32_t, Space> row_ptr;  // [rows + 1]
  Array<std::int32_t, Space> column;   // [nnz]
  Array<T, Space> value;               // [nnz]

  std::int64_t nnz() const { return value.size(); }
};

// A copy in the memory of To.
template <class To, class T, class From>
Csr<T, To> copy_to(const Csr<T, From>& a) {
  return {a.rows, a.columns, copy_to<To>(a.row_ptr), copy_to<To>(a.column), copy_to<To>(a.value)};
}

// Throws FormatError, naming the first broken row, unless sizes agree, row_ptr ascends and columns ascend in
// range.
template <class T>
void validate(const Csr<T>& csr);

template <class T, class Space>
Traffic traffic(const Csr<T, Space>& csr);
// The same from the sizes alone, as the other formats have it.
Traffic csr_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t value_bytes);

// Bytes that CSR takes for so many rows and non-zeros, with values of `value_bytes`.
std::int64_t csr_bytes(std::int64_t rows, std::int64_t nnz, std::int64_t value_bytes);

// The same operator with values rounded to To.
template <class To, class From>
Csr<To> cast(const Csr<From>& csr);

// Bitwise equality of shape, structure and values (NaN equals NaN of the same bits).
template <class T>
bool identical(const Csr<T>& a, const Csr<T>& b);

}  // namespace quadrille
