// CSC on the GPU: CSR's kernels with the roles of the two products exchanged.
#include "kernels/cuda/compressed.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y) {
  scatter(on, a.columns, a.rows, a.column_ptr, a.row, a.value, x, y);
}

template <class T>
void spmv_transpose(const Execution& on, const Csc<T, Device>& a, const T* x, Output<T> y) {
  gather(on, a.columns, a.column_ptr, a.row, a.value, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                                                    \
  template void spmv(const Execution&, const Csc<T, Device>&, const T*, Output<T>); \
  template void spmv_transpose(const Execution&, const Csc<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
