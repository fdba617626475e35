// The source of a kernel for one operator on a grid: y = A x with everything in it that is known before there
// is a vector, as compact (formats/compact.hpp) or as a stencil table (formats/stencil_table.hpp). Written
// for NVRTC; needs no CUDA header.
#pragma once

#include <string>
#include <vector>

#include "formats/compact.hpp"
#include "formats/stencil_table.hpp"
#include "kernels/cuda/tiling.hpp"

namespace quadrille::cuda {

struct KernelSource {
  std::string text;         // empty where the operator is too large to be written out
  std::int64_t blocks = 0;  // of tile_threads (kernels/cuda/tiling.hpp)
};
inline constexpr const char* source_kernel = "product";
// Its parameters, all pointers to arrays in GPU memory, aligned to 16 bytes:
//   const V* values (compact) or const T* table, const void* number (stencil table), const T* x, T* to,
//   const T* from, T alpha, T beta                              as in Output

// Whether the product gives x . A x, too. Then there is one more, double* of_block, for what each block has
// of it, and the text stands behind that of dot_source(), which has the sum over the threads of a block.
enum class WithDot { no, yes };
std::string dot_source();

template <class T>
KernelSource compact_source(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                            ValuePrecision precision, bool transposed, TileSize size = TileSize::of_grid,
                            WithDot dot = WithDot::no);
// Entries that are +0 in all stencils are left out: `used` is [diagonal][row][column].
template <class T>
KernelSource stencil_table_source(const BlockStructure& structure, const std::vector<std::uint8_t>& used,
                                  bool words, TileSize size = TileSize::of_grid);

}  // namespace quadrille::cuda
