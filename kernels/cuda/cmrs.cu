// CMRS on the GPU. Source: Koza, Matyka, Szkoda, Miroslaw 2012, algorithm 1. Where the paper gives a strip to
// a warp (cmrs_paper.cu), a warp takes several at once through shared memory (segments.cuh), so that short
// strips leave no lane idle, and several blocks share a long one. Each lane keeps one partial sum per row of
// the strip, in registers where the paper used shared memory; the row of an entry selects the sum it goes to.
#include "kernels/cuda/segments.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

// Height: the height rounded up to a power of two.
template <int Height, class T>
void multiply_tiles(const Execution& on, const Cmrs<T, Device>& a, const T* x, Output<T> y) {
  const Segments<T> strips{.rows = a.rows,
                           .height = a.height,
                           .row_bits = a.packed ? Cmrs<T>::packed_bits : 0,
                           .ptr = a.strip_ptr.data(),
                           .index = a.column.data(),
                           .row = a.row_in_strip.data(),
                           .value = a.value.data()};
  switch (on.prepared.block) {
    case 64:
      return multiply_segments<SegmentShape<Height, 64>>(on, strips, a.nnz(), x, y);
    case 128:
      return multiply_segments<SegmentShape<Height, 128>>(on, strips, a.nnz(), x, y);
    default:
      return multiply_segments<SegmentShape<Height, 256>>(on, strips, a.nnz(), x, y);
  }
}

}  // namespace

template <class T>
void spmv(const Execution& on, const Cmrs<T, Device>& a, const T* x, Output<T> y) {
  if (a.height == 1) return multiply_tiles<1>(on, a, x, y);
  if (a.height == 2) return multiply_tiles<2>(on, a, x, y);
  if (a.height <= 4) return multiply_tiles<4>(on, a, x, y);
  if (a.height <= 8) return multiply_tiles<8>(on, a, x, y);
  multiply_tiles<16>(on, a, x, y);
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv(const Execution&, const Cmrs<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
