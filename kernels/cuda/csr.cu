// CSR on the GPU: tiles of entries in shared memory, whatever the rows (segments.cuh), or a given number of
// neighbouring lanes a row (compressed.cuh); the transpose by atomic additions (scatter.cuh).
#include "kernels/cuda/compressed.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y) {
  gather(on, a.rows, a.row_ptr, a.column, a.value, x, y);
}

template <class T>
void spmv_transpose(const Execution& on, const Csr<T, Device>& a, const T* x, Output<T> y) {
  scatter(on, a.rows, a.columns, a.row_ptr, a.column, a.value, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                                                    \
  template void spmv(const Execution&, const Csr<T, Device>&, const T*, Output<T>); \
  template void spmv_transpose(const Execution&, const Csr<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
