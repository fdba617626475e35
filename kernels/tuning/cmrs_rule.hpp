// How CMRS is applied to a matrix when nothing is said: height, order and kernel from a few numbers about its
// rows.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/prepared.hpp"

namespace quadrille {

// Lengths of the rows of CSR.
struct RowStatistics {
  std::int64_t rows = 0, columns = 0, nnz = 0, longest = 0;
  double mean = 0,
         deviation = 0;  // deviation: the root of the mean square distance from the mean, in entries
};

// row_ptr is that of CSR: rows + 1 numbers.
RowStatistics row_statistics(std::span<const std::int32_t> row_ptr, std::int64_t columns);

struct CmrsChoice {
  int height = 1;
  bool reorder = false;
  Launch launch;
};

// A pure function.
CmrsChoice cmrs_choice(const RowStatistics& rows);

}  // namespace quadrille
