// ELL on the CPU.
#include "kernels/cpu/ell_rows.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Ell<T>& a, const T* x, Output<T> y) {
  ell_rows(a, x, y);
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Ell<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
