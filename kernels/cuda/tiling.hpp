// How the nodes of a grid are shared out among the threads of a kernel that is written for one operator
// (kernels/cuda/stencil_source.hpp). No CUDA header is needed to include this.
//
// What limits such a product is not the memory alone but, at 6.9 TB/s on an H200, the way from the second
// level cache: a thread that owns a node asks there for x again for every neighbour, and for columns that
// have mirrors. So a block of threads owns a tile of a few lines in a few planes, and finds most of that in
// its registers and the first-level cache:
//
//      y
//      ^   . . . . . . . .      x * y threads: a tile; each owns `nodes` beside each other, in `planes`
//      |   [tile 2][tile 3]     planes at once; then in the next ones, `steps` times
//      |   [tile 0][tile 1]
//      +-------------------> x  blocks: tiles along x first, then along y, then z, as memory has them
#pragma once

#include <cstdint>

#include "formats/block_diagonals.hpp"

namespace quadrille::cuda {

inline constexpr int tile_threads = 256;  // of a block

struct Tiling {
  int nodes = 1;  // of a thread, along x: as many as a word of 16 bytes holds, with one unknown
  int planes = 1, steps = 1;
  int x = 1, y = 1;                                    // threads of a tile, at most tile_threads
  std::int64_t tiles_x = 0, tiles_y = 0, tiles_z = 0;  // of the grid
  int blocks = 1;                                      // on a multiprocessor at least: bounds registers
  std::int64_t launched() const { return tiles_x * tiles_y * tiles_z; }
};

// Of a small grid less, so that there are blocks for all of a GPU; or as much as of a large one.
enum class TileSize { of_grid, large };

// What a kernel does for a node.
struct TileWork {
  int word = 2;                              // numbers of the vectors in 16 bytes
  std::int64_t products = 0;                 // that are added to its rows
  std::int64_t columns = 0, read_again = 0;  // of the values, and those that neighbours read, too
  bool table = false;                        // of stencils
  bool planes_share = true;                  // what they read, without another order of the sums
  int vectors = 1;
  TileSize size = TileSize::of_grid;
};
Tiling tiling_of(const BlockStructure& structure, const TileWork& work);

// A grid in 2D with its lines as planes, of one line each.
BlockStructure with_planes(BlockStructure structure);

}  // namespace quadrille::cuda
