// Stencil table on the CPU: the sums of runs of nodes stay in the first-level cache, as does the table of an
// operator with few stencils, and one block diagonal after the other is added to them.
#include <algorithm>
#include <vector>

#include "formats/intervals.hpp"
#include "kernels/cpu/run_of_sums.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {
namespace {

constexpr std::int64_t cached_bytes = 16 << 10;  // of the sums in one run of nodes

// y += B x for the block `d` of consecutive nodes, or of their neighbours, transposed. B = 0: any DoF.
template <int B, class Number, class T>
void add_blocks(const T* block, std::int64_t stencil_size, const Number* number, std::int64_t nodes, int dof,
                bool transposed, const T* x, T* __restrict y) {
  const int b = B > 0 ? B : dof;
  for (std::int64_t i = 0; i < nodes; ++i) {
    const T* const v = block + number[i] * stencil_size;
    for (int r = 0; r < b; ++r) {
      T sum = y[i * b + r];
      for (int c = 0; c < b; ++c) sum += (transposed ? v[c * b + r] : v[r * b + c]) * x[i * b + c];
      y[i * b + r] = sum;
    }
  }
}

template <bool Transposed, class Number, class T>
void multiply(const StencilTable<T>& a, const Number* number, const T* x, const Output<T>& y) {
  const std::int64_t dof = a.dof, nodes = a.nodes();
  const std::int64_t run =
      std::max<std::int64_t>(1, cached_bytes / (dof * static_cast<std::int64_t>(sizeof(T))));
  const auto add = a.dof == 1   ? add_blocks<1, Number, T>
                   : a.dof == 2 ? add_blocks<2, Number, T>
                   : a.dof == 3 ? add_blocks<3, Number, T>
                   : a.dof == 4 ? add_blocks<4, Number, T>
                                : add_blocks<0, Number, T>;
#pragma omp parallel
  {
    std::vector<T> buffer(y.beta == 0 ? 0 : static_cast<std::size_t>(run * dof));
#pragma omp for schedule(static)
    for (std::int64_t begin = 0; begin < nodes; begin += run) {
      const std::int64_t end = std::min(nodes, begin + run);
      T* const sums = begin_run(begin * dof, (end - begin) * dof, buffer.data(), y);
      for (std::int64_t d = 0; d < a.diagonals(); ++d) {
        const NodeOffset& o = a.offsets[d];
        for_each_interval(a, Transposed ? NodeOffset{-o.x, -o.y, -o.z} : o, begin, end,
                          [&](std::int64_t first, std::int64_t count, std::int64_t neighbour) {
                            add(a.table.data() + d * dof * dof, a.stencil_size(),
                                number + (Transposed ? neighbour : first), count, a.dof, Transposed,
                                x + neighbour * dof, sums + (first - begin) * dof);
                          });
      }
      end_run(begin * dof, (end - begin) * dof, sums, y);
    }
  }
}

template <bool Transposed, class T>
void multiply(const StencilTable<T>& a, const T* x, const Output<T>& y) {
  if (a.words.size() > 0)
    multiply<Transposed>(a, a.words.data(), x, y);
  else
    multiply<Transposed>(a, a.bytes.data(), x, y);
}

}  // namespace

template <class T>
void spmv(const StencilTable<T>& a, const T* x, Output<T> y) {
  multiply<false>(a, x, y);
}

template <class T>
void spmv_transpose(const StencilTable<T>& a, const T* x, Output<T> y) {
  multiply<true>(a, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                                   \
  template void spmv(const StencilTable<T>&, const T*, Output<T>); \
  template void spmv_transpose(const StencilTable<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
