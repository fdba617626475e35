// Compact on the GPU: one thread owns a few nodes, one behind the other along z, and adds one block diagonal
// after the other. How each entry is stored comes with the launch, so that it is the same for all threads and
// no memory is read for it; a thread looks at it, and where its neighbours along x and y are, once for all
// its nodes. Columns are read with unit stride, once for the node and, where they have a mirror, again for
// the neighbour, from a cache; so they are not streamed past it. With more than 8 unknowns a thread owns a
// row, and a launch takes as many rows and diagonals as its table has entries for.
//
// Columns in fp32 or bf16 beside longer vectors have kernels of their own where one is compiled for the
// operator; without one a thread owns a row, for all DoF.
//
// The transposed product is that of the transposed entries, towards the opposite neighbours: a column is then
// read for the neighbour, and a mirror for the node.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/compact_by_kind.cuh"
#include "kernels/cuda/specialise.hpp"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

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

// Nodes of a thread: more spare more looks, and take registers.
constexpr int nodes_of_thread(int dof) {
  return dof == 1 ? 8 : dof <= 4 ? 4 : 2;
}

template <class T, int Dof, int Structure, int Capacity>
__global__ void __launch_bounds__(node_threads)
    compact_kernel(const __grid_constant__ CdsStructure<Structure> s,
                   const __grid_constant__ CompactTable<T, Capacity> table, const T* __restrict__ values,
                   const T* __restrict__ x, bool aligned, Output<T> y, double* __restrict__ dot_of_block) {
  constexpr int count = nodes_of_thread(Dof);
  const int thread = static_cast<int>(blockIdx.x * node_threads + threadIdx.x), plane = s.nx * s.ny;
  const int chunk = thread / plane, in_plane = thread - chunk * plane, first = chunk * count;
  if (first >= s.nz && dot_of_block == nullptr) return;
  const int line = divide(in_plane, s.by_nx), in_line = in_plane - line * s.nx,
            own = first * plane + in_plane;
  T sum[count][Dof] = {};
  // Of diagonal d, which leads to plane z from the first node. `all`: from all nodes to one, and no plane
  // wraps.
  const auto add = [&]<bool all>(std::bool_constant<all>, int d, int across, int z) {
    int to[count];
    T b[count][Dof];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const int to_z = all ? z + k : step_along(first + k, s.offset[d].z, s.nz, s.wraps_z);
      const bool there =
          all || (first + k < s.nz && static_cast<unsigned>(to_z) < static_cast<unsigned>(s.nz));
      to[k] = there ? to_z * plane + across : -1;
      if (there) load_block(x + std::int64_t{to[k]} * Dof, aligned, b[k]);
    }
#pragma unroll
    for (int r = 0; r < Dof; ++r)
#pragma unroll
      for (int c = 0; c < Dof; ++c) {
        const int e = (d * Dof + r) * Dof + c;
        const std::int32_t code = table.code[e];
        if (code == no_entry) continue;
        T a[count];
        if (code == constant_entry) {
#pragma unroll
          for (int k = 0; k < count; ++k) a[k] = table.constant[e];
        } else {
          const T* const column = values + (code >> 1) * s.nodes;
#pragma unroll
          for (int k = 0; k < count; ++k)
            if (all || to[k] >= 0) a[k] = __ldg(column + (code & 1 ? to[k] : own + k * plane));
        }
#pragma unroll
        for (int k = 0; k < count; ++k)
          if (all || to[k] >= 0) sum[k][r] += a[k] * b[k][c];
      }
  };
#pragma unroll 1
  for (int d = 0; d < s.diagonals; ++d) {
    const int to_x = step_along(in_line, s.offset[d].x, s.nx, s.wraps_x),
              to_y = step_along(line, s.offset[d].y, s.ny, s.wraps_y),
              z = step_along(first, s.offset[d].z, s.nz, s.wraps_z), across = to_y * s.nx + to_x;
    if (static_cast<unsigned>(to_x) >= static_cast<unsigned>(s.nx) ||
        static_cast<unsigned>(to_y) >= static_cast<unsigned>(s.ny))
      continue;
    if (first + count <= s.nz && z >= 0 && z + count <= s.nz)
      add(std::true_type{}, d, across, z);
    else
      add(std::false_type{}, d, across, z);
  }
  double dot = 0;
#pragma unroll
  for (int k = 0; k < count; ++k)
    if (first + k < s.nz)
#pragma unroll
      for (int r = 0; r < Dof; ++r) {
        const std::int64_t row = (std::int64_t{own} + k * plane) * Dof + r;
        y.put(row, sum[k][r]);
        if (dot_of_block != nullptr) dot += static_cast<double>(__ldg(x + row)) * sum[k][r];
      }
  if (dot_of_block == nullptr) return;
  dot = sum_block<node_threads>(dot);
  if (threadIdx.x == 0) dot_of_block[blockIdx.x] = dot;
}

// Any DoF: a thread owns one of the table's rows of a node.
template <class T, class V, int Structure, int Capacity>
__global__ void __launch_bounds__(node_threads)
    compact_row_kernel(const __grid_constant__ CdsStructure<Structure> s,
                       const __grid_constant__ CompactTable<T, Capacity> table, const V* __restrict__ values,
                       const T* __restrict__ x, bool, Output<T> y, double*) {
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

// Diagonals without entries, as the corners of a box may be, out of both.
template <class T, int Structure, int Capacity>
void leave_out_empty(CdsStructure<Structure>& s, CompactTable<T, Capacity>& table) {
  const int of_diagonal = table.rows * s.dof;
  int kept = 0;
  for (int d = 0; d < s.diagonals; ++d) {
    const int from = d * of_diagonal, to = kept * of_diagonal;
    if (std::count(table.code + from, table.code + from + of_diagonal, no_entry) == of_diagonal) continue;
    std::copy_n(table.code + from, of_diagonal, table.code + to);
    std::copy_n(table.constant + from, of_diagonal, table.constant + to);
    s.offset[kept++] = s.offset[d];
  }
  s.diagonals = kept;
}

template <class T, class V, int Structure, int Capacity>
using CompactKernel = void (*)(CdsStructure<Structure>, CompactTable<T, Capacity>, const V*, const T*, bool,
                               Output<T>, double*);

template <class T, class V, int Structure, int Capacity>
CompactKernel<T, V, Structure, Capacity> kernel_of(int dof) {
  if constexpr (std::is_same_v<T, V>) {
    static constexpr CompactKernel<T, V, Structure, Capacity> kernels[] = {
        compact_kernel<T, 1, Structure, Capacity>, compact_kernel<T, 2, Structure, Capacity>,
        compact_kernel<T, 3, Structure, Capacity>, compact_kernel<T, 4, Structure, Capacity>,
        compact_kernel<T, 5, Structure, Capacity>, compact_kernel<T, 6, Structure, Capacity>,
        compact_kernel<T, 7, Structure, Capacity>, compact_kernel<T, 8, Structure, Capacity>};
    if (dof <= most_by_nodes) return kernels[dof - 1];
  }
  return compact_row_kernel<T, V, Structure, Capacity>;
}

// In launches of at most Structure diagonals and Capacity entries. `dots`, of one launch: x . A x, as
// SpmvOperator::multiply_with_dot() has it.
template <int Structure, int Capacity, class T, class V>
void launch(const Execution& on, const Compact<T, Device>& a, const V* values, bool transposed, const T* x,
            Output<T> y, double* dots) {
  const bool by_nodes = std::is_same_v<T, V> && a.dof <= most_by_nodes;
  const int rows = by_nodes ? a.dof : std::min(a.dof, Capacity / a.dof);
  if (rows == 0)
    throw FormatError("compact: blocks of " + std::to_string(a.dof) + " are too large for a GPU");
  const std::int64_t at_once = std::clamp<std::int64_t>(Capacity / (rows * a.dof), 1, Structure);
  const auto kernel = kernel_of<T, V, Structure, Capacity>(a.dof);
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  for (int row = 0; row < a.dof; row += rows) {
    const int some = std::min(rows, a.dof - row);
    Output<T> part = y;
    std::int64_t first = 0;
    do {  // once even for an operator without diagonals, whose product is zero
      auto s = structure_of<Structure>(a, first, transposed);
      s.diagonals = static_cast<int>(std::min(at_once, a.diagonals() - first));
      auto table = table_of<T, Capacity>(a, first, s.diagonals, row, some, transposed);
      leave_out_empty(s, table);
      turn_to_z(s);
      const std::int64_t along_z = nodes_of_thread(a.dof), chunks = (s.nz + along_z - 1) / along_z;
      const unsigned blocks = blocks_for(by_nodes ? chunks * s.nx * s.ny : a.nodes() * some, node_threads);
      double* of_block = nullptr;
      if (dots != nullptr)
        of_block = reinterpret_cast<double*>(on.scratch.of(on.queue, 0, blocks * sizeof(double)).sums.data());
      kernel<<<blocks, node_threads, 0, stream_of(on)>>>(s, table, values, x, aligned, part, of_block);
      QUADRILLE_CUDA_LAUNCHED("compact");
      if (dots != nullptr) add_up(on, of_block, blocks, dots);
      part = part.more();
      first += at_once;
    } while (first < a.diagonals());
  }
}

constexpr std::size_t most_entries = 1024;  // of a launch

// By the kernels for all operators.
template <class T, class V>
void launch_any(const Execution& on, const Compact<T, Device>& a, const V* values, bool transposed,
                const T* x, Output<T> y, double* dots) {
  const std::size_t few = 32, some = 256;
  if (a.entry.size() <= few && a.diagonals() <= few_diagonals)
    launch<few_diagonals, few>(on, a, values, transposed, x, y, dots);
  else if (a.entry.size() <= some && a.diagonals() <= max_diagonals)
    launch<max_diagonals, some>(on, a, values, transposed, x, y, dots);
  else
    launch<max_diagonals, most_entries>(on, a, values, transposed, x, y, dots);
}

template <class T>
void multiply(const Execution& on, const Compact<T, Device>& a, bool transposed, const T* x, Output<T> y) {
  if (a.rows() == 0) return;
  if (on.prepared.by_kind && !transposed && fits_kinds(a, x, y)) return launch_by_kind(on, a, x, y);
  const Specialised& own = transposed ? on.prepared.transposed : on.prepared.product;
  a.with_values([&](const auto& values) {
    if (!launch_specialised(on, own, values.data(), nullptr, x, y))
      launch_any(on, a, values.data(), transposed, x, y, nullptr);
  });
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
Specialised with_dot(const Compact<T, Device>& a, const Specialised& product) {
  const Compile compile = product.built           ? Compile::never
                          : product.any_constants ? Compile::for_any_constants
                                                  : Compile::where_needed;
  return specialise_with_dot(a, a.entry, a.precision, compile);
}

template <class T>
bool gives_dot(const Compact<T, Device>& a) {
  return a.rows() > 0 && a.dof <= most_by_nodes && a.precision == ValuePrecision::own &&
         a.entry.size() <= most_entries && a.diagonals() > 0 && a.diagonals() <= max_diagonals;
}

template <class T>
bool spmv_with_dot(const Execution& on, const Compact<T, Device>& a, const T* x, T* y, double* dots) {
  if (a.rows() == 0) return false;
  const bool launched = a.with_values([&](const auto& values) {
    return launch_with_dot(on, on.prepared.with_dot, values.data(), x, y, dots);
  });
  if (!launched && on.prepared.dot_by_any) launch_any(on, a, a.values.data(), false, x, Output<T>{y}, dots);
  return launched || on.prepared.dot_by_any;
}

#define QUADRILLE_INSTANTIATE(T)                                                                      \
  template Specialised with_dot(const Compact<T, Device>&, const Specialised&);                       \
  template bool gives_dot(const Compact<T, Device>&);                                                 \
  template bool spmv_with_dot(const Execution&, const Compact<T, Device>&, const T*, T*, double*);    \
  template void spmv(const Execution&, const Compact<T, Device>&, const T*, Output<T>);               \
  template void spmv_multiple(const Execution&, const Compact<T, Device>&, const T*, Output<T>, int); \
  template void spmv_transpose(const Execution&, const Compact<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
