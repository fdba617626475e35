// COO on the CPU: equal shares of the entries, cut at row boundaries.
#include "kernels/cpu/coo_add.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Coo<T>& a, const T* x, T* y) {
  std::fill(y, y + a.rows, T(0));
  coo_add(a, x, y);
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Coo<T>&, const T*, T*);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
