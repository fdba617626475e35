// COO on the CPU: equal shares of the entries, cut at row boundaries.
#include "kernels/cpu/coo_add.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {

template <class T>
void spmv(const Coo<T>& a, const T* x, Output<T> y) {
  for (std::int64_t i = 0; i < a.rows; ++i) y.put(i, 0);
  coo_add(a, x, y);
}

#define QUADRILLE_INSTANTIATE(T) template void spmv(const Coo<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
