// A step of a cycle on a level that couples the box of neighbours and has an inner row. A thread does a word
// of inner rows in a few planes one above the other, with the coefficients as parameters, which a product
// takes at no cost; x of neighbouring lines is in the first-level cache, for a block does a tile of some
// lines. What limits such a step else is the way from that cache: 26 words of coefficients for one of x.
// Rows near faces go one word a thread, by the values that are stored of them, in blocks of their own.
// Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/inner_row.hpp"

namespace quadrille::multigrid::device {

inline constexpr int planes_together = 4;  // of a thread

// Which words of a level are whose: numbers of words, lines and planes.
struct InnerTiles {
  int first[3], inner[3], size[3];  // in words along x
  int x, y;                         // threads of a tile
  int tiles_x, tiles_y, tiles_z;
  int face_blocks, face_words;

  int blocks() const { return face_blocks + tiles_x * tiles_y * tiles_z; }

  // Word i of those near faces: whole planes first, then whole lines, then ends of lines.
  __device__ int face_word(int i) const {
    int at[3] = {};
    const int lines = size[1] - inner[1], ends = size[0] - inner[0];
    const auto beside = [this](int n, int axis) { return n < first[axis] ? n : n + inner[axis]; };
    if (const int planes = (size[2] - inner[2]) * size[1] * size[0]; i < planes) {
      at[0] = i % size[0];
      at[1] = i / size[0] % size[1];
      at[2] = beside(i / size[0] / size[1], 2);
    } else if (i -= planes; i < inner[2] * lines * size[0]) {
      at[0] = i % size[0];
      at[1] = beside(i / size[0] % lines, 1);
      at[2] = first[2] + i / size[0] / lines;
    } else {
      i -= inner[2] * lines * size[0];
      at[0] = beside(i % ends, 0);
      at[1] = first[1] + i / ends % inner[1];
      at[2] = first[2] + i / ends / inner[1];
    }
    return (at[2] * size[1] + at[1]) * size[0] + at[0];
  }
};

template <class T>
InnerTiles inner_tiles(const Couplings& s, const InnerRow<T>& row) {
  constexpr int word = rows_together<T>, threads = cuda::threads_per_block;
  const auto parts = [](int n, int size) { return (n + size - 1) / size; };
  InnerTiles t{};
  for (int axis = 0; axis < 3; ++axis) {
    const int unit = axis == 0 ? word : 1;
    t.first[axis] = row.first[axis] / unit;
    t.inner[axis] = (row.end[axis] - row.first[axis]) / unit;
    t.size[axis] = (axis == 0 ? s.line : s.n[axis]) / unit;
  }
  t.x = parts(t.inner[0], parts(t.inner[0], std::max(32, threads / t.inner[1])));
  t.y = std::min(t.inner[1], threads / t.x);
  t.tiles_x = parts(t.inner[0], t.x);
  t.tiles_y = parts(t.inner[1], t.y);
  t.tiles_z = parts(t.inner[2], planes_together);
  t.face_words = t.size[0] * t.size[1] * t.size[2] - t.inner[0] * t.inner[1] * t.inner[2];
  t.face_blocks = parts(t.face_words, threads);
  return t;
}

// The sums beside the diagonal of a word of rows in each of a thread's planes, from the one at x on.
template <int Rows, class T>
__device__ void inner_sums(const InnerRow<T>& row, const T* x, int line, int plane,
                           T (&sum)[planes_together][Rows]) {
#pragma unroll
  for (int z = -1; z <= planes_together; ++z)
#pragma unroll
    for (int y = -1; y <= 1; ++y) {
      const T* const at = x + z * plane + y * line;
      const auto pack = *reinterpret_cast<const Pack<T, Rows>*>(at);
      T from[Rows + 2];
      from[0] = at[-1];
      from[Rows + 1] = at[Rows];
#pragma unroll
      for (int i = 0; i < Rows; ++i) from[i + 1] = pack.v[i];
#pragma unroll
      for (int p = 0; p < planes_together; ++p) {
        const int along_z = z - p;
        if (along_z < -1 || along_z > 1) continue;
#pragma unroll
        for (int c = 0; c < 3; ++c)
#pragma unroll
          for (int i = 0; i < Rows && (along_z != 0 || y != 0 || c != 1); ++i)
            sum[p][i] += row.a[(along_z + 1) * 9 + (y + 1) * 3 + c] * from[i + c];
      }
    }
}

template <class F, class T>
__global__ void __launch_bounds__(cuda::threads_per_block)
    inner_kernel(const __grid_constant__ F f, const __grid_constant__ InnerRow<T> row,
                 const __grid_constant__ InnerTiles t) {
  constexpr int word = F::rows;
  int block = blockIdx.x;
  if (block < t.face_blocks) {
    const int i = block * cuda::threads_per_block + threadIdx.x;
    if (i < t.face_words) f(t.face_word(i));
    return;
  }
  block -= t.face_blocks;
  const int rest = block / t.tiles_x, tile_x = block - rest * t.tiles_x, tile_z = rest / t.tiles_y,
            tile_y = rest - tile_z * t.tiles_y, in_y = static_cast<int>(threadIdx.x) / t.x;
  const int x = tile_x * t.x + (static_cast<int>(threadIdx.x) - in_y * t.x), y = tile_y * t.y + in_y;
  if (in_y >= t.y || x >= t.inner[0] || y >= t.inner[1]) return;
  // The last planes are done once more by a thread that has fewer left.
  const int z = min(tile_z * planes_together, t.inner[2] - planes_together), line = t.size[0] * word,
            plane = t.size[1] * line;
  const std::int64_t first = static_cast<std::int64_t>(z + t.first[2]) * plane +
                             static_cast<std::int64_t>(y + t.first[1]) * line + (x + t.first[0]) * word;
  T sum[planes_together][word] = {};
  inner_sums(row, f.source() + first, line, plane, sum);
#pragma unroll
  for (int p = 0; p < planes_together; ++p)
    f.finish(first + static_cast<std::int64_t>(p) * plane, sum[p], &row);
}

}  // namespace quadrille::multigrid::device
