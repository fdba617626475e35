// CMRS on the CPU: strips in parallel, one sum per row of the strip.
#include <algorithm>

#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Cmrs<T>& a, const T* x, T* y) {
#pragma omp parallel for schedule(static)
  for (std::int64_t s = 0; s < a.strips(); ++s) {
    T sum[16] = {};
    for (std::int32_t k = a.strip_ptr[s]; k < a.strip_ptr[s + 1]; ++k) {
      const CmrsEntry e = entry(a, k);
      sum[e.row_in_strip] += a.value[k] * x[e.column];
    }
    const std::int64_t first = s * a.height, end = std::min(a.rows, first + a.height);
    std::copy(sum, sum + (end - first), y + first);
  }
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Cmrs<T>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
