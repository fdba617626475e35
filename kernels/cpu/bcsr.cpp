// BCSR on the CPU: block rows in parallel, a dense block at a time; the block size is a template parameter
// for 1..8.
#include <algorithm>

#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {
namespace {

// sum[r] += block[r][c] * x[c]. B = 0: a block of `b`.
template <int B, class T>
void add_block(const T* block, int b, const T* x, T* __restrict sum) {
  const int size = B > 0 ? B : b;
  for (int r = 0; r < size; ++r) {
    T row = 0;
    for (int c = 0; c < size; ++c) row += block[r * size + c] * x[c];
    sum[r] += row;
  }
}

template <int B, class T>
void multiply(const Bcsr<T>& a, const T* x, const Output<T>& y) {
  const std::int64_t b = a.block_size;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.block_rows(); ++i) {
    T sum[B > 0 ? B : 64] = {};
    for (std::int64_t k = a.block_row_ptr[i]; k < a.block_row_ptr[i + 1]; ++k) {
      const std::int64_t first = a.block_column[k] * b;
      const T* const block = a.value.data() + k * b * b;
      if (first + b <= a.columns) {
        add_block<B>(block, a.block_size, x + first, sum);
      } else {  // a block that sticks out of the matrix
        T edge[B > 0 ? B : 64] = {};
        std::copy(x + first, x + a.columns, edge);
        add_block<B>(block, a.block_size, edge, sum);
      }
    }
    for (std::int64_t r = 0; r < std::min(b, a.rows - i * b); ++r) y.put(i * b + r, sum[r]);
  }
}

}  // namespace

template <class T>
void spmv(const Bcsr<T>& a, const T* x, Output<T> y) {
  switch (a.block_size) {
    case 1:
      return multiply<1>(a, x, y);
    case 2:
      return multiply<2>(a, x, y);
    case 3:
      return multiply<3>(a, x, y);
    case 4:
      return multiply<4>(a, x, y);
    case 5:
      return multiply<5>(a, x, y);
    case 6:
      return multiply<6>(a, x, y);
    case 7:
      return multiply<7>(a, x, y);
    case 8:
      return multiply<8>(a, x, y);
    default:
      return multiply<0>(a, x, y);
  }
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Bcsr<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
