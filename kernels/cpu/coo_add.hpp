// y += alpha A x for COO, shared with HYB. Internal to kernels/cpu.
#pragma once

#include <omp.h>

#include <algorithm>

#include "formats/coo.hpp"
#include "kernels/output.hpp"

namespace quadrille::cpu {

// Entries are shared between threads at row boundaries, so that no element of y is shared.
template <class T>
void coo_add(const Coo<T>& a, const T* x, const Output<T>& y) {
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    const auto row_start = [&](std::int64_t k) {
      while (0 < k && k < a.nnz() && a.row[k] == a.row[k - 1]) ++k;
      return k;
    };
    const std::int64_t end = row_start(a.nnz() * (me + 1) / threads);
    for (std::int64_t k = row_start(a.nnz() * me / threads); k < end;) {
      const std::int32_t row = a.row[k];
      T sum = 0;
      for (; k < end && a.row[k] == row; ++k) sum += a.value[k] * x[a.column[k]];
      y.to[row] += y.alpha * sum;
    }
  }
}

}  // namespace quadrille::cpu
