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

// Measured on an H200 on 195 operators (results/README.md): strips of one row in the order of CSR, in blocks of 128 threads. What a
// taller strip saves, 4 bytes for each row, is less than what it costs to keep its rows apart: 3 to 11 % with two rows, 5 to 15 %
// with four. A row that fills the tile of such a block, or one a few times as long, holds the product up: 256 threads take 4 to 22 %
// less time with it; rows of 30 000 entries and more are shared out anyway.
CmrsChoice cmrs_choice(const RowStatistics& rows) {
  CmrsChoice choice;
  if (rows.longest >= 1000) choice.launch.block = 256;
  return choice;
}

}  // namespace quadrille
