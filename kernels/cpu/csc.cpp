// CSC on the CPU: CSR's loops with the roles of the two products exchanged.
#include "kernels/cpu/compressed.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Csc<T>& a, const T* x, Output<T> y) {
  scatter(a.columns, a.rows, a.column_ptr, a.row, a.value, x, y);
}

template <class T>
void spmv_transpose(const Csc<T>& a, const T* x, Output<T> y) {
  gather(a.columns, a.column_ptr, a.row, a.value, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                          \
  template void spmv(const Csc<T>&, const T*, Output<T>); \
  template void spmv_transpose(const Csc<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
