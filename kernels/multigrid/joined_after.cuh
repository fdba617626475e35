// The pass after the coarser grids of joined_steps.hpp. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/joined_star.cuh"

namespace quadrille::multigrid::device {

// Words of x, and of b one plane behind, on their way to shared memory. Of a word of b, which is longer than
// what a thread copies at once, neighbouring threads copy neighbouring parts, so that every sector is read
// once.
template <class T, int Lines>
struct WordsAhead {
  static constexpr int lines_together = Lines, word = rows_together<T>, of_b = word / 2,
                       parts = of_b + 1;  // of 16 bytes
  int4* memory;                           // [buffer][line][parts of b by rows of the tile, words of x]

  static constexpr int bytes_of_thread = 2 * lines_together * parts * 16;
  __device__ int4* of_line(int buffer, int l) const {
    return memory + (buffer * lines_together + l) * parts * static_cast<int>(blockDim.x);
  }
  __device__ int4* place_of_x(int buffer, int l) const {
    return of_line(buffer, l) + of_b * static_cast<int>(blockDim.x) + threadIdx.x;
  }
  // What is not there becomes zero. From where this thread's own words are.
  __device__ void begin(int buffer, const Couplings& s, const Column<T, Lines>& c, const double* b,
                        const T* x, int k, bool wide) const {
    const bool inside = k >= 0 && k<s.n[2], before = k> 0 && k <= s.n[2];
    const int first = static_cast<int>(threadIdx.x) - c.column;
#pragma unroll
    for (int l = 0; l < lines_together; ++l, b += s.n[0], x += s.line) {
      const bool line = before && c.y + l >= 0 && c.y + l < s.n[1];
#pragma unroll
      for (int part = 0; part < of_b; ++part) {
        const int number = c.column + part * c.pitch, away = 2 * number - c.column * word;
        const int at = c.x + away;
        int4* const to = of_line(buffer, l) + of_b * first + number;
        if (wide) {
          __pipeline_memcpy_async(to, b + away, 16, line && at >= 0 && at < s.n[0] ? 0 : 16);
        } else {
          for (int i = 0; i < 2; ++i)
            __pipeline_memcpy_async(reinterpret_cast<double*>(to) + i, b + away + i, 8,
                                    line && at + i >= 0 && at + i < s.n[0] ? 0 : 8);
        }
      }
      __pipeline_memcpy_async(place_of_x(buffer, l), x, 16, inside && c.there[l] ? 0 : 16);
    }
    __pipeline_commit();
  }
  __device__ void take_x(int buffer, Words<T, lines_together>& x) const {
#pragma unroll
    for (int l = 0; l < lines_together; ++l)
      load_word(reinterpret_cast<const T*>(place_of_x(buffer, l)), x.of[l]);
  }
  __device__ T b(int buffer, int l, int i) const {
    const int4* const own = of_line(buffer, l) + of_b * static_cast<int>(threadIdx.x);
    return static_cast<T>(reinterpret_cast<const double*>(own)[i]);
  }
};

// P coarse in a column, a plane after the other: what the coarse planes below and above it give there.
template <class T, int Lines>
struct InterpolateColumn {
  static constexpr int lines_together = Lines, word = rows_together<T>, read = word / 2 + 1;
  int node[read] = {}, line[lines_together][2] = {};  // line: where it begins in a coarse plane
  T along_x[2 * word] = {}, along_y[lines_together][2] = {};
  Words<T, lines_together> under, over;
  int plane = -2;  // of `under`

  __device__ InterpolateColumn(const Transfer<T>& p, const Column<T, Lines>& c) {
    if (c.x >= 0 && c.x < p.fine_n[0]) load_along_x(p, c.x);
    for (int l = 0; l < lines_together; ++l)
      for (int j = 0; j < 2 && c.there[l]; ++j) {
        line[l][j] = max(0, min((c.y + l) / 2 - p.first[1] + j, p.coarse_n[1] - 1)) * p.coarse_n[0];
        along_y[l][j] = p.beside[1][2 * (c.y + l) + j];
      }
  }
  // to += P coarse
  __device__ void add(const StepsAfter<T>& f, int z, Words<T, lines_together>& to) {
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
  __device__ void make(const StepsAfter<T>& f, int z, Words<T, lines_together>& to) const {
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

// Of shared memory, for each thread: six planes, and what is on its way.
template <class T, int Lines>
inline constexpr int after_bytes = 6 * sizeof(Words<T, Lines>) + WordsAhead<T, Lines>::bytes_of_thread;

// Of all threads' numbers the sum, in the same order every time, by way of shared memory that nothing uses.
__device__ inline void put_sum(double number, double* numbers, double* sum) {
  numbers[threadIdx.x] = number;
  for (int left = blockDim.x; left > 1;) {
    const int half = (left + 1) / 2, other = static_cast<int>(threadIdx.x) + half;
    __syncthreads();
    if (other < left) numbers[threadIdx.x] += numbers[other];
    left = half;
  }
  if (threadIdx.x == 0) *sum = numbers[0];
}

template <class T, class Star>
__global__ void __launch_bounds__(Star::most_threads, 1)
    after_kernel(const __grid_constant__ StepsAfter<T> f, const double* b, double* result) {
  constexpr int lines_together = Star::lines_together, word = rows_together<T>;
  // Two planes of each in turn; only their own threads read words of b.
  T *const of_x = plane_in_tile<lines_together, T>(0), *const of_y = plane_in_tile<lines_together, T>(2),
           *const of_b = plane_in_tile<lines_together, T>(4);
  const Couplings& s = f.rows.s;
  const Column<T, lines_together> c(s, f.tiles);
  InterpolateColumn<T, lines_together> coarse(f.p, c);
  const WordsAhead<T, lines_together> ahead{reinterpret_cast<int4*>(plane_in_tile<lines_together, T>(6))};
  Star star(f.rows, c,
            reinterpret_cast<char*>(ahead.memory) +
                WordsAhead<T, lines_together>::bytes_of_thread * static_cast<int>(blockDim.x));
  const int first = c.first_plane - 2, last = c.end_plane + 1;
  const bool wide = is_wide(s, b), wide_result = is_wide(s, result);
  result += c.natural(s, first - 2);
  double dot = 0;
  b += c.natural(s, first - 1);
  const T* x_from = f.x + c.row(s, first);
  ahead.begin(first & 1, s, c, b, x_from, first, wide);
  star.begin(first);
  __pipeline_wait_prior(0);
  __syncthreads();

  // x of planes k - 2, k - 1 and k, which it makes; y, after a sweep, of k - 3, k - 2 and k - 1, which it
  // makes.
  const auto step = [&](int k, const Words<T, lines_together>& x0, const Words<T, lines_together>& x1,
                        Words<T, lines_together>& x2, const Words<T, lines_together>& y0,
                        const Words<T, lines_together>& y1, Words<T, lines_together>& y2) {
    const int now = k & 1, before = now ^ 1;
    ahead.take_x(now, x2);
    x_from += static_cast<std::int64_t>(s.n[1]) * s.line;
    b += static_cast<std::int64_t>(s.n[1]) * s.n[0];
    ahead.begin(before, s, c, b, x_from, k + 1, wide);
    star.go_on(k);
    if (k >= 0 && k < s.n[2]) coarse.add(f, k, x2);
#pragma unroll
    for (int l = 0; l < lines_together; ++l)
      store_word(plane_in_tile<lines_together>(of_x, now) + c.at + l * c.line, x2.of[l]);

    const bool of_grid = k > 0 && k <= s.n[2];
    star.template take<1>();
#pragma unroll
    for (int l = 0; l < lines_together; ++l) {
      T sum[word], right[word];
      star.template sum<1>(plane_in_tile<lines_together>(of_x, before), l, x0, x1, x2, sum);
#pragma unroll
      for (int i = 0; i < word; ++i) {
        right[i] = ahead.b(now, l, i);
        const T v =
            x1.of[l][i] + f.first * (star.diagonals.inverse.of[l][i] * (right[i] - sum[i]) - x1.of[l][i]);
        y2.of[l][i] = of_grid && c.there[l] ? v : 0;
      }
      store_word(plane_in_tile<lines_together>(of_b, before) + c.at + l * c.line, right);
      store_word(plane_in_tile<lines_together>(of_y, before) + c.at + l * c.line, y2.of[l]);
    }

    if (k - 2 >= c.first_plane && k - 2 < c.end_plane) {
      star.template take<2>();
#pragma unroll
      for (int l = 0; l < lines_together; ++l) {
        T sum[word], right[word];
        load_word(plane_in_tile<lines_together>(of_b, now) + c.at + l * c.line, right);
        star.template sum<2>(plane_in_tile<lines_together>(of_y, now), l, y0, y1, y2, sum);
#pragma unroll
        for (int i = 0; i < word; ++i)
          sum[i] =
              y1.of[l][i] + f.second * (star.diagonals.inverse.of[l][i] * (right[i] - sum[i]) - y1.of[l][i]);
        if (!c.own[l]) continue;
        put_natural(s, result + l * s.n[0], c.x, wide_result, sum);
#pragma unroll
        for (int i = 0; i < word; ++i) dot += static_cast<double>(right[i]) * static_cast<double>(sum[i]);
      }
    }
    result += static_cast<std::int64_t>(s.n[1]) * s.n[0];
    star.leave();
    __pipeline_wait_prior(0);
    __syncthreads();
  };
  Words<T, lines_together> x0, x1, x2, y0, y1, y2;
  for (int k = first; k <= last; k += 3) {
    step(k, x0, x1, x2, y0, y1, y2);
    if (k + 1 <= last) step(k + 1, x1, x2, x0, y1, y2, y0);
    if (k + 2 <= last) step(k + 2, x2, x0, x1, y2, y0, y1);
  }
  put_sum(dot, reinterpret_cast<double*>(of_x), f.of_block + blockIdx.x);
}

}  // namespace quadrille::multigrid::device
