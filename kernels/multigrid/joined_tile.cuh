// What the two kernels of joined_steps.hpp share: where a thread's words stand, in the grid and in its tile,
// and sums over neighbours. Internal to kernels/multigrid.
#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/joined_steps.hpp"

namespace quadrille::multigrid::device {

// The words of a plane that a thread has: one of each of its lines.
template <class T, int Lines>
struct Words {
  T of[Lines][rows_together<T>] = {};
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
template <class T, int Lines>
struct Column {
  static constexpr int lines_together = Lines, word = rows_together<T>;
  int x, y, first_plane, end_plane;         // of the tile's planes
  int at, left, right, below, above, line;  // in a plane of shared memory; `line` leads to the next line
  int pitch, column;                        // words of a tile's line, and which of them
  bool there[lines_together] = {}, own[lines_together] = {};  // in the grid; and of the tile's own
  int stored[lines_together] = {}, stored_of_plane;           // where values are

  __device__ Column(const Couplings& s, const Tiles& t) {
    pitch = t.pitch();
    const int threads_y = static_cast<int>(blockDim.x) / pitch, row = static_cast<int>(threadIdx.x) / pitch,
              first_line = row * lines_together;
    column = static_cast<int>(threadIdx.x) - row * pitch;
    const int across = blockIdx.x % t.across, deep = blockIdx.x / t.across, tile_y = across / t.tiles_x,
              tile_x = across - tile_y * t.tiles_x;
    line = pitch * word;
    at = (first_line * pitch + column) * word;
    left = max(at - 1, 0);
    right = min(at + word, (threads_y - 1) * lines_together * line + line - 1);
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
template <int Lines, class T>
__device__ T* plane_in_tile(T* planes, int number) {
  return planes + number * static_cast<int>(blockDim.x) * Lines * rows_together<T>;
}
template <int Lines, class T>
__device__ T* plane_in_tile(int number) {
  extern __shared__ int4 memory[];
  return plane_in_tile<Lines>(reinterpret_cast<T*>(memory), number);
}

// From a vector as the user has it, without nodes behind lines. `wide`: every word is whole and aligned.
template <class T, int Lines>
__device__ void load_natural(const Couplings& s, const Column<T, Lines>& c, const double* from, bool inside,
                             bool wide, double (&to)[Lines][rows_together<T>]) {
  constexpr int lines_together = Lines, word = rows_together<T>;
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

// What a word has around it in its plane.
template <class T, int Lines>
struct Beside {
  static constexpr int word = rows_together<T>, last = Lines - 1;
  T below[word], above[word], x[word + 2];
  __device__ Beside(const Column<T, Lines>& c, const T* plane, int l, const Words<T, Lines>& own) {
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
  }
};

}  // namespace quadrille::multigrid::device
