// A x for ELL, shared with HYB. Internal to kernels/cpu.
#pragma once

#include <algorithm>

#include "formats/ell.hpp"
#include "kernels/cpu/run_of_sums.hpp"

namespace quadrille::cpu {

// Runs of rows whose sums stay in the first-level cache; one column of entries after the other, with unit
// stride.
template <class T>
void ell_rows(const Ell<T>& a, const T* x, const Output<T>& y) {
  constexpr std::int64_t run = 1024;
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < a.rows; begin += run) {
    const std::int64_t end = std::min(a.rows, begin + run);
    T buffer[run];
    T* const sums = begin_run(begin, end - begin, buffer, y);
    for (std::int64_t k = 0; k < a.width; ++k)
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int32_t column = a.column[k * a.pitch + i];
        if (column >= 0) sums[i - begin] += a.value[k * a.pitch + i] * x[column];
      }
    end_run(begin, end - begin, sums, y);
  }
}

}  // namespace quadrille::cpu
