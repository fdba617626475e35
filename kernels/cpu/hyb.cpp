// HYB on the CPU: the ELL part writes y, the COO part adds to it.
#include "kernels/cpu/coo_add.hpp"
#include "kernels/cpu/ell_rows.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Hyb<T>& a, const T* x, Output<T> y) {
  ell_rows(a.ell, x, y);
  coo_add(a.coo, x, y);
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Hyb<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
