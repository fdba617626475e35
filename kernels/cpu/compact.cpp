// Compact on the CPU: the sums of runs of nodes stay in the first-level cache, and one entry of one block
// diagonal after the other is added to them, over the interval of a grid line that it couples: a stored
// column is read with unit stride, for the node or, as a mirror, for the neighbour. The transposed product is
// that of the transposed entries: what was read for the node is then read for the neighbour, and the other
// way round.
//
// Of several vectors the sums of all of a run are kept, and a piece of a column is read from a cache for all
// but the first.
#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "formats/intervals.hpp"
#include "kernels/cpu/run_of_sums.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {
namespace {

// Of the sums in one run of nodes. Those of several vectors stay in the second-level cache, for in the first
// runs are short: of 16, 32 and 64 KB, with four vectors and eight, this was the fastest.
constexpr std::int64_t cached_bytes = 16 << 10, cached_of_several = 64 << 10;

// y[i*b] += v[i] * x[i*b], or with the constant; B = 0: any b.
template <int B, class V, class T>
void add_column(std::int64_t nodes, int dof, const V* v, const T* x, T* __restrict y) {
  const std::int64_t b = B > 0 ? B : dof;
#pragma omp simd
  for (std::int64_t i = 0; i < nodes; ++i) y[i * b] += static_cast<T>(v[i]) * x[i * b];
}
template <int B, class T>
void add_constant(std::int64_t nodes, int dof, T v, const T* x, T* __restrict y) {
  const std::int64_t b = B > 0 ? B : dof;
#pragma omp simd
  for (std::int64_t i = 0; i < nodes; ++i) y[i * b] += v * x[i * b];
}

// The entries of one block diagonal for nodes first, first + 1, ..., whose neighbours are consecutive, too.
// The sums of vector v are those from sums[v] + shift on.
template <bool Transposed, int B, class V, class T>
void add_block_diagonal(const Compact<T>& a, const V* values, std::int64_t d, std::int64_t first,
                        std::int64_t count, std::int64_t neighbour, const T* x, std::span<T* const> sums,
                        std::int64_t shift) {
  for (int r = 0; r < a.dof; ++r)
    for (int c = 0; c < a.dof; ++c) {
      const CompactEntry<T>& e = Transposed ? a.at(d, c, r) : a.at(d, r, c);
      if (e.stored == Stored::nothing) continue;
      const std::int64_t node = (e.stored == Stored::mirror) != Transposed ? neighbour : first;
      const T* from = x + neighbour * a.dof + c;
      for (T* const of_vector : sums) {
        T* const to = of_vector + shift + r;
        if (e.stored == Stored::constant)
          add_constant<B>(count, a.dof, e.constant, from, to);
        else
          add_column<B>(count, a.dof, values + e.column * a.nodes() + node, from, to);
        from += a.rows();
      }
    }
}

template <bool Transposed, int B, class V, class T>
void multiply(const Compact<T>& a, const V* values, const T* x, const Output<T>& y, int vectors) {
  const std::int64_t dof = a.dof, nodes = a.nodes(), rows = a.rows();
  const std::int64_t cached = vectors > 1 ? cached_of_several : cached_bytes,
                     run = std::max<std::int64_t>(
                         1, cached / (vectors * dof * static_cast<std::int64_t>(sizeof(T))));
#pragma omp parallel
  {
    std::vector<T> buffer(y.beta == 0 ? 0 : static_cast<std::size_t>(vectors * run * dof));
    std::vector<T*> sums(static_cast<std::size_t>(vectors));
#pragma omp for schedule(static)
    for (std::int64_t begin = 0; begin < nodes; begin += run) {
      const std::int64_t end = std::min(nodes, begin + run), size = (end - begin) * dof;
      for (int v = 0; v < vectors; ++v)
        sums[v] = begin_run(begin * dof, size, buffer.data() + v * size, y.beyond(v * rows));
      for (std::int64_t d = 0; d < a.diagonals(); ++d) {
        const NodeOffset& o = a.offsets[d];
        for_each_interval(a, Transposed ? NodeOffset{-o.x, -o.y, -o.z} : o, begin, end,
                          [&](std::int64_t first, std::int64_t count, std::int64_t neighbour) {
                            add_block_diagonal<Transposed, B>(a, values, d, first, count, neighbour, x,
                                                              std::span<T* const>(sums),
                                                              (first - begin) * dof);
                          });
      }
      for (int v = 0; v < vectors; ++v) end_run(begin * dof, size, sums[v], y.beyond(v * rows));
    }
  }
}

template <bool Transposed, class V, class T>
void multiply_by(const Compact<T>& a, const V* values, const T* x, const Output<T>& y, int vectors) {
  switch (a.dof) {
    case 1:
      return multiply<Transposed, 1>(a, values, x, y, vectors);
    case 2:
      return multiply<Transposed, 2>(a, values, x, y, vectors);
    case 3:
      return multiply<Transposed, 3>(a, values, x, y, vectors);
    case 4:
      return multiply<Transposed, 4>(a, values, x, y, vectors);
    default:
      return multiply<Transposed, 0>(a, values, x, y, vectors);
  }
}

template <bool Transposed, class T>
void multiply_by(const Compact<T>& a, const T* x, const Output<T>& y, int vectors) {
  a.with_values([&](const auto& values) { multiply_by<Transposed>(a, values.data(), x, y, vectors); });
}

}  // namespace

template <class T>
void spmv(const Compact<T>& a, const T* x, Output<T> y) {
  multiply_by<false>(a, x, y, 1);
}

template <class T>
void spmv_multiple(const Compact<T>& a, const T* x, Output<T> y, int count) {
  constexpr int at_once = compact_vectors_at_once;
  for (int v = 0; v < count; v += at_once)
    multiply_by<false>(a, x + v * a.rows(), y.beyond(v * a.rows()), std::min(count - v, at_once));
}

template <class T>
void spmv_transpose(const Compact<T>& a, const T* x, Output<T> y) {
  multiply_by<true>(a, x, y, 1);
}

#define QUADRILLE_INSTANTIATE(T)                                            \
  template void spmv(const Compact<T>&, const T*, Output<T>);               \
  template void spmv_multiple(const Compact<T>&, const T*, Output<T>, int); \
  template void spmv_transpose(const Compact<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
