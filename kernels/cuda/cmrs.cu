// CMRS on the GPU. Source: Koza, Matyka, Szkoda, Miroslaw 2012, algorithm 1. Where the paper gives a strip to a
// warp, a warp takes several at once through shared memory (lines.cuh), so that short strips
// leave no lane idle. Each lane keeps one partial sum per row of the strip, in registers where the paper used
// shared memory; the row of an entry selects the sum it goes to.
#include "kernels/cuda/lines.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Cmrs<T, Device>& a, const T* x, T* y) {
  const Lines strips{a.strips(),
                     a.rows,
                     a.nnz(),
                     a.height,
                     a.packed ? Cmrs<T>::packed_bits : 0,
                     a.strip_ptr.data(),
                     a.column.data(),
                     a.row_in_strip.data()};
  const auto multiply = [&](auto height) { multiply_lines<height()>(strips, a.value.data(), x, y); };
  // the height rounded up to a power of two
  if (a.height == 1) return multiply(std::integral_constant<int, 1>{});
  if (a.height == 2) return multiply(std::integral_constant<int, 2>{});
  if (a.height <= 4) return multiply(std::integral_constant<int, 4>{});
  if (a.height <= 8) return multiply(std::integral_constant<int, 8>{});
  return multiply(std::integral_constant<int, 16>{});
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Cmrs<T, Device>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
