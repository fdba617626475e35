// DIA on the CPU: the sums of runs of rows stay in the first-level cache; one diagonal after the other is
// added, with unit stride.
#include <algorithm>

#include "kernels/cpu/run_of_sums.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {
namespace {

constexpr std::int64_t run = 2048;  // rows

// y[i] += v[i] * x[i]
template <class T>
void multiply_add(std::int64_t n, const T* v, const T* x, T* __restrict y) {
#pragma omp simd
  for (std::int64_t i = 0; i < n; ++i) y[i] += v[i] * x[i];
}

}  // namespace

template <class T>
void spmv(const Dia<T>& a, const T* x, Output<T> y) {
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < a.rows; begin += run) {
    const std::int64_t end = std::min(a.rows, begin + run);
    T buffer[run];
    T* const sums = begin_run(begin, end - begin, buffer, y);
    for (std::int64_t d = 0; d < a.diagonals(); ++d) {
      const std::int64_t o = a.offset[d], from = std::max(begin, -o), until = std::min(end, a.columns - o);
      if (from < until)
        multiply_add(until - from, a.value.data() + d * a.rows + from, x + from + o, sums + (from - begin));
    }
    end_run(begin, end - begin, sums, y);
  }
}

// Column j of A is row j of A^T: entry (j - offset, j) for every diagonal.
template <class T>
void spmv_transpose(const Dia<T>& a, const T* x, Output<T> y) {
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < a.columns; begin += run) {
    const std::int64_t end = std::min(a.columns, begin + run);
    T buffer[run];
    T* const sums = begin_run(begin, end - begin, buffer, y);
    for (std::int64_t d = 0; d < a.diagonals(); ++d) {
      const std::int64_t o = a.offset[d], from = std::max(begin, o), until = std::min(end, a.rows + o);
      if (from < until)
        multiply_add(until - from, a.value.data() + d * a.rows + from - o, x + from - o,
                     sums + (from - begin));
    }
    end_run(begin, end - begin, sums, y);
  }
}

#define QUADRILLE_INSTANTIATE(T)                          \
  template void spmv(const Dia<T>&, const T*, Output<T>); \
  template void spmv_transpose(const Dia<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
