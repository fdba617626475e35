// The source of a kernel for one operator on a grid, or for those of its kind: y = A x with everything in it
// that says which numbers meet, as compact (formats/compact.hpp) or as a stencil table
// (formats/stencil_table.hpp). For any grid the constants come with the launch, and so does how large the
// grid is and where it wraps: operators that differ by these alone then have the same kernel, which computes
// more places and took 6 to 9 % longer on an H200, in conjugate gradients 1 %. Written for NVRTC; needs no
// CUDA header.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "formats/compact.hpp"
#include "formats/stencil_table.hpp"
#include "kernels/cuda/tiling.hpp"
#include "kernels/specialised.hpp"

namespace quadrille::cuda {

struct KernelSource {
  std::string text;  // empty where the operator is too large to be written out
  KernelLaunch launch;
};
inline constexpr const char* source_kernel = "product";
// Its parameters, pointers to arrays in GPU memory, those not of vectors aligned to 16 bytes:
//   const V* values (compact) or const T* table, const void* number (stencil table), const T* x, T* to,
//   const T* from, T alpha, T beta                              as in Output
//   KernelSizes sizes, Constants given                          of KernelLaunch; read where they are not
//                                                               numbers of the text

// Several vectors follow one another without gaps, as SpmvOperator::apply_multiple() says; x, to and from are
// of the first.
//
// With a dot the product gives x . A x, too, of one vector. Then there is one more parameter, double*
// of_block, for what each block has of it, and the text stands behind that of dot_source(), which has the sum
// over the threads of a block.
struct WrittenProduct {
  bool transposed = false, with_dot = false;
  int vectors = 1;
  bool any_grid = false;
  bool any_constants = false;  // they come with each launch; so they do with any grid
};
std::string dot_source();

template <class T>
KernelSource compact_source(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                            ValuePrecision precision, const WrittenProduct& product,
                            TileSize size = TileSize::of_grid);
// Those of its launch, in which nothing else depends on them; nor does the text where it is for any.
template <class T>
std::shared_ptr<const std::vector<std::byte>> compact_constants(const BlockStructure& structure,
                                                                const std::vector<CompactEntry<T>>& entries,
                                                                bool transposed);
// Entries that are +0 in all stencils are left out: `used` is [diagonal][row][column]. `words`: numbers of
// stencils have two bytes. Without a dot.
template <class T>
KernelSource stencil_table_source(const BlockStructure& structure, const std::vector<std::uint8_t>& used,
                                  bool words, const WrittenProduct& product,
                                  TileSize size = TileSize::of_grid);

}  // namespace quadrille::cuda
