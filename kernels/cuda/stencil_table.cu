// Stencil table on the GPU: one thread owns a node, and with more than 8 unknowns a row. It reads the number
// of its stencil once, and then the stencil, diagonal by diagonal: within a region all lanes of a warp read
// the same place, and a table of few stencils stays in the first-level cache. Missing neighbours have zeros
// there.
//
// The transposed product gathers: the thread of a node reads the numbers of the nodes that couple to it.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/specialise.hpp"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int most_instances = 8;  // unknowns per node
constexpr int node_threads = 256;

// All stencils of an operator from diagonal `first` on.
template <class T, class Number>
struct StencilView {
  const Number* number;  // [node]
  const T* table;        // of diagonal `first`
  std::int64_t size;     // of a stencil
};

// Rows r.. of block `v`, or columns of it where it is transposed.
template <int Rows, class T>
__device__ void add_block(const T* __restrict__ v, int dof, int r, bool transposed, const T* __restrict__ x,
                          T (&sum)[Rows]) {
#pragma unroll 8
  for (int c = 0; c < dof; ++c) {
    const T b = __ldg(x + c);
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      sum[i] += __ldg(v + (transposed ? c * dof + r + i : (r + i) * dof + c)) * b;
  }
}

// Dof 0: a thread owns a row, else a node.
template <class T, int Dof, bool Transposed, class Number, int Capacity>
__global__ void __launch_bounds__(node_threads)
    stencil_table_kernel(const __grid_constant__ CdsStructure<Capacity> s, StencilView<T, Number> a,
                         const T* __restrict__ x, Output<T> y) {
  constexpr int together = Dof == 1 ? 8 : 1;  // diagonals
  const int dof = Dof > 0 ? Dof : s.dof;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * node_threads + threadIdx.x;
  const std::int64_t node = Dof > 0 ? thread : thread / dof;
  if (node >= s.nodes) return;
  const int r = Dof > 0 ? 0 : static_cast<int>(thread - node * dof);
  const unsigned near = careful_axes<1>(s, static_cast<int>(node), 1);
  const T* const own = a.table + (Transposed ? 0 : __ldg(a.number + node) * a.size);
  T sum[Dof > 0 ? Dof : 1] = {};
  for (int d = 0; d < s.diagonals; d += together) {
    if constexpr (Dof == 1) {
      T v[together], b[together];
#pragma unroll
      for (int j = 0; j < together; ++j) {
        v[j] = b[j] = 0;
        if (d + j >= s.diagonals) continue;
        const std::int64_t to =
            (near & s.axes[d + j]) == 0 ? node + s.step[d + j] : neighbour(s, static_cast<int>(node), d + j);
        if (to < 0) continue;
        v[j] = __ldg((Transposed ? a.table + __ldg(a.number + to) * a.size : own) + d + j);
        b[j] = __ldg(x + to);
      }
#pragma unroll
      for (int j = 0; j < together; ++j) sum[0] += v[j] * b[j];
    } else {
      const std::int64_t to =
          (near & s.axes[d]) == 0 ? node + s.step[d] / dof : neighbour(s, static_cast<int>(node), d);
      if (to < 0) continue;
      const T* const stencil = Transposed ? a.table + __ldg(a.number + to) * a.size : own;
      add_block(stencil + d * dof * dof, dof, r, Transposed, x + to * dof, sum);
    }
  }
#pragma unroll
  for (int i = 0; i < (Dof > 0 ? Dof : 1); ++i) y.put(node * dof + r + i, sum[i]);
}

template <class T, bool Transposed, class Number, int Capacity>
auto kernel_of(int dof) {
  using Kernel = void (*)(CdsStructure<Capacity>, StencilView<T, Number>, const T*, Output<T>);
  static constexpr Kernel kernels[] = {stencil_table_kernel<T, 0, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 1, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 2, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 3, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 4, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 5, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 6, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 7, Transposed, Number, Capacity>,
                                       stencil_table_kernel<T, 8, Transposed, Number, Capacity>};
  return kernels[dof <= most_instances ? dof : 0];
}

template <bool Transposed, int Capacity, class T, class Number>
void launch(const Execution& on, const StencilTable<T, Device>& a, const Number* number, const T* x,
            Output<T> y) {
  const std::int64_t threads = a.dof <= most_instances ? a.nodes() : a.rows();
  std::int64_t first = 0;
  do {  // once even for an operator without diagonals, whose product is zero
    const auto s = structure_of<Capacity>(a, first, Transposed);
    const StencilView<T, Number> view{number, a.table.data() + first * a.dof * a.dof, a.stencil_size()};
    kernel_of<T, Transposed, Number, Capacity>(
        a.dof)<<<blocks_for(threads, node_threads), node_threads, 0, stream_of(on)>>>(s, view, x, y);
    QUADRILLE_CUDA_LAUNCHED("stencil_table");
    y = y.more();
    first += Capacity;
  } while (first < a.diagonals());
}

template <class T>
const void* numbers_of(const StencilTable<T, Device>& a) {
  return a.words.size() > 0 ? static_cast<const void*>(a.words.data()) : a.bytes.data();
}

template <bool Transposed, class T>
void multiply(const Execution& on, const StencilTable<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows() == 0) return;
  const Specialised& own = Transposed ? on.prepared.transposed : on.prepared.product;
  if (launch_specialised(on, own, a.table.data(), numbers_of(a), x, y)) return;
  const auto with = [&](const auto* number) {
    if (a.diagonals() <= few_diagonals)
      launch<Transposed, few_diagonals>(on, a, number, x, y);
    else
      launch<Transposed, max_diagonals>(on, a, number, x, y);
  };
  a.words.size() > 0 ? with(a.words.data()) : with(a.bytes.data());
}

}  // namespace

template <class T>
void spmv(const Execution& on, const StencilTable<T, Device>& a, const T* x, Output<T> y) {
  multiply<false>(on, a, x, y);
}

template <class T>
void spmv_multiple(const Execution& on, const StencilTable<T, Device>& a, const T* x, Output<T> y,
                   int count) {
  if (a.rows() == 0) return;
  multiply_in_groups(on, a.table.data(), numbers_of(a), a.rows(), x, y, count,
                     [&](const T* from, Output<T> to) { multiply<false>(on, a, from, to); });
}

template <class T>
void spmv_transpose(const Execution& on, const StencilTable<T, Device>& a, const T* x, Output<T> y) {
  multiply<true>(on, a, x, y);
}

#define QUADRILLE_INSTANTIATE(T)                                                                           \
  template void spmv(const Execution&, const StencilTable<T, Device>&, const T*, Output<T>);               \
  template void spmv_multiple(const Execution&, const StencilTable<T, Device>&, const T*, Output<T>, int); \
  template void spmv_transpose(const Execution&, const StencilTable<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
