// The kernels of joined_steps.hpp. Internal to kernels/multigrid.
#pragma once

#include <cuda_pipeline.h>

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

// A thread's own words of b and x, on their way to shared memory one plane ahead.
template <class T>
struct WordsAhead {
  static constexpr int word = rows_together<T>, of_b = word / 2, parts = of_b + 1;  // of 16 bytes
  int4* memory;  // [buffer][line][part][thread]

  static constexpr int bytes_of_thread = 2 * lines_together * parts * 16;
  __device__ int4* place(int buffer, int l, int part) const {
    return memory + ((buffer * lines_together + l) * parts + part) * static_cast<int>(blockDim.x) +
           threadIdx.x;
  }
  // What is not there becomes zero.
  __device__ void begin(int buffer, const Couplings& s, const Column<T>& c, const double* b, const T* x,
                        bool inside, bool wide) const {
#pragma unroll
    for (int l = 0; l < lines_together; ++l, b += s.n[0], x += s.line) {
      const bool there = inside && c.there[l];
#pragma unroll
      for (int part = 0; part < of_b; ++part) {
        int4* const to = place(buffer, l, part);
        if (wide) {
          __pipeline_memcpy_async(to, b + 2 * part, 16, there ? 0 : 16);
        } else {
          for (int i = 0; i < 2; ++i)
            __pipeline_memcpy_async(reinterpret_cast<double*>(to) + i, b + 2 * part + i, 8,
                                    there && c.x + 2 * part + i < s.n[0] ? 0 : 8);
        }
      }
      __pipeline_memcpy_async(place(buffer, l, of_b), x, 16, there ? 0 : 16);
    }
    __pipeline_commit();
  }
  // Of those that began last.
  __device__ void take(int buffer, double (&b)[lines_together][word], Words<T>& x) const {
    __pipeline_wait_prior(0);
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
#pragma unroll
      for (int i = 0; i < word; ++i)
        b[l][i] = reinterpret_cast<const double*>(place(buffer, l, i / 2))[i % 2];
      load_word(reinterpret_cast<const T*>(place(buffer, l, of_b)), x.of[l]);
    }
  }
};

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

// What a thread restricts: of its lines the one where a coarse line is, half as many coarse nodes as fine
// ones.
template <class T>
struct RestrictColumn {
  static constexpr int word = rows_together<T>, half = word / 2;
  bool there = false;
  int centre = 0, line = 0;  // among the thread's lines; coarse
  int stored[half] = {};     // where the coarse rows have their values
  T along_x[half][4] = {}, along_y[3] = {}, sum[half] = {};

  __device__ RestrictColumn(const StepsBefore<T>& f, const Column<T>& c) {
    const Transfer<T>& p = f.p;
    centre = (c.y - p.first[1]) & 1;
    line = (c.y + centre - p.first[1]) >> 1;
    there = (centre == 0 ? c.own[0] : c.own[1]) && line >= 0 && line < p.coarse_n[1];
    if (!there) return;
    for (int j = 0; j < 3; ++j) along_y[j] = p.around[1][3 * line + j];
#pragma unroll
    for (int i = 0; i < half; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int of_first = k - p.first[0];
        if (of_first >= 0 && of_first < 3 && c.x / 2 + i < p.coarse_n[0])
          along_x[i][k] = p.around[0][3 * (c.x / 2 + i) + of_first];
      }
    const Couplings& s = f.coarse_rows;
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const int x = min(c.x / 2 + i, s.line - 1);
      stored[i] =
          s.stored.all ? line * s.line + x : s.stored.along(1, line) * s.stored.n[0] + s.stored.along(0, x);
    }
  }

  // Of plane z of the residual, which goes to one coarse plane, or to two.
  __device__ void add_plane(const StepsBefore<T>& f, const Column<T>& c, const T* plane, int z) {
    T of[word + 2] = {}, in_plane[half] = {};
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const int lines = (centre + j - 1) * c.line;
      T own[word];
      load_word(plane + c.at + lines, own);
      of[0] += along_y[j] * plane[c.left + lines];
      of[word + 1] += along_y[j] * plane[c.right + lines];
#pragma unroll
      for (int i = 0; i < word; ++i) of[i + 1] += along_y[j] * own[i];
    }
#pragma unroll
    for (int i = 0; i < half; ++i)
#pragma unroll
      for (int k = 0; k < 4; ++k) in_plane[i] += along_x[i][k] * of[2 * i + k];
    const int beside = z - f.p.first[2], coarse = beside >> 1;
    const T* const along_z = f.p.around[2] + 3 * coarse;
    if (beside % 2 == 0) {
      for (int i = 0; i < half; ++i) sum[i] += along_z[1] * in_plane[i];
      if (z == f.rows.s.n[2] - 1) put(f, c, coarse);
      return;
    }
    if (coarse >= 0 && 2 * coarse + f.p.first[2] >= c.first_plane) {
      for (int i = 0; i < half; ++i) sum[i] += along_z[2] * in_plane[i];
      put(f, c, coarse);
    }
    const bool next = coarse + 1 < f.p.coarse_n[2];
    for (int i = 0; i < half; ++i) sum[i] = next ? along_z[3] * in_plane[i] : T(0);
  }

 private:
  // Lines have whole words of `half` coarse nodes.
  __device__ void put(const StepsBefore<T>& f, const Column<T>& c, int plane) const {
    const int first = c.x / 2, length = f.p.coarse_n[0];
    T* const to = f.coarse + static_cast<std::int64_t>(plane * f.p.coarse_n[1] + line) * length;
    const StoredNodes& few = f.coarse_rows.stored;
    const int place = few.all ? plane * f.p.coarse_n[1] * length : along_z(few, plane) * few.n[0] * few.n[1];
    Pack<T, half> scaled;
#pragma unroll
    for (int i = 0; i < half; ++i)
      scaled.v[i] = f.coarse_inverse == nullptr ? sum[i] : sum[i] * f.coarse_inverse[place + stored[i]];
    if (first < length) *reinterpret_cast<Pack<T, half>*>(to + first) = scaled;
    if (c.x + word == f.rows.s.line)  // nodes behind the coarse lines
#pragma unroll 1
      for (int i = first + half; i < length; ++i) to[i] = 0;
  }
};

template <class T>
__global__ void __launch_bounds__(Tiles::most_threads, 1)
    before_kernel(const __grid_constant__ StepsBefore<T> f, const double* b) {
  constexpr int word = rows_together<T>;
  // Two planes of each in turn, one that is written and one that is read.
  T *const of_g = plane_in_tile<T>(0), *const of_x = plane_in_tile<T>(2), *const of_r = plane_in_tile<T>(4);
  const Couplings& s = f.rows.s;
  const Column<T> c(s, f.tiles);
  RestrictColumn<T> coarse(f, c);
  Diagonals<T> diagonals;
  const T both = f.first * f.second, once = f.first + f.second - both;
  double right[lines_together][word];
  const int first = c.first_plane - 3 + f.p.first[2], last = c.end_plane + 2 + f.p.first[2];
  const bool wide = is_wide(s, b);
  b += c.natural(s, first);
  load_natural(s, c, b, first >= 0, wide, right);
  int plane0 = 0, plane1 = 0, plane2 = 0;  // where the values of planes k - 2, k - 1, k begin
  T* x_to = f.x + c.row(s, first - 1);

  // g of planes k - 2, k - 1 and k, which it makes; x of k - 3, k - 2 and k - 1, which it makes.
  const auto step = [&](int k, const Words<T>& g0, const Words<T>& g1, Words<T>& g2, const Words<T>& x0,
                        const Words<T>& x1, Words<T>& x2) {
    const int now = k & 1, before = now ^ 1;
    plane0 = plane1;
    plane1 = plane2;
    plane2 = c.plane_at(s, k);
    diagonals.take(f.rows, c, plane2);
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
#pragma unroll
      for (int i = 0; i < word; ++i) g2.of[l][i] = diagonals.inverse.of[l][i] * static_cast<T>(right[l][i]);
      store_word(plane_in_tile(of_g, now) + c.at + l * c.line, g2.of[l]);
    }
    b += static_cast<std::int64_t>(s.n[1]) * s.n[0];
    load_natural(s, c, b, k + 1 >= 0 && k + 1 < s.n[2], wide, right);

    const bool of_grid = k > 0 && k <= s.n[2], own = k > c.first_plane && k <= c.end_plane;
    diagonals.take(f.rows, c, plane1);
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T sum[word];
      sum_neighbours(f.rows, c, plane_in_tile(of_g, before), l, g0, g1, g2, sum);
#pragma unroll
      for (int i = 0; i < word; ++i) {
        const T v = once * g1.of[l][i] - both * diagonals.inverse.of[l][i] * sum[i];
        x2.of[l][i] = of_grid && c.there[l] ? v : 0;
      }
      if (own && c.own[l]) store_word(x_to + l * s.line, x2.of[l]);
      store_word(plane_in_tile(of_x, before) + c.at + l * c.line, x2.of[l]);
    }
    x_to += static_cast<std::int64_t>(s.n[1]) * s.line;

    const bool has_residual = k > 1 && k <= s.n[2] + 1;
    diagonals.take(f.rows, c, plane0);
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T sum[word];
      sum_neighbours(f.rows, c, plane_in_tile(of_x, now), l, x0, x1, x2, sum);
#pragma unroll
      for (int i = 0; i < word; ++i) {
        const T v = diagonals.d.of[l][i] * (g0.of[l][i] - x1.of[l][i]) - sum[i];
        sum[i] = has_residual && c.there[l] ? v : 0;
      }
      store_word(plane_in_tile(of_r, now) + c.at + l * c.line, sum);
    }

    const int z = k - 3;
    if (coarse.there && z >= 0 && z < s.n[2] && z >= first + 2)
      coarse.add_plane(f, c, plane_in_tile(of_r, before), z);
    __syncthreads();
  };
  Words<T> g0, g1, g2, x0, x1, x2;
  for (int k = first; k <= last; k += 3) {
    step(k, g0, g1, g2, x0, x1, x2);
    if (k + 1 <= last) step(k + 1, g1, g2, g0, x1, x2, x0);
    if (k + 2 <= last) step(k + 2, g2, g0, g1, x2, x0, x1);
  }
}

// P coarse in a column, a plane after the other: what the coarse planes below and above it give there.
template <class T>
struct InterpolateColumn {
  static constexpr int word = rows_together<T>, read = word / 2 + 1;
  int node[read] = {}, line[lines_together][2] = {};  // line: where it begins in a coarse plane
  T along_x[2 * word] = {}, along_y[lines_together][2] = {};
  Words<T> under, over;
  int plane = -2;  // of `under`

  __device__ InterpolateColumn(const Transfer<T>& p, const Column<T>& c) {
    if (c.x >= 0 && c.x < p.fine_n[0]) load_along_x(p, c.x);
    for (int l = 0; l < lines_together; ++l)
      for (int j = 0; j < 2 && c.there[l]; ++j) {
        line[l][j] = max(0, min((c.y + l) / 2 - p.first[1] + j, p.coarse_n[1] - 1)) * p.coarse_n[0];
        along_y[l][j] = p.beside[1][2 * (c.y + l) + j];
      }
  }
  // to += P coarse
  __device__ void add(const StepsAfter<T>& f, int z, Words<T>& to) {
    const int wanted = z / 2 - f.p.first[2];
    if (wanted != plane) {
      if (wanted == plane + 1)
        under = over;
      else
        make(f, wanted, under);
      make(f, wanted + 1, over);
      plane = wanted;
    }
    const T of_under = f.p.beside[2][2 * z], of_over = f.p.beside[2][2 * z + 1];
#pragma unroll
    for (int l = 0; l < lines_together; ++l)
      for (int i = 0; i < word; ++i) to.of[l][i] += of_under * under.of[l][i] + of_over * over.of[l][i];
  }

 private:
  __device__ void load_along_x(const Transfer<T>& p, int x) {
    for (int i = 0; i < read; ++i) node[i] = max(0, min(x / 2 - p.first[0] + i, p.coarse_n[0] - 1));
    load(p.beside[0] + 2 * x, along_x);
  }
  __device__ void make(const StepsAfter<T>& f, int z, Words<T>& to) const {
    const int at = max(0, min(z, f.p.coarse_n[2] - 1));
    const T* const from = f.coarse + static_cast<std::int64_t>(at) * f.p.coarse_n[1] * f.p.coarse_n[0];
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T of[read] = {};
#pragma unroll
      for (int j = 0; j < 2; ++j)
        for (int i = 0; i < read; ++i) of[i] += along_y[l][j] * from[line[l][j] + node[i]];
      for (int i = 0; i < word; ++i)
        to.of[l][i] = along_x[2 * i] * of[i / 2] + along_x[2 * i + 1] * of[i / 2 + 1];
    }
  }
};

template <class T, int Word>
__device__ void put_natural(const Couplings& s, double* to, int x, bool wide, const T (&from)[Word]) {
  if (wide) {
#pragma unroll
    for (int i = 0; i < Word; i += 2)
      *reinterpret_cast<double2*>(to + i) =
          double2{without_tiny<double>(from[i]), without_tiny<double>(from[i + 1])};
  } else {
#pragma unroll
    for (int i = 0; i < Word; ++i)
      if (x + i < s.n[0]) to[i] = without_tiny<double>(from[i]);
  }
}

template <class T>
__global__ void __launch_bounds__(Tiles::most_threads, 1)
    after_kernel(const __grid_constant__ StepsAfter<T> f, const double* b, double* result) {
  constexpr int word = rows_together<T>;
  // Two planes of x and y in turn; of g, whose words only their own threads read, three.
  T *const of_x = plane_in_tile<T>(0), *const of_y = plane_in_tile<T>(2), *const of_g = plane_in_tile<T>(4);
  const Couplings& s = f.rows.s;
  const Column<T> c(s, f.tiles);
  InterpolateColumn<T> coarse(f.p, c);
  Diagonals<T> diagonals;
  const int first = c.first_plane - 2, last = c.end_plane + 1;
  const bool wide = is_wide(s, b), wide_result = is_wide(s, result);
  result += c.natural(s, first - 2);
  int plane0 = 0, plane1 = 0, plane2 = 0;  // where the values of planes k - 2, k - 1, k begin
  b += c.natural(s, first);
  const T* x_from = f.x + c.row(s, first);
  const WordsAhead<T> ahead{reinterpret_cast<int4*>(plane_in_tile<T>(7))};
  ahead.begin(first & 1, s, c, b, x_from, first >= 0, wide);

  // x of planes k - 2, k - 1 and k, which it makes; y, after a sweep, of k - 3, k - 2 and k - 1, which it
  // makes; g of k stands at place k2 of three.
  const auto step = [&](int k, int k0, int k1, int k2, const Words<T>& x0, const Words<T>& x1, Words<T>& x2,
                        const Words<T>& y0, const Words<T>& y1, Words<T>& y2) {
    const int now = k & 1, before = now ^ 1;
    const bool inside = k >= 0 && k < s.n[2];
    plane0 = plane1;
    plane1 = plane2;
    plane2 = c.plane_at(s, k);
    double right[lines_together][word];
    ahead.take(now, right, x2);
    x_from += static_cast<std::int64_t>(s.n[1]) * s.line;
    b += static_cast<std::int64_t>(s.n[1]) * s.n[0];
    ahead.begin(before, s, c, b, x_from, k + 1 >= 0 && k + 1 < s.n[2], wide);
    diagonals.take(f.rows, c, plane2);
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T g[word];
#pragma unroll
      for (int i = 0; i < word; ++i) g[i] = diagonals.inverse.of[l][i] * static_cast<T>(right[l][i]);
      store_word(plane_in_tile(of_g, k2) + c.at + l * c.line, g);
    }
    if (inside) coarse.add(f, k, x2);
#pragma unroll
    for (int l = 0; l < lines_together; ++l)
      store_word(plane_in_tile(of_x, now) + c.at + l * c.line, x2.of[l]);

    const bool of_grid = k > 0 && k <= s.n[2];
    diagonals.take(f.rows, c, plane1);
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T sum[word], g[word];
      load_word(plane_in_tile(of_g, k1) + c.at + l * c.line, g);
      sum_neighbours(f.rows, c, plane_in_tile(of_x, before), l, x0, x1, x2, sum);
#pragma unroll
      for (int i = 0; i < word; ++i) {
        const T v = x1.of[l][i] + f.first * (g[i] - x1.of[l][i] - diagonals.inverse.of[l][i] * sum[i]);
        y2.of[l][i] = of_grid && c.there[l] ? v : 0;
      }
      store_word(plane_in_tile(of_y, before) + c.at + l * c.line, y2.of[l]);
    }

    if (k - 2 >= c.first_plane && k - 2 < c.end_plane) {
      diagonals.take(f.rows, c, plane0);
#pragma unroll
      for (int l = 0; l < lines_together; ++l) {
        T sum[word], g[word];
        load_word(plane_in_tile(of_g, k0) + c.at + l * c.line, g);
        sum_neighbours(f.rows, c, plane_in_tile(of_y, now), l, y0, y1, y2, sum);
#pragma unroll
        for (int i = 0; i < word; ++i)
          sum[i] = y1.of[l][i] + f.second * (g[i] - y1.of[l][i] - diagonals.inverse.of[l][i] * sum[i]);
        if (c.own[l]) put_natural(s, result + l * s.n[0], c.x, wide_result, sum);
      }
    }
    result += static_cast<std::int64_t>(s.n[1]) * s.n[0];
    __syncthreads();
  };
  Words<T> x0, x1, x2, y0, y1, y2;
  for (int k = first; k <= last; k += 3) {
    step(k, 0, 1, 2, x0, x1, x2, y0, y1, y2);
    if (k + 1 <= last) step(k + 1, 1, 2, 0, x1, x2, x0, y1, y2, y0);
    if (k + 2 <= last) step(k + 2, 2, 0, 1, x2, x0, x1, y2, y0, y1);
  }
}

}  // namespace quadrille::multigrid::device
