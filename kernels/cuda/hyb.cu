// HYB on the GPU: the ELL part writes y, the COO part adds to it.
#include "kernels/cuda/coo_rows.cuh"
#include "kernels/cuda/ell_rows.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {

template <class T>
void spmv(const Hyb<T, Device>& a, const T* x, T* y) {
  ell_rows(a.ell, x, y);
  coo_rows<true>(a.coo, x, y);
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Hyb<T, Device>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
