// RgCSR on the CPU: groups in parallel, a row at a time up to its own length; sums go to the row's place in
// the matrix.
#include <algorithm>

#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const RgCsr<T>& a, const T* x, T* y) {
  const bool ordered = a.order.size() > 0;
#pragma omp parallel for schedule(static)
  for (std::int64_t g = 0; g < a.groups(); ++g) {
    const std::int64_t first = g * a.group, size = std::min<std::int64_t>(a.group, a.rows - first);
    for (std::int64_t i = first; i < first + size; ++i) {
      T sum = 0;
      std::int64_t at = a.group_ptr[g] + i - first;
      for (std::int32_t e = 0; e < a.row_length[i]; ++e, at += size) sum += a.value[at] * x[a.column[at]];
      y[ordered ? a.order[i] : i] = sum;
    }
  }
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const RgCsr<T>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
