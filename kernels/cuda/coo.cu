// COO on the GPU: all of y begins as beta y, then every row that has entries is written (coo_rows.cuh).
#include "kernels/cuda/begin_sums.hpp"
#include "kernels/cuda/coo_rows.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Execution& on, const Coo<T, Device>& a, const T* x, Output<T> y) {
  begin_sums(on.queue, y, a.rows);
  coo_rows(on, a, x, y.beta != 0 ? y.more() : y);
}

#define QUADRILLE_INSTANTIATE(T) \
  template void spmv(const Execution&, const Coo<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
