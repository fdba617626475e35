// The pass before the coarser grids of joined_steps.hpp. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/joined_star.cuh"

namespace quadrille::multigrid::device {

// What a thread restricts: of its lines the one where a coarse line is, half as many coarse nodes as fine
// ones.
template <class T>
struct RestrictColumn {
  static constexpr int lines_together = 2, word = rows_together<T>, half = word / 2;
  bool there = false;
  int centre = 0, line = 0;  // among the thread's lines; coarse
  int stored[half] = {};     // where the coarse rows have their values
  T along_x[half][4] = {}, along_y[3] = {}, sum[half] = {};

  __device__ RestrictColumn(const StepsBefore<T>& f, const Column<T, 2>& c) {
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
  __device__ void add_plane(const StepsBefore<T>& f, const Column<T, 2>& c, const T* plane, int z) {
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
  __device__ void put(const StepsBefore<T>& f, const Column<T, 2>& c, int plane) const {
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

// Of shared memory, for each thread: six planes.
template <class T>
inline constexpr int before_bytes = 6 * sizeof(Words<T, 2>);

template <class T, class Star>
__global__ void __launch_bounds__(Star::most_threads, 1)
    before_kernel(const __grid_constant__ StepsBefore<T> f, const double* b) {
  constexpr int lines_together = Star::lines_together, word = rows_together<T>;
  // Two planes of each in turn, one that is written and one that is read.
  T *const of_g = plane_in_tile<lines_together, T>(0), *const of_x = plane_in_tile<lines_together, T>(2),
           *const of_r = plane_in_tile<lines_together, T>(4);
  const Couplings& s = f.rows.s;
  const Column<T, lines_together> c(s, f.tiles);
  RestrictColumn<T> coarse(f, c);
  Star star(f.rows, c, reinterpret_cast<char*>(plane_in_tile<lines_together, T>(6)));
  const T both = f.first * f.second, once = f.first + f.second - both;
  double right[lines_together][word];
  const int first = c.first_plane - 3 + f.p.first[2], last = c.end_plane + 2 + f.p.first[2];
  const bool wide = is_wide(s, b);
  b += c.natural(s, first);
  load_natural(s, c, b, first >= 0, wide, right);
  star.begin(first);
  T* x_to = f.x + c.row(s, first - 1);

  // g of planes k - 2, k - 1 and k, which it makes; x of k - 3, k - 2 and k - 1, which it makes.
  const auto step = [&](int k, const Words<T, lines_together>& g0, const Words<T, lines_together>& g1,
                        Words<T, lines_together>& g2, const Words<T, lines_together>& x0,
                        const Words<T, lines_together>& x1, Words<T, lines_together>& x2) {
    const int now = k & 1, before = now ^ 1;
    __pipeline_wait_prior(0);
    star.go_on(k);
    star.template take<0>();
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
#pragma unroll
      for (int i = 0; i < word; ++i)
        g2.of[l][i] = star.diagonals.inverse.of[l][i] * static_cast<T>(right[l][i]);
      store_word(plane_in_tile<lines_together>(of_g, now) + c.at + l * c.line, g2.of[l]);
    }
    b += static_cast<std::int64_t>(s.n[1]) * s.n[0];
    load_natural(s, c, b, k + 1 >= 0 && k + 1 < s.n[2], wide, right);

    const bool of_grid = k > 0 && k <= s.n[2], own = k > c.first_plane && k <= c.end_plane;
    star.template take<1>();
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T sum[word];
      star.template sum<1>(plane_in_tile<lines_together>(of_g, before), l, g0, g1, g2, sum);
#pragma unroll
      for (int i = 0; i < word; ++i) {
        const T v = once * g1.of[l][i] - both * star.diagonals.inverse.of[l][i] * sum[i];
        x2.of[l][i] = of_grid && c.there[l] ? v : 0;
      }
      if (own && c.own[l]) store_word(x_to + l * s.line, x2.of[l]);
      store_word(plane_in_tile<lines_together>(of_x, before) + c.at + l * c.line, x2.of[l]);
    }
    x_to += static_cast<std::int64_t>(s.n[1]) * s.line;

    const bool has_residual = k > 1 && k <= s.n[2] + 1;
    star.template take<2>();
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T sum[word];
      star.template sum<2>(plane_in_tile<lines_together>(of_x, now), l, x0, x1, x2, sum);
#pragma unroll
      for (int i = 0; i < word; ++i) {
        const T v = star.diagonals.d.of[l][i] * (g0.of[l][i] - x1.of[l][i]) - sum[i];
        sum[i] = has_residual && c.there[l] ? v : 0;
      }
      store_word(plane_in_tile<lines_together>(of_r, now) + c.at + l * c.line, sum);
    }

    const int z = k - 3;
    if (coarse.there && z >= 0 && z < s.n[2] && z >= first + 2)
      coarse.add_plane(f, c, plane_in_tile<lines_together>(of_r, before), z);
    star.leave();
    __syncthreads();
  };
  Words<T, lines_together> g0, g1, g2, x0, x1, x2;
  for (int k = first; k <= last; k += 3) {
    step(k, g0, g1, g2, x0, x1, x2);
    if (k + 1 <= last) step(k + 1, g1, g2, g0, x1, x2, x0);
    if (k + 2 <= last) step(k + 2, g2, g0, g1, x2, x0, x1);
  }
}

}  // namespace quadrille::multigrid::device
