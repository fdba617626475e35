// RgCSR, row-grouped CSR. Source: Oberhuber, Suzuki, Vacata, "New row-grouped CSR format for storing the
// sparse matrices on GPU with implementation in CUDA", 2010, section 3.4.
//
//   group                          rows per group, 32..256; the last group may have fewer: g' = rows - its
//                                  first row
//   group_ptr[groups + 1]          where a group starts in column and value
//   row_length[rows]               entries of a row, padding not counted
//   column, value                  entry e of row i of a group of g' rows at group_ptr[group] + e*g' + i,
//                                  padded within the group to its longest row: column -1, value 0
//   order[rows] or empty           stored row i is row order[i] of the matrix: y[order[i]] gets its sum
//
// Worked example, group of 2 to be readable (also the test; the program takes 32..256):
//
//     1 . . 2 .      value      = 1 3 2 4 | 5 7 6 8 0 9 | 10
//     . 3 . . 4      column     = 0 1 3 4 | 2 2 4 3 -1 4 | 4
//     . . 5 . 6      group_ptr  = 0 4 10 11
//     . . 7 8 9      row_length = 2 2 2 3 1
//     . . . . 10
//
// Orderings are of the rows alone; the matrix's columns keep their order. Descending length brings rows of
// like length together and so saves padding, while neighbours no longer read the same part of x. Reverse
// Cuthill-McKee and approximate minimum degree follow the graph of the matrix and know nothing of lengths:
// they change which rows share the cache, and may pad more than the matrix's own order (the paper's Table 7:
// 26 % where that has 3 %). Indices are 32-bit.
#pragma once

#include "formats/csr.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct RgCsr {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t nnz = 0;
  int group = 32;
  Array<std::int32_t, Space> group_ptr;   // [groups + 1]
  Array<std::int32_t, Space> row_length;  // [rows]
  Array<std::int32_t, Space> order;       // [rows], or empty for the matrix's own order
  Array<std::int32_t, Space> column;
  Array<T, Space> value;

  std::int64_t groups() const { return (rows + group - 1) / group; }
};

// A copy in the memory of To.
template <class To, class T, class From>
RgCsr<T, To> copy_to(const RgCsr<T, From>& a) {
  return {a.rows,
          a.columns,
          a.nnz,
          a.group,
          copy_to<To>(a.group_ptr),
          copy_to<To>(a.row_length),
          copy_to<To>(a.order),
          copy_to<To>(a.column),
          copy_to<To>(a.value)};
}

// `order` is empty or a permutation of the rows. Throws FormatError for a group outside 1..1024, for an order
// that is no permutation and for absurd fill.
template <class T>
RgCsr<T> rg_csr_from_csr(const Csr<T>& csr, int group, Array<std::int32_t> order = {});
// Entries that it would store, padding included. `order` as above.
template <class T>
std::int64_t rg_csr_slots(const Csr<T>& csr, int group, const Array<std::int32_t>& order);
// Rows by descending length; equal rows keep their order.
template <class T>
Array<std::int32_t> descending_order(const Csr<T>& csr);
// In the matrix's own row order.
template <class T>
Csr<T> to_csr(const RgCsr<T>& rg);
// Throws FormatError naming the first broken row.
template <class T>
void validate(const RgCsr<T>& rg);
// Compulsory: pointers, lengths, order and the entries within the lengths; the padding is stored but skipped.
template <class T, class Space>
Traffic traffic(const RgCsr<T, Space>& rg);
// `slots`: entries, padding included; `ordered`: with an order of the rows.
Traffic rg_csr_traffic(std::int64_t rows, std::int64_t columns, std::int64_t nnz, std::int64_t group,
                       std::int64_t slots, bool ordered, std::int64_t value_bytes);

}  // namespace quadrille
