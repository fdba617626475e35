// What the two kernels of joined_steps.hpp share: where a thread's words stand, in the grid and in its tile,
// and sums over neighbours. Internal to kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/joined_steps.hpp"

namespace quadrille::multigrid::device {

inline constexpr int lines_together = Tiles::lines_of_thread;

// The words of a plane that a thread has: one of each of its lines.
template <class T>
struct Words {
  T of[lines_together][rows_together<T>] = {};
};
template <class T>
__device__ void load_word(const T* p, T (&to)[rows_together<T>]) {
  const auto pack = *reinterpret_cast<const Pack<T, rows_together<T>>*>(p);
#pragma unroll
  for (int i = 0; i < rows_together<T>; ++i) to[i] = pack.v[i];
}
template <class T>
__device__ void store_word(T* p, const T (&from)[rows_together<T>]) {
  Pack<T, rows_together<T>> pack;
#pragma unroll
  for (int i = 0; i < rows_together<T>; ++i) pack.v[i] = from[i];
  *reinterpret_cast<Pack<T, rows_together<T>>*>(p) = pack;
}

// StoredNodes::along of an axis where all nodes between the faces are alike.
__device__ inline int along_z(const StoredNodes& stored, int z) {
  return max(min(z, stored.low[2]), z - stored.left_out[2]);
}

// Where a thread's words stand in the grid and in its tile.
template <class T>
struct Column {
  static constexpr int word = rows_together<T>;
  int x, y, first_plane, end_plane;         // of the tile's planes
  int at, left, right, below, above, line;  // in a plane of shared memory; `line` leads to the next line
  bool there[lines_together] = {}, own[lines_together] = {};  // in the grid; and of the tile's own
  int stored[lines_together] = {}, stored_of_plane;           // where values are

  __device__ Column(const Couplings& s, const Tiles& t) {
    const int pitch = t.pitch(), threads_y = static_cast<int>(blockDim.x) / pitch,
              row = static_cast<int>(threadIdx.x) / pitch, column = threadIdx.x - row * pitch,
              first_line = row * lines_together;
    const int across = blockIdx.x % t.across, deep = blockIdx.x / t.across, tile_y = across / t.tiles_x,
              tile_x = across - tile_y * t.tiles_x;
    line = pitch * word;
    at = (first_line * pitch + column) * word;
    left = max(at - 1, 0);
    right = min(at + word, threads_y * lines_together * line - line - 1);
    below = row > 0 ? at - line : at;
    above = row < threads_y - 1 ? at + lines_together * line : at;
    x = (tile_x * t.words + column - t.halo_words) * word;
    y = tile_y * t.lines + first_line - t.halo_lines;
    first_plane = deep * t.planes;
    end_plane = min(first_plane + t.planes, s.n[2]);
    stored_of_plane = s.stored.n[0] * s.stored.n[1];
    const int inside_x = max(0, min(x, s.line - word));
    const bool own_x = column >= t.halo_words && column < t.words + t.halo_words;
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      const int in_tile = first_line + l - t.halo_lines, inside_y = max(0, min(y + l, s.n[1] - 1));
      there[l] = x == inside_x && y + l == inside_y;
      own[l] = there[l] && own_x && in_tile >= 0 && in_tile < t.lines;
      stored[l] = s.stored.along(1, inside_y) * s.stored.n[0] + s.stored.along(0, inside_x);
    }
  }
  // Where its first word of plane z is in a vector of the level, and of the user.
  __device__ std::int64_t row(const Couplings& s, int z) const {
    return (static_cast<std::int64_t>(z) * s.n[1] + y) * s.line + x;
  }
  __device__ std::int64_t natural(const Couplings& s, int z) const {
    return (static_cast<std::int64_t>(z) * s.n[1] + y) * s.n[0] + x;
  }
  // Where the values of a plane begin; of one outside the grid, of the next one inside.
  __device__ int plane_at(const Couplings& s, int z) const {
    const int inside = max(0, min(z, s.n[2] - 1));
    return along_z(s.stored, inside) * stored_of_plane;
  }
};

// Plane `number` of a tile in shared memory, and one of those that follow it.
template <class T>
__device__ T* plane_in_tile(T* planes, int number) {
  return planes + number * static_cast<int>(blockDim.x) * lines_together * rows_together<T>;
}
template <class T>
__device__ T* plane_in_tile(int number) {
  extern __shared__ int4 memory[];
  return plane_in_tile(reinterpret_cast<T*>(memory), number);
}

// From a vector as the user has it, without nodes behind lines. `wide`: every word is whole and aligned.
template <class T>
__device__ void load_natural(const Couplings& s, const Column<T>& c, const double* from, bool inside,
                             bool wide, double (&to)[lines_together][rows_together<T>]) {
  constexpr int word = rows_together<T>;
#pragma unroll
  for (int l = 0; l < lines_together; ++l, from += s.n[0]) {
#pragma unroll
    for (int i = 0; i < word; ++i) to[l][i] = 0;
    if (wide) {
      if (inside && c.there[l]) {
#pragma unroll
        for (int i = 0; i < word; i += 2) {
          const double2 two = *reinterpret_cast<const double2*>(from + i);
          to[l][i] = two.x;
          to[l][i + 1] = two.y;
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < word; ++i)
        if (inside && c.there[l] && c.x + i < s.n[0]) to[l][i] = from[i];
    }
  }
}
__device__ inline bool is_wide(const Couplings& s, const double* v) {
  return !s.padded() && reinterpret_cast<std::uintptr_t>(v) % 16 == 0;
}

// To a digit less than a division, which takes ten times as long.
__device__ inline float reciprocal(float v) {
  return __fdividef(1.0f, v);
}
__device__ inline double reciprocal(double v) {
  return 1 / v;
}

// D and D^-1 of a thread's words: those of the plane before are kept where they are the same ones.
template <class T>
struct Diagonals {
  Words<T> d, inverse;
  int of = -1;  // where the values of their plane begin
  __device__ void take(const StarRows<T>& f, const Column<T>& c, int plane) {
    if (plane == of) return;
    of = plane;
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      load_word(f.inverse + plane + c.stored[l], inverse.of[l]);
#pragma unroll
      for (int i = 0; i < rows_together<T>; ++i) {
        const T v = inverse.of[l][i];
        d.of[l][i] = v == 0 ? T(0) : reciprocal(v);  // a row of zeros has no D
      }
    }
  }
};

// Of line l of a thread: the sum of A x beside the diagonal, with x of three planes, and the one between them
// in shared memory, too.
template <class T>
__device__ void sum_neighbours(const StarRows<T>& rows, const Column<T>& c, const T* plane, int l,
                               const Words<T>& under, const Words<T>& own, const Words<T>& over,
                               T (&sum)[rows_together<T>]) {
  constexpr int word = rows_together<T>, last = lines_together - 1;
  T below[word], above[word], x[word + 2];
  x[0] = plane[c.left + l * c.line];
  x[word + 1] = plane[c.right + l * c.line];
  if (l == 0) load_word(plane + c.below, below);
  if (l == last) load_word(plane + c.above, above);
#pragma unroll
  for (int i = 0; i < word; ++i) {
    x[i + 1] = own.of[l][i];
    if (l > 0) below[i] = own.of[l > 0 ? l - 1 : 0][i];
    if (l < last) above[i] = own.of[l < last ? l + 1 : last][i];
  }
#pragma unroll
  for (int i = 0; i < word; ++i) {
    sum[i] = rows.a[0] * under.of[l][i] + rows.a[1] * below[i];
    sum[i] += rows.a[2] * x[i] + rows.a[3] * x[i + 2];
    sum[i] += rows.a[4] * above[i] + rows.a[5] * over.of[l][i];
  }
}

}  // namespace quadrille::multigrid::device
