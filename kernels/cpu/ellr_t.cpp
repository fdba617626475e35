// ELLR-T on the CPU: a row at a time, in sets of T consecutive entries, up to the row's own length.
#include <algorithm>

#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const EllrT<T>& a, const T* x, Output<T> y) {
  const std::int64_t threads = a.threads;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows; ++i) {
    T sum = 0;
    for (std::int64_t first = 0; first < a.row_length[i]; first += threads) {
      const std::int64_t at = first * a.pitch + i * threads;  // (first/T)*pitch*T + row*T
      const std::int64_t count = std::min<std::int64_t>(threads, a.row_length[i] - first);
      for (std::int64_t e = 0; e < count; ++e) sum += a.value[at + e] * x[a.column[at + e]];
    }
    y.put(i, sum);
  }
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const EllrT<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
