// CDS on the CPU. A thread owns runs of nodes short enough for their sums to stay in the first-level cache,
// and adds one block diagonal after the other to them, four columns at a time: so few streams at once
// that the hardware prefetchers follow them, and that they do not evict each other when the columns lie a
// power of two apart. Within a grid line a block diagonal couples one interval of nodes, or two where it
// wraps; the padding is never touched.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "formats/intervals.hpp"
#include "kernels/cpu/run_of_sums.hpp"
#include "kernels/cpu/spmv.hpp"

namespace quadrille::cpu {
namespace {

constexpr std::int64_t cached_bytes = 16 << 10;  // of the sums in one run of nodes
constexpr int columns_at_once = 4;

// y[i + r] += sum over C columns of v[c*rows + i + r] * x[i + c], i the first row of a node. B = 0: `dof`
// rows a node.
template <int B, int C, class T>
void add_columns(const T* v, std::int64_t rows, std::int64_t nodes, int dof, const T* __restrict x,
                 T* __restrict y) {
  if constexpr (B > 0) {
    for (std::int64_t i = 0; i < nodes * B; i += B) {
      T sum[B];
      for (int r = 0; r < B; ++r) sum[r] = y[i + r];
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c)
#pragma GCC unroll 8
        for (int r = 0; r < B; ++r) sum[r] += v[c * rows + i + r] * x[i + c];
      for (int r = 0; r < B; ++r) y[i + r] = sum[r];
    }
  } else {
    for (std::int64_t i = 0; i < nodes * dof; i += dof)
#pragma omp simd
      for (int r = 0; r < dof; ++r) {
        T sum = y[i + r];
#pragma GCC unroll 4
        for (int c = 0; c < C; ++c) sum += v[c * rows + i + r] * x[i + c];
        y[i + r] = sum;
      }
  }
}

// y[i + c] += sum over r of v[c*rows + i + r] * x[i + r].
template <int B, int C, class T>
void add_columns_transposed(const T* v, std::int64_t rows, std::int64_t nodes, int dof, const T* __restrict x,
                            T* __restrict y) {
  const int height = B > 0 ? B : dof;
  for (std::int64_t i = 0; i < nodes * height; i += height)
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) {
      T sum = 0;
#pragma GCC unroll 8
      for (int r = 0; r < height; ++r) sum += v[c * rows + i + r] * x[i + r];
      y[i + c] += sum;
    }
}

// Adds the columns of one block diagonal for consecutive nodes, at most four at a time. B = 0: any DoF.
template <int B, bool Transposed, class T>
void add_block_diagonal(const T* v, std::int64_t rows, std::int64_t nodes, int dof, const T* x, T* y) {
  const auto add = [&](auto count, int c) {
    if constexpr (Transposed)
      add_columns_transposed<B, count>(v + c * rows, rows, nodes, dof, x, y + c);
    else
      add_columns<B, count>(v + c * rows, rows, nodes, dof, x + c, y);
  };
  const int columns = B > 0 ? B : dof;
  int c = 0;
  for (; c + columns_at_once <= columns; c += columns_at_once)
    add(std::integral_constant<int, columns_at_once>{}, c);
  if constexpr (B % columns_at_once != 0)
    add(std::integral_constant<int, B % columns_at_once>{}, c);
  else
    for (; c < columns; ++c) add(std::integral_constant<int, 1>{}, c);
}

template <class T>
using AddBlockDiagonal = void (*)(const T* v, std::int64_t rows, std::int64_t nodes, int dof, const T* x,
                                  T* y);

template <bool Transposed, class T>
AddBlockDiagonal<T> block_diagonal_kernel(int dof) {
  static constexpr AddBlockDiagonal<T> kernels[] = {
      add_block_diagonal<0, Transposed, T>, add_block_diagonal<1, Transposed, T>,
      add_block_diagonal<2, Transposed, T>, add_block_diagonal<3, Transposed, T>,
      add_block_diagonal<4, Transposed, T>, add_block_diagonal<5, Transposed, T>,
      add_block_diagonal<6, Transposed, T>, add_block_diagonal<7, Transposed, T>,
      add_block_diagonal<8, Transposed, T>};
  return kernels[dof <= 8 ? dof : 0];
}

template <bool Transposed, class T>
void multiply(const BlockDiagonals<T>& a, const T* x, const Output<T>& y) {
  const std::int64_t rows = a.rows(), dof = a.dof;
  const std::int64_t run =
      std::max<std::int64_t>(1, cached_bytes / (dof * static_cast<std::int64_t>(sizeof(T))));
  const auto add = block_diagonal_kernel<Transposed, T>(a.dof);
#pragma omp parallel
  {
    std::vector<T> buffer(y.beta == 0 ? 0 : static_cast<std::size_t>(run * dof));
#pragma omp for schedule(static)
    for (std::int64_t begin = 0; begin < a.nodes(); begin += run) {
      const std::int64_t end = std::min(a.nodes(), begin + run);
      T* const sums = begin_run(begin * dof, (end - begin) * dof, buffer.data(), y);
      for (std::int64_t d = 0; d < a.diagonals(); ++d) {
        const NodeOffset& o = a.offsets[d];
        const NodeOffset from = Transposed ? NodeOffset{-o.x, -o.y, -o.z} : o;
        const T* const column = a.values.data() + d * dof * rows;
        for_each_interval(
            a, from, begin, end, [&](std::int64_t first, std::int64_t count, std::int64_t neighbour) {
              const std::int64_t owner = Transposed ? neighbour : first;  // whose row the values stand in
              add(column + owner * dof, rows, count, a.dof, x + neighbour * dof,
                  sums + (first - begin) * dof);
            });
      }
      end_run(begin * dof, (end - begin) * dof, sums, y);
    }
  }
}

}  // namespace

template <class T>
void spmv(const BlockDiagonals<T>& a, const T* x, Output<T> y) {
  multiply<false>(a, x, y);
}

template <class T>
void spmv_transpose(const BlockDiagonals<T>& a, const T* x, Output<T> y) {
  multiply<true>(a, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                                     \
  template void spmv(const BlockDiagonals<T>&, const T*, Output<T>); \
  template void spmv_transpose(const BlockDiagonals<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
