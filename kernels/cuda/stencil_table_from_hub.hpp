// Stencil table from block diagonals in GPU memory, without a copy to the host. No CUDA header is needed to
// include this.
#pragma once

#include "formats/stencil_table.hpp"

namespace quadrille::cuda {

// What the host finds (formats/stencil_table.hpp), with the same numbers: every value is read once to count,
// and once more for the table. Throw CudaError, MemoryError, and FormatError where there are more than
// most_stencils.
template <class T>
StencilTable<T, Device> stencil_table_from_hub(const BlockDiagonals<T, Device>& hub);
// Of stencils whose hashes of 64 bits are the same one is counted.
template <class T>
std::int64_t count_stencils(const BlockDiagonals<T, Device>& hub);

}  // namespace quadrille::cuda
