// Compact on the GPU: one thread owns a node, and adds one block diagonal after the other, or a few at once
// where blocks are small. How each entry is stored comes with the launch, so that it is the same for all
// threads and no memory is read for it. Columns are read with unit stride, once for the node and, where they
// have a mirror, again for the neighbour, from a cache; so they are not streamed past it. With more than 8
// unknowns a thread owns a row, and a launch takes as many rows and diagonals as its table has entries for.
//
// Where a node has no neighbour, columns have zeros, and a mirror leads to a zero too: it would be the entry
// that leads here, from a node that has no neighbour here either. A constant does not, so that with one of
// them threads beside faces look where their neighbours are.
//
// Columns in fp32 or bf16 beside longer vectors have kernels of their own where one is compiled for the
// operator; without one a thread owns a row, for all DoF.
//
// The transposed product is that of the transposed entries, towards the opposite neighbours: a column is then
// read for the neighbour, and a mirror for the node.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/specialise.hpp"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int most_instances = 8;  // unknowns per node
constexpr int node_threads = 128;

// An entry as the kernel has it: nothing, a constant, or a column, at the node or at the neighbour.
enum Code : std::int32_t { no_entry = -1, constant_entry = -2 };
constexpr std::int32_t code_of(std::int32_t column, bool at_neighbour) {
  return 2 * column + (at_neighbour ? 1 : 0);
}

template <class T, class V>
__device__ T load_value(const V* p) {
  if constexpr (std::is_same_v<V, Bf16>)
    return static_cast<T>(Bf16{__ldg(&p->upper)});
  else
    return static_cast<T>(__ldg(p));
}

// Entries [diagonal][row][column] of some diagonals and rows.
template <class T, int Capacity>
struct CompactTable {
  std::int32_t first_row, rows;  // of a block
  std::int32_t code[Capacity];
  T constant[Capacity];
};

// Numbers at once, in words of 16 bytes where they are aligned to that.
template <int Count, class T>
__device__ void load_block(const T* from, bool aligned, T (&to)[Count]) {
  constexpr int word = 16 / sizeof(T);
  if constexpr (Count % word == 0) {
    if (aligned) {
#pragma unroll
      for (int i = 0; i < Count; i += word) {
        T v[word];
        unpack(__ldg(reinterpret_cast<const VectorOf<T, word>*>(from + i)), v);
#pragma unroll
        for (int j = 0; j < word; ++j) to[i + j] = v[j];
      }
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < Count; ++i) to[i] = __ldg(from + i);
}

template <class T, int Dof, int Structure, int Capacity>
__global__ void __launch_bounds__(node_threads)
    compact_kernel(const __grid_constant__ CdsStructure<Structure> s,
                   const __grid_constant__ CompactTable<T, Capacity> table, const T* __restrict__ values,
                   const T* __restrict__ x, bool aligned, Output<T> y) {
  constexpr int diagonals = Dof == 1 ? 8 : Dof == 2 ? 2 : 1;  // at once
  const std::int64_t node = static_cast<std::int64_t>(blockIdx.x) * node_threads + threadIdx.x;
  if (node >= s.nodes) return;
  const unsigned near = careful_axes<1>(s, static_cast<int>(node), 1);
  T sum[Dof] = {};
  for (int d = 0; d < s.diagonals; d += diagonals) {
    std::int64_t to[diagonals];
    T b[diagonals][Dof];
#pragma unroll
    for (int j = 0; j < diagonals; ++j) {
      to[j] = -1;
      if (d + j < s.diagonals)
        to[j] = (near & s.axes[d + j]) == 0 ? node + s.step[d + j] / Dof
                                            : neighbour(s, static_cast<int>(node), d + j);
    }
#pragma unroll
    for (int j = 0; j < diagonals; ++j) {
      if (to[j] >= 0) {
        load_block(x + to[j] * Dof, aligned, b[j]);
      } else {
#pragma unroll
        for (int c = 0; c < Dof; ++c) b[j][c] = 0;
      }
    }
#pragma unroll
    for (int r = 0; r < Dof; ++r) {
      T a[diagonals][Dof];
#pragma unroll
      for (int j = 0; j < diagonals; ++j)
#pragma unroll
        for (int c = 0; c < Dof; ++c) {
          a[j][c] = 0;
          if (d + j >= s.diagonals) continue;
          const int e = ((d + j) * Dof + r) * Dof + c;
          const std::int32_t code = table.code[e];
          if (code >= 0) {
            const std::int64_t at = code & 1 ? to[j] : node;
            if (to[j] >= 0) a[j][c] = __ldg(values + (code >> 1) * s.nodes + at);
          } else if (code == constant_entry) {
            if (to[j] >= 0) a[j][c] = table.constant[e];
          }
        }
#pragma unroll
      for (int j = 0; j < diagonals; ++j)
#pragma unroll
        for (int c = 0; c < Dof; ++c)
          if (d + j < s.diagonals && table.code[((d + j) * Dof + r) * Dof + c] != no_entry)
            sum[r] += a[j][c] * b[j][c];
    }
  }
#pragma unroll
  for (int r = 0; r < Dof; ++r) y.put(node * Dof + r, sum[r]);
}

// Any DoF: a thread owns one of the table's rows of a node.
template <class T, class V, int Structure, int Capacity>
__global__ void __launch_bounds__(node_threads)
    compact_row_kernel(const __grid_constant__ CdsStructure<Structure> s,
                       const __grid_constant__ CompactTable<T, Capacity> table, const V* __restrict__ values,
                       const T* __restrict__ x, bool, Output<T> y) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * node_threads + threadIdx.x;
  const std::int64_t node = thread / table.rows;
  if (node >= s.nodes) return;
  const int r = static_cast<int>(thread - node * table.rows);
  T sum = 0;
  for (int d = 0; d < s.diagonals; ++d) {
    const std::int64_t to = neighbour(s, static_cast<int>(node), d);
    if (to < 0) continue;
    for (int c = 0; c < s.dof; ++c) {
      const int e = (d * table.rows + r) * s.dof + c;
      const std::int32_t code = table.code[e];
      if (code == no_entry) continue;
      const T a = code == constant_entry
                      ? table.constant[e]
                      : load_value<T>(values + (code >> 1) * s.nodes + (code & 1 ? to : node));
      sum += a * __ldg(x + to * s.dof + c);
    }
  }
  y.put(node * s.dof + table.first_row + r, sum);
}

template <class T, int Capacity>
CompactTable<T, Capacity> table_of(const Compact<T, Device>& a, std::int64_t first, int diagonals,
                                   int first_row, int rows, bool transposed) {
  CompactTable<T, Capacity> table{first_row, rows, {}, {}};
  int e = 0;
  for (std::int64_t d = first; d < first + diagonals; ++d)
    for (int r = first_row; r < first_row + rows; ++r)
      for (int c = 0; c < a.dof; ++c, ++e) {
        const CompactEntry<T>& entry = transposed ? a.at(d, c, r) : a.at(d, r, c);
        table.code[e] = entry.stored == Stored::nothing ? no_entry
                        : entry.stored == Stored::constant
                            ? constant_entry
                            : code_of(entry.column, (entry.stored == Stored::mirror) != transposed);
        table.constant[e] = entry.constant;
      }
  return table;
}

template <class T, class V, int Structure, int Capacity>
using CompactKernel = void (*)(CdsStructure<Structure>, CompactTable<T, Capacity>, const V*, const T*, bool,
                               Output<T>);

template <class T, class V, int Structure, int Capacity>
CompactKernel<T, V, Structure, Capacity> kernel_of(int dof) {
  if constexpr (std::is_same_v<T, V>) {
    static constexpr CompactKernel<T, V, Structure, Capacity> kernels[] = {
        compact_kernel<T, 1, Structure, Capacity>, compact_kernel<T, 2, Structure, Capacity>,
        compact_kernel<T, 3, Structure, Capacity>, compact_kernel<T, 4, Structure, Capacity>,
        compact_kernel<T, 5, Structure, Capacity>, compact_kernel<T, 6, Structure, Capacity>,
        compact_kernel<T, 7, Structure, Capacity>, compact_kernel<T, 8, Structure, Capacity>};
    if (dof <= most_instances) return kernels[dof - 1];
  }
  return compact_row_kernel<T, V, Structure, Capacity>;
}

bool has_constants(const auto& entries) {
  for (const auto& entry : entries)
    if (entry.stored == Stored::constant) return true;
  return false;
}

// In launches of at most Structure diagonals and Capacity entries.
template <int Structure, int Capacity, class T, class V>
void launch(const Execution& on, const Compact<T, Device>& a, const V* values, bool transposed, const T* x,
            Output<T> y) {
  const bool by_nodes = std::is_same_v<T, V> && a.dof <= most_instances;
  const int rows = by_nodes ? a.dof : std::min(a.dof, Capacity / a.dof);
  if (rows == 0)
    throw FormatError("compact: blocks of " + std::to_string(a.dof) + " are too large for a GPU");
  const std::int64_t at_once = std::clamp<std::int64_t>(Capacity / (rows * a.dof), 1, Structure);
  const auto kernel = kernel_of<T, V, Structure, Capacity>(a.dof);
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0, faces = has_constants(a.entry);
  for (int row = 0; row < a.dof; row += rows) {
    const int some = std::min(rows, a.dof - row);
    const unsigned blocks = blocks_for(a.nodes() * (by_nodes ? 1 : some), node_threads);
    Output<T> part = y;
    std::int64_t first = 0;
    do {  // once even for an operator without diagonals, whose product is zero
      auto s = structure_of<Structure>(a, first, transposed, faces);
      s.diagonals = static_cast<int>(std::min(at_once, a.diagonals() - first));
      kernel<<<blocks, node_threads, 0, stream_of(on)>>>(
          s, table_of<T, Capacity>(a, first, s.diagonals, row, some, transposed), values, x, aligned, part);
      QUADRILLE_CUDA_LAUNCHED("compact");
      part = part.more();
      first += at_once;
    } while (first < a.diagonals());
  }
}

template <class T, class V>
void multiply(const Execution& on, const Compact<T, Device>& a, const V* values, bool transposed, const T* x,
              Output<T> y) {
  const Specialised& own = transposed ? on.prepared.transposed : on.prepared.product;
  if (launch_specialised(on, own, values, nullptr, x, y)) return;
  const std::size_t few = 32, some = 256;
  if (a.entry.size() <= few && a.diagonals() <= few_diagonals)
    launch<few_diagonals, few>(on, a, values, transposed, x, y);
  else if (a.entry.size() <= some && a.diagonals() <= max_diagonals)
    launch<max_diagonals, some>(on, a, values, transposed, x, y);
  else
    launch<max_diagonals, 1024>(on, a, values, transposed, x, y);
}

template <class T>
void multiply(const Execution& on, const Compact<T, Device>& a, bool transposed, const T* x, Output<T> y) {
  if (a.rows() == 0) return;
  a.with_values([&](const auto& values) { multiply(on, a, values.data(), transposed, x, y); });
}

}  // namespace

template <class T>
void spmv(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y) {
  multiply(on, a, false, x, y);
}

template <class T>
void spmv_multiple(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y, int count) {
  if (a.rows() == 0) return;
  a.with_values([&](const auto& values) {
    multiply_in_groups(on, values.data(), nullptr, a.rows(), x, y, count,
                       [&](const T* from, Output<T> to) { spmv(on, a, from, to); });
  });
}

template <class T>
void spmv_transpose(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y) {
  multiply(on, a, true, x, y);
}

template <class T>
Specialised with_dot(const Compact<T, Device>& a) {
  return specialise_with_dot(a, a.entry, a.precision);
}

template <class T>
bool spmv_with_dot(const Execution& on, const Compact<T, Device>& a, const T* x, T* y, double* dots) {
  return a.rows() > 0 && a.with_values([&](const auto& values) {
    return launch_with_dot(on, on.prepared.with_dot, values.data(), x, y, dots);
  });
}

#define QUADRILLE_INSTANTIATE(T)                                                                      \
  template Specialised with_dot(const Compact<T, Device>&);                                           \
  template bool spmv_with_dot(const Execution&, const Compact<T, Device>&, const T*, T*, double*);    \
  template void spmv(const Execution&, const Compact<T, Device>&, const T*, Output<T>);               \
  template void spmv_multiple(const Execution&, const Compact<T, Device>&, const T*, Output<T>, int); \
  template void spmv_transpose(const Execution&, const Compact<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
