// HYB on the GPU: the ELL part writes y, the COO part adds to it.
#include "kernels/cuda/coo_rows.cuh"
#include "kernels/cuda/ell_rows.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Execution& on, const Hyb<T, Device>& a, const T* x, Output<T> y) {
  ell_rows(on, a.ell, x, y);
  coo_rows(on, a.coo, x, y.more());
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv(const Execution&, const Hyb<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
