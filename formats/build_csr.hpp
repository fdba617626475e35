// Building CSR from any format whose rows can be listed: the return path of the row formats.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/csr.hpp"

namespace quadrille {

// `append(row, entries)` appends the {column, value} pairs of a row in any order; it is called twice per row,
// from several threads at once. Columns come out ascending.
template <class T, class Append>
Csr<T> build_csr(std::int64_t rows, std::int64_t columns, const Append& append) {
  using Entries = std::vector<std::pair<std::int32_t, T>>;
  Csr<T> csr{rows, columns, Array<std::int32_t>(rows + 1), {}, {}};
  csr.row_ptr[0] = 0;
#pragma omp parallel
  {
    Entries entries;
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      entries.clear();
      append(row, entries);
      csr.row_ptr[row + 1] = static_cast<std::int32_t>(entries.size());
    }
  }
  for (std::int64_t row = 0; row < rows; ++row) csr.row_ptr[row + 1] += csr.row_ptr[row];
  memory::require_host(csr_bytes(rows, csr.row_ptr[rows], sizeof(T)));
  csr.column = Array<std::int32_t>(csr.row_ptr[rows]);
  csr.value = Array<T>(csr.row_ptr[rows]);
#pragma omp parallel
  {
    Entries entries;
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      entries.clear();
      append(row, entries);
      std::sort(entries.begin(), entries.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      std::int64_t k = csr.row_ptr[row];
      for (const auto& [column, value] : entries) {
        csr.column[k] = column;
        csr.value[k++] = value;
      }
    }
  }
  return csr;
}

// The number of entries of the longest row.
template <class T>
std::int32_t longest_row(const Csr<T>& csr) {
  std::int32_t longest = 0;
#pragma omp parallel for schedule(static) reduction(max : longest)
  for (std::int64_t i = 0; i < csr.rows; ++i)
    longest = std::max(longest, csr.row_ptr[i + 1] - csr.row_ptr[i]);
  return longest;
}

inline std::int64_t round_up(std::int64_t n, std::int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace quadrille
