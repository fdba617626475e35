// Compact from block diagonals in GPU memory, without a copy to the host. No CUDA header is needed to include
// this.
#pragma once

#include <vector>

#include "formats/compact.hpp"

namespace quadrille::cuda {

// What the host finds (formats/compact.hpp): every value is read once, and once more where it is compared
// with its opposite. Returns when it is known. Throw CudaError and MemoryError.
template <class T>
std::vector<CompactEntry<T>> compact_entries(const BlockDiagonals<T, Device>& hub);
template <class T>
Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>& hub);
// With these entries. Throws FormatError where a value cannot be stored with this precision.
template <class T>
Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>& hub,
                                    std::vector<CompactEntry<T>> entries, ValuePrecision precision);

}  // namespace quadrille::cuda
