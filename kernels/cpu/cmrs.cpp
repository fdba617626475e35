// CMRS on the CPU: strips in parallel, one sum per row of the strip. How an entry is unpacked is decided
// once, outside the loops.
#include <algorithm>

#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {
namespace {

// unpack(k) gives the column and the row in the strip of entry k.
template <class T, class Unpack>
void multiply(const Cmrs<T>& a, const T* x, const Output<T>& y, const Unpack& unpack) {
#pragma omp parallel for schedule(static)
  for (std::int64_t s = 0; s < a.strips(); ++s) {
    T sum[16];
    for (int r = 0; r < a.height; ++r) sum[r] = 0;
    for (std::int32_t k = a.strip_ptr[s]; k < a.strip_ptr[s + 1]; ++k) {
      const CmrsEntry e = unpack(k);
      sum[e.row_in_strip] += a.value[k] * x[e.column];
    }
    const std::int64_t first = s * a.height, end = std::min(a.rows, first + a.height);
    for (std::int64_t row = first; row < end; ++row) y.put(row, sum[row - first]);
  }
}

// Strips of one row.
template <class T>
void multiply_rows(const Cmrs<T>& a, const T* x, const Output<T>& y) {
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < a.rows; ++row) {
    T sum = 0;
    for (std::int32_t k = a.strip_ptr[row]; k < a.strip_ptr[row + 1]; ++k) sum += a.value[k] * x[a.column[k]];
    y.put(row, sum);
  }
}

}  // namespace

template <class T>
void spmv(const Cmrs<T>& a, const T* x, Output<T> y) {
  constexpr int bits = Cmrs<T>::packed_bits;
  const std::uint32_t* const column = a.column.data();
  const std::uint8_t* const row = a.row_in_strip.data();
  if (a.height == 1)
    multiply_rows(a, x, y);
  else if (a.packed)
    multiply(a, x, y, [=](std::int32_t k) {
      return CmrsEntry{column[k] >> bits, column[k] & ((1u << bits) - 1)};
    });
  else
    multiply(a, x, y, [=](std::int32_t k) { return CmrsEntry{column[k], row[k]}; });
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Cmrs<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
