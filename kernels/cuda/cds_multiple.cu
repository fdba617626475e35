// CDS on the GPU: Y = A X for several vectors at once, so that the matrix is read once for all of them.
//
// One thread owns a row of the operator, or two rows of one node where the DoF is even, in all vectors. Every
// matrix value is loaded once, past the caches, with unit stride, and multiplied with one value of x per
// vector; those are loaded through the read-only cache, once for both rows and, where the DoF allows, in
// words of up to 16 bytes. Four columns' values are loaded before the first is used. Groups of 8, 4, 2
// vectors; a last one alone goes to the single product.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv.hpp"
#include "kernels/packs.hpp"

namespace quadrille::cuda {
namespace {

constexpr int columns_together = 4;

// `Count` numbers of x from the first of a node's unknowns, or from a later one that is a multiple of the
// word.
template <int Word, int Count, class T>
__device__ void load_x(const T* from, T (&to)[Count]) {
  static_assert(Count % Word == 0);
#pragma unroll
  for (int i = 0; i < Count; i += Word) {
    const auto word = load_cached<Pack<T, Word>>(from + i);
#pragma unroll
    for (int j = 0; j < Word; ++j) to[i + j] = word.v[j];
  }
}

// Dof 0 takes s.dof. Two rows a thread come with a DoF that is even and an x in whole words.
template <class T, int Dof, int Vectors, int Rows>
__global__ void __launch_bounds__(threads_per_block)
    cds_multiple_kernel(const __grid_constant__ CdsStructure<max_diagonals> s, const T* __restrict__ values,
                        const T* __restrict__ x, Output<T> y) {
  const int dof = Dof > 0 ? Dof : s.dof;
  const std::int64_t row = global_thread() * Rows;
  if (row >= s.rows) return;
  const int node = static_cast<int>(row / dof);
  const unsigned near = careful_axes<1>(s, node, 0);
  T sum[Vectors][Rows] = {};
  constexpr int columns = Dof > 0 && Dof < columns_together ? Dof : columns_together;
  constexpr int in_word = 16 / sizeof(T), word = Rows == 1 || Dof == 0 ? 1 : Dof % in_word == 0 ? in_word : 2;
  constexpr bool whole = Dof > 0 && Dof % columns == 0 && columns % word == 0;
  const T* column = values + row;
  for (int d = 0; d < s.diagonals; ++d) {
    std::int64_t from = static_cast<std::int64_t>(node) * dof + s.step[d];
    if (near & s.axes[d]) from = neighbour(s, node, d) * dof;
#pragma unroll(Dof > 0 ? Dof : 1)
    for (int first = 0; first < dof; first += columns) {
      T a[columns][Rows];
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (first + c < dof) {
          load_rows(column, a[c]);
          column += s.rows;
        }
      if (from < 0) continue;
#pragma unroll
      for (int v = 0; v < Vectors; ++v) {
        const T* const of_v = x + v * s.rows + from + first;
        T b[columns];
        if constexpr (whole) load_x<word>(of_v, b);
#pragma unroll
        for (int c = 0; c < columns; ++c)
          if (first + c < dof) {
            if constexpr (!whole) b[c] = __ldg(of_v + c);
#pragma unroll
            for (int w = 0; w < Rows; ++w) sum[v][w] += a[c][w] * b[c];
          }
      }
    }
  }
#pragma unroll
  for (int v = 0; v < Vectors; ++v)
#pragma unroll
    for (int w = 0; w < Rows; ++w) y.put(v * s.rows + row + w, sum[v][w]);
}

template <class T>
using CdsKernel = void (*)(CdsStructure<max_diagonals>, const T*, const T*, Output<T>);

// Two rows a thread need columns that begin at even values, and vectors in whole words.
template <class T, int Vectors>
CdsKernel<T> kernel_of(int dof, bool pairs) {
  constexpr auto rows = [](int d) { return d % 2 == 0 ? 2 : 1; };
  static constexpr CdsKernel<T> kernels[] = {
      cds_multiple_kernel<T, 0, Vectors, rows(0)>, cds_multiple_kernel<T, 1, Vectors, rows(1)>,
      cds_multiple_kernel<T, 2, Vectors, rows(2)>, cds_multiple_kernel<T, 3, Vectors, rows(3)>,
      cds_multiple_kernel<T, 4, Vectors, rows(4)>, cds_multiple_kernel<T, 5, Vectors, rows(5)>,
      cds_multiple_kernel<T, 6, Vectors, rows(6)>, cds_multiple_kernel<T, 7, Vectors, rows(7)>,
      cds_multiple_kernel<T, 8, Vectors, rows(8)>};
  if (dof <= 8 && pairs == (dof % 2 == 0)) return kernels[dof];
  return pairs ? kernels[0] : cds_multiple_kernel<T, 0, Vectors, 1>;
}

// `Vectors` of them, from one of x and y on.
template <class T, int Vectors>
void product(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y) {
  const auto aligned = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool pairs = a.dof % 2 == 0 && aligned(a.values.data()) && aligned(x) &&
                     a.rows() % (16 / static_cast<std::int64_t>(sizeof(T))) == 0;
  const CdsKernel<T> kernel = kernel_of<T, Vectors>(a.dof, pairs);
  const unsigned blocks = blocks_for(a.rows() / (pairs ? 2 : 1));
  std::int64_t first = 0;
  do {  // once even for an operator without diagonals, whose product is zero
    const auto s = structure_of(a, first, false);
    kernel<<<blocks, threads_per_block, 0, stream_of(on)>>>(s, a.values.data() + first * a.dof * a.rows(), x,
                                                            y);
    QUADRILLE_CUDA_LAUNCHED("cds of several vectors");
    y = y.more();
    first += max_diagonals;
  } while (first < a.diagonals());
}

}  // namespace

template <class T>
void spmv_multiple(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y,
                   int count) {
  if (a.rows() == 0) return;
  while (count > 0) {
    const int vectors = count >= 8 ? 8 : count >= 4 ? 4 : count >= 2 ? 2 : 1;
    if (vectors == 8)
      product<T, 8>(on, a, x, y);
    else if (vectors == 4)
      product<T, 4>(on, a, x, y);
    else if (vectors == 2)
      product<T, 2>(on, a, x, y);
    else
      spmv(on, a, x, y);
    x += vectors * a.rows();
    y = y.beyond(vectors * a.rows());
    count -= vectors;
  }
}

template void spmv_multiple(const Execution&, const BlockDiagonals<float, Device>&, const float*,
                            Output<float>, int);
template void spmv_multiple(const Execution&, const BlockDiagonals<double, Device>&, const double*,
                            Output<double>, int);

}  // namespace quadrille::cuda
