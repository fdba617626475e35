// RgCSR on the CPU: groups in parallel; within a group the first entries of all rows, then the second ones,
// as they are stored. Sums stay in the first-level cache and go to the rows' places in the matrix at the end.
#include <algorithm>

#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const RgCsr<T>& a, const T* x, Output<T> y) {
  constexpr std::int64_t largest_group = 1024;
  const bool ordered = a.order.size() > 0;
#pragma omp parallel for schedule(static)
  for (std::int64_t g = 0; g < a.groups(); ++g) {
    const std::int64_t first = g * a.group, size = std::min<std::int64_t>(a.group, a.rows - first);
    T sum[largest_group];
    std::fill(sum, sum + size, T(0));
    std::int32_t e = 0;
    for (std::int64_t at = a.group_ptr[g]; at < a.group_ptr[g + 1]; at += size, ++e)
      for (std::int64_t i = 0; i < size; ++i)
        if (e < a.row_length[first + i]) sum[i] += a.value[at + i] * x[a.column[at + i]];
    for (std::int64_t i = 0; i < size; ++i) y.put(ordered ? a.order[first + i] : first + i, sum[i]);
  }
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const RgCsr<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
