// The pass after the coarser grids of joined_steps.hpp. Internal to kernels/multigrid.
#pragma once

#include <cuda_pipeline.h>

#include "kernels/multigrid/joined_tile.cuh"

namespace quadrille::multigrid::device {

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

// Of shared memory, for each thread: seven planes, and what is on its way.
template <class T>
inline constexpr int after_bytes = 7 * sizeof(Words<T>) + WordsAhead<T>::bytes_of_thread;

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
