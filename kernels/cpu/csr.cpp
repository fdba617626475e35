// CSR on the CPU: rows in parallel; the transpose by owned ranges of y, without atomics.
#include "kernels/cpu/compressed.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Csr<T>& a, const T* x, Output<T> y) {
  gather(a.rows, a.row_ptr, a.column, a.value, x, y);
}

template <class T>
void spmv_transpose(const Csr<T>& a, const T* x, Output<T> y) {
  scatter(a.rows, a.columns, a.row_ptr, a.column, a.value, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                          \
  template void spmv(const Csr<T>&, const T*, Output<T>); \
  template void spmv_transpose(const Csr<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
