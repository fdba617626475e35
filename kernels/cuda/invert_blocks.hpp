// The blocks on the diagonal inverted in GPU memory. No CUDA header is needed to include this.
#pragma once

#include <cstdint>

#include "formats/block_diagonals.hpp"

namespace quadrille::cuda {

inline constexpr int most_inverted_unknowns = 64;  // a node: what has room in a processor's shared memory

// The inverse of each of `nodes` blocks, both [column][row] with columns of `rows` numbers, by Gauss-Jordan
// with row pivots, queued on `stream` (a cudaStream_t). A column without a pivot gives zeros, and, where
// `singular` is given, 1 there, in GPU memory.
void invert_blocks(int dof, std::int64_t nodes, std::int64_t rows, const double* blocks, double* inverse,
                   void* stream, std::int32_t* singular = nullptr);

struct InvertedBlocks {
  BlockDiagonals<double, Device> hub;  // of that one block diagonal, all nodes along x
  bool singular = false;               // some block is
};
// Those of an operator that has a block diagonal at offset 0, in the default stream, which is waited for.
InvertedBlocks inverted_blocks(const BlockDiagonals<double, Device>& a);

}  // namespace quadrille::cuda
