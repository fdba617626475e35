// ELL on the GPU.
#include "kernels/cuda/ell_rows.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Execution& on, const Ell<T, Device>& a, const T* x, Output<T> y) {
  ell_rows(on, a, x, y);
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv(const Execution&, const Ell<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
