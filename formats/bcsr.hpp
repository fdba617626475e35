// BCSR, block compressed sparse row, with dense b x b blocks. Source: Im and Yelick 2001.
//
//   block_row_ptr[block_rows + 1]   block_rows = ceil(rows / b)
//   block_column[blocks]            ascending within a block row
//   value[blocks][b][b]             row-major within a block: value[(k*b + r)*b + c]
//
// Worked example, b = 2 (also the test):
//
//     1 . | . 2 | .      block_row_ptr = 0 3 5 6
//     . 3 | . . | 4      block_column  = 0 1 2   1 2   2
//     ----+-----+---     value         = 1 0 0 3   0 2 0 0   0 0 4 0
//     . . | 5 . | 6                      5 0 7 8   6 0 9 0
//     . . | 7 8 | 9                      10 0 0 0
//     ----+-----+---
//     . . | . . | 10
//
// Padding: a block with one non-zero is stored whole; blocks that stick out of the matrix are filled with
// zeros.
#pragma once

#include "formats/csr.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Bcsr {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int block_size = 1;
  Array<std::int32_t, Space> block_row_ptr;  // [block_rows + 1]
  Array<std::int32_t, Space> block_column;   // [blocks]
  Array<T, Space> value;                     // [blocks][b][b]

  std::int64_t block_rows() const { return (rows + block_size - 1) / block_size; }
  std::int64_t blocks() const { return block_column.size(); }
};

// A copy in the memory of To.
template <class To, class T, class From>
Bcsr<T, To> copy_to(const Bcsr<T, From>& a) {
  return {a.rows,
          a.columns,
          a.block_size,
          copy_to<To>(a.block_row_ptr),
          copy_to<To>(a.block_column),
          copy_to<To>(a.value)};
}

// Throws FormatError for block sizes outside 1..64 and for absurd fill.
template <class T>
Bcsr<T> bcsr_from_csr(const Csr<T>& csr, int block_size);
// Entries that are exactly zero are left out.
template <class T>
Csr<T> to_csr(const Bcsr<T>& bcsr);
// Throws FormatError naming the first broken block row.
template <class T>
void validate(const Bcsr<T>& bcsr);
template <class T, class Space>
Traffic traffic(const Bcsr<T, Space>& bcsr);
Traffic bcsr_traffic(std::int64_t rows, std::int64_t columns, std::int64_t block_size, std::int64_t blocks,
                     std::int64_t value_bytes);

}  // namespace quadrille
