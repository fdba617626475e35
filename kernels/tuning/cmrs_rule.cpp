#include "kernels/tuning/cmrs_rule.hpp"

#include <algorithm>
#include <cmath>

namespace quadrille {

RowStatistics row_statistics(std::span<const std::int32_t> row_ptr, std::int64_t columns) {
  RowStatistics s;
  s.columns = columns;
  s.rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  if (s.rows <= 0) return s;
  s.nnz = row_ptr.back() - row_ptr.front();
  s.mean = static_cast<double>(s.nnz) / static_cast<double>(s.rows);
  double squares = 0;
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    const std::int64_t length = row_ptr[i + 1] - row_ptr[i];
    s.longest = std::max(s.longest, length);
    squares += (static_cast<double>(length) - s.mean) * (static_cast<double>(length) - s.mean);
  }
  s.deviation = std::sqrt(squares / static_cast<double>(s.rows));
  return s;
}

// Measured on an H200 (results/claims.md). What a strip of two rows saves, 4 bytes for each second row, is
// mostly less than what it costs to keep its rows apart: 1 to 15 %, so that nearly every matrix gets single
// rows, which are CSR. It is more where rows are short, alike and many: on the three such operators of the
// records (1 to 4 entries a row, half a million rows and more, fp64, generated) strips of two sorted by
// column take 2 to 7 % less time than rows by themselves. A row that fills the tile of a block of 128
// threads, or one a few times as long, holds the product up: 256 threads take 4 to 22 % less time with it
// (rows of 30 000 entries and more are shared out anyway), and 6 to 8 % less in matrices of some millions of
// entries with 50 to 70 a row.
CmrsChoice cmrs_choice(const RowStatistics& rows) {
  CmrsChoice choice;
  if (rows.longest >= 1000 || (rows.mean >= 40 && rows.nnz >= 4'000'000)) choice.launch.block = 256;
  if (rows.mean < 4.5 && rows.deviation <= rows.mean && rows.rows >= 500'000) {
    choice.height = 2;
    choice.reorder = true;
  }
  return choice;
}

}  // namespace quadrille
