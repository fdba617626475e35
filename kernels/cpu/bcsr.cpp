// BCSR on the CPU: block rows in parallel, a dense block at a time.
#include <algorithm>

#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Bcsr<T>& a, const T* x, T* y) {
  const std::int64_t b = a.block_size;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.block_rows(); ++i) {
    const std::int64_t height = std::min(b, a.rows - i * b);
    std::fill(y + i * b, y + i * b + height, T(0));
    for (std::int64_t k = a.block_row_ptr[i]; k < a.block_row_ptr[i + 1]; ++k) {
      const std::int64_t first = a.block_column[k] * b, width = std::min(b, a.columns - first);
      for (std::int64_t r = 0; r < height; ++r) {
        T sum = 0;
        for (std::int64_t c = 0; c < width; ++c) sum += a.value[(k * b + r) * b + c] * x[first + c];
        y[i * b + r] += sum;
      }
    }
  }
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Bcsr<T>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
