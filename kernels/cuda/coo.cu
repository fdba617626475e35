// COO on the GPU: y is cleared, then every row that has entries is written (coo_rows.cuh).
#include "kernels/cuda/coo_rows.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Coo<T, Device>& a, const T* x, T* y) {
  QUADRILLE_CUDA(cudaMemsetAsync(y, 0, static_cast<std::size_t>(a.rows) * sizeof(T)));
  coo_rows<false>(a, x, y);
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Coo<T, Device>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
