// What block diagonals in GPU memory hold, in one pass over their values. No CUDA header is needed to include
// this.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/block_diagonals.hpp"

namespace quadrille::cuda {

struct HubCounts {
  std::int64_t non_zeros = 0;
  std::vector<std::uint8_t> used;  // [diagonal][column][row of the block]: whether any of these is not 0
};

// Returns when it is counted. Throws CudaError.
template <class T>
HubCounts count_hub(const BlockDiagonals<T, Device>& hub);

}  // namespace quadrille::cuda
