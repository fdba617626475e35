// Operators of which few rows are all, and not all are stored (formats/few_rows.hpp), in GPU memory. No CUDA
// header is needed to include this. All is queued in the default stream. Throw CudaError and MemoryError.
#pragma once

#include <vector>

#include "formats/compact.hpp"
#include "formats/few_rows.hpp"

namespace quadrille::cuda {

// values: those of the block diagonals, [diagonal][column][row].
void repeat_rows(const FewRows& rows, double* values);
// As quadrille::largest_difference(); waits for it.
double largest_difference(const FewRows& rows, const double* values);
Compact<double, Device> compact_from_few_rows(const FewRows& rows, std::vector<CompactEntry<double>> entries);

}  // namespace quadrille::cuda
