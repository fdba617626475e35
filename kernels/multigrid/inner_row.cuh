// A step of a cycle on a level that couples the box of neighbours and has an inner row. A thread does a word
// of inner rows, those of four nodes or of the unknowns of one, in a few planes one above the other, with the
// coefficients as parameters, which a product takes at no cost; x of neighbouring lines is in the first-level
// cache, for a block does a tile of some lines. What limits such a step else is the way from that cache: 26
// words of coefficients for one of x, or 78 of three unknowns. Rows near faces go one a thread, or a word of
// them, by the values that are stored of them, in blocks of their own.
// Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/inner_row.hpp"

namespace quadrille::multigrid::device {

inline constexpr int planes_together = 4;  // of a thread, with one unknown a node

// Which words of a level are whose: numbers of words, lines and planes.
struct InnerTiles {
  int first[3], inner[3], size[3];  // in words along x
  int x, y, planes;                 // threads of a tile, and planes of a thread
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

// `word`: of so many nodes.
template <class Row>
InnerTiles inner_tiles(const Couplings& s, const Row& row, int word, int processors) {
  constexpr int threads = cuda::threads_per_block;
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
  constexpr int most_planes = 8, threads_at_once = 1024;
  t.planes = planes_together;
  if (s.dof > 1)
    t.planes = std::clamp(
        static_cast<int>(std::int64_t{t.inner[0]} * t.inner[1] * t.inner[2] / (processors * threads_at_once)),
        2, std::min(most_planes, t.inner[2]));
  t.tiles_z = parts(t.inner[2], t.planes);
  t.face_words = t.size[0] * t.size[1] * t.size[2] - t.inner[0] * t.inner[1] * t.inner[2];
  t.face_blocks = parts(t.face_words * s.dof, threads);
  return t;
}

// The sums beside the diagonal of a word of rows in each of a thread's planes, from the one at x on.
template <int Rows, class T>
__device__ void inner_sums(const InnerRow<T, 1>& row, const T* x, int line, int plane,
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

// The steps of a thread in `planes` planes from the row at `first` on: all planes at once, or, of several
// unknowns, one after the other, each of which adds to the sums of the one before, its own and the next.
template <class F, class T>
__device__ void inner_steps(const F& f, const InnerRow<T, 1>& row, std::int64_t first, int line, int plane,
                            int) {
  T sum[planes_together][F::rows] = {};
  inner_sums(row, f.source() + first, line, plane, sum);
#pragma unroll
  for (int p = 0; p < planes_together; ++p)
    f.finish(first + static_cast<std::int64_t>(p) * plane, sum[p], row.diagonal);
}
template <class F, class T, int Dof>
__device__ void inner_steps(const F& f, const InnerRow<T, Dof>& row, std::int64_t first, int line, int plane,
                            int planes) {
  T sum[3][Dof] = {};
  std::int64_t before = first - 2 * static_cast<std::int64_t>(plane);
  const T* x = f.source() + first - plane;
#pragma unroll 1
  for (int z = -1; z <= planes; ++z, x += plane) {
    T from[9][Dof];
#pragma unroll
    for (int k = 0; k < 9; ++k)
#pragma unroll
      for (int c = 0; c < Dof; ++c) from[k][c] = x[(k / 3 - 1) * line + (k % 3 - 1) * Dof + c];
    const auto add_to = [&](int p) {
#pragma unroll
      for (int k = 0; k < 9; ++k)
#pragma unroll
        for (int c = 0; c < Dof && (p != 1 || k != 4); ++c)
#pragma unroll
          for (int r = 0; r < Dof; ++r)
            sum[p][r] += row.a[(((2 - p) * 9 + k) * Dof + c) * Dof + r] * from[k][c];
    };
    if (z > 0) add_to(0);
    if (z >= 0 && z < planes) add_to(1);
    if (z < planes - 1) add_to(2);
#pragma unroll
    for (int r = 0; r < Dof; ++r) {
      T one[1] = {sum[0][r]};
      if (z > 0) f.finish(before + r, one, nullptr);
      sum[0][r] = sum[1][r];
      sum[1][r] = sum[2][r];
      sum[2][r] = 0;
    }
    before += plane;
  }
}

// What loads of several unknowns wait for, other blocks hide. 0: as many as the compiler thinks right; told 1
// it takes 200 registers.
template <class T, int Dof>
inline constexpr int fewest_inner_blocks = Dof == 1         ? 0
                                           : sizeof(T) == 4 ? 4
                                                            : 2;

template <class F, class T, int Dof>
__global__ void __launch_bounds__(cuda::threads_per_block, fewest_inner_blocks<T, Dof>)
    inner_kernel(const __grid_constant__ F f, const __grid_constant__ InnerRow<T, Dof> row,
                 const __grid_constant__ InnerTiles t) {
  constexpr int word = F::rows * Dof;
  int block = blockIdx.x;
  if (block < t.face_blocks) {
    const int i = block * cuda::threads_per_block + threadIdx.x;
    if (i < t.face_words * Dof) f(std::int64_t{t.face_word(i / Dof)} * Dof + i % Dof);
    return;
  }
  block -= t.face_blocks;
  const int rest = block / t.tiles_x, tile_x = block - rest * t.tiles_x, tile_z = rest / t.tiles_y,
            tile_y = rest - tile_z * t.tiles_y, in_y = static_cast<int>(threadIdx.x) / t.x;
  const int x = tile_x * t.x + (static_cast<int>(threadIdx.x) - in_y * t.x), y = tile_y * t.y + in_y;
  if (in_y >= t.y || x >= t.inner[0] || y >= t.inner[1]) return;
  // The last planes are done once more by a thread that has fewer left.
  const int z = min(tile_z * t.planes, t.inner[2] - t.planes), line = t.size[0] * word,
            plane = t.size[1] * line;
  const std::int64_t first = static_cast<std::int64_t>(z + t.first[2]) * plane +
                             static_cast<std::int64_t>(y + t.first[1]) * line + (x + t.first[0]) * word;
  inner_steps(f, row, first, line, plane, t.planes);
}

}  // namespace quadrille::multigrid::device
