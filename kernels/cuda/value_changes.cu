// Changes of stored values on the GPU. A thread owns a value, or a row in all columns of the block diagonals:
// consecutive threads own consecutive rows, so that every column is read and written with unit stride.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/value_changes.hpp"

namespace quadrille::cuda {
namespace {

__global__ void __launch_bounds__(threads_per_block)
    scale_kernel(double factor, double* values, std::int64_t size) {
  const std::int64_t i = global_thread();
  if (i < size) values[i] *= factor;
}

__global__ void __launch_bounds__(threads_per_block)
    add_kernel(double factor, const double* __restrict__ from, double* __restrict__ to, std::int64_t size) {
  const std::int64_t i = global_thread();
  if (i < size) to[i] += factor * __ldcs(from + i);
}

enum class Diagonal { shift, set, add, get };

// `first` is the place of row 0. One of `value` and `vector` is used.
template <Diagonal what>
__global__ void __launch_bounds__(threads_per_block)
    diagonal_kernel(double* first, int dof, std::int64_t rows, double value, double* vector) {
  const std::int64_t row = global_thread();
  if (row >= rows) return;
  double& place = first[row % dof * rows + row];
  if constexpr (what == Diagonal::shift) place += value;
  if constexpr (what == Diagonal::set) place = vector[row];
  if constexpr (what == Diagonal::add) place += vector[row];
  if constexpr (what == Diagonal::get) vector[row] = place;
}

template <Diagonal what>
void on_diagonal(const BlockDiagonals<double, Device>& a, double value, double* vector) {
  if (a.rows() == 0) return;
  auto* const values = const_cast<double*>(a.values.data());  // `get` reads alone
  diagonal_kernel<what><<<blocks_for(a.rows()), threads_per_block>>>(values + first_on_diagonal(a), a.dof,
                                                                     a.rows(), value, vector);
  QUADRILLE_CUDA_LAUNCHED("a change of the diagonal");
}

__global__ void __launch_bounds__(threads_per_block)
    scale_rows_and_columns_kernel(CdsStructure<max_diagonals> s, TwoDiagonals by,
                                  double* __restrict__ values) {
  const std::int64_t row = global_thread();
  if (row >= s.rows) return;
  const int node = static_cast<int>(row / s.dof);
  const double left = by.left != nullptr ? by.left[row] : 1;
  for (int d = 0; d < s.diagonals; ++d) {
    const std::int64_t to = neighbour(s, node, d);
    if (to < 0) continue;  // stays 0, whatever the factors are
    double* const block = values + static_cast<std::int64_t>(d) * s.dof * s.rows + row;
    for (int c = 0; c < s.dof; ++c)
      block[c * s.rows] =
          (left * block[c * s.rows]) * (by.right != nullptr ? __ldg(by.right + to * s.dof + c) : 1);
  }
}

// A thread owns a row.
__global__ void __launch_bounds__(threads_per_block)
    scale_csr_kernel(TwoDiagonals by, const std::int32_t* __restrict__ row_of, std::int64_t rows,
                     const std::int32_t* __restrict__ row_ptr, const std::int32_t* __restrict__ column,
                     double* __restrict__ value) {
  const std::int64_t i = global_thread();
  if (i >= rows) return;
  const double left = by.left != nullptr ? by.left[row_of[i]] : 1;
  for (std::int32_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
    value[k] = (left * value[k]) * (by.right != nullptr ? __ldg(by.right + column[k]) : 1);
}

__global__ void __launch_bounds__(threads_per_block)
    move_kernel(const std::int64_t* __restrict__ source, const std::int64_t* __restrict__ target,
                std::int64_t count, double* __restrict__ from, double* __restrict__ to) {
  const std::int64_t i = global_thread();
  if (i >= count) return;
  to[target[i]] = from[source[i]];
  from[source[i]] = 0;
}

__global__ void __launch_bounds__(threads_per_block)
    copy_first_kernel(const __grid_constant__ FirstOfNodes of, const double* __restrict__ from,
                      double* __restrict__ to) {
  const std::int64_t i = global_thread(), node = i / of.count, k = i - node * of.count;
  if (node >= of.nodes) return;
  double& there = to[node * of.to + k];
  const double value = __ldg(from + node * of.from + k);
  there = of.add ? there + value : value;
}

struct Taken {
  std::int16_t row[most_taken], column[most_taken];
};

// A thread owns a row of `to`, in one column of one diagonal: blockIdx.y, and those behind it.
__global__ void __launch_bounds__(threads_per_block)
    take_kernel(const double* __restrict__ from, int all, const __grid_constant__ Taken taken, int some,
                std::int64_t nodes, int columns, double* __restrict__ to) {
  const std::int64_t i = global_thread(), node = i / some;
  if (node >= nodes) return;
  const int row = taken.row[i - node * some];
  const double* const own = from + node * all + row;
  for (int k = static_cast<int>(blockIdx.y); k < columns; k += static_cast<int>(gridDim.y)) {
    const int d = k / some, c = taken.column[k - d * some];
    to[k * nodes * some + i] = row < 0 || c < 0 ? 0 : __ldg(own + (std::int64_t{d} * all + c) * nodes * all);
  }
}

}  // namespace

void scale(double factor, Array<double, Device>& values) {
  if (values.size() == 0) return;
  scale_kernel<<<blocks_for(values.size()), threads_per_block>>>(factor, values.data(), values.size());
  QUADRILLE_CUDA_LAUNCHED("a scaling");
}

void add(double factor, const Array<double, Device>& from, Array<double, Device>& to) {
  if (to.size() == 0) return;
  add_kernel<<<blocks_for(to.size()), threads_per_block>>>(factor, from.data(), to.data(), to.size());
  QUADRILLE_CUDA_LAUNCHED("a sum of values");
}

void shift(double value, BlockDiagonals<double, Device>& a) {
  on_diagonal<Diagonal::shift>(a, value, nullptr);
}

void set_diagonal(const double* d, bool add, BlockDiagonals<double, Device>& a) {
  auto* const vector = const_cast<double*>(d);  // which is read alone
  if (add)
    on_diagonal<Diagonal::add>(a, 0, vector);
  else
    on_diagonal<Diagonal::set>(a, 0, vector);
}

void get_diagonal(const BlockDiagonals<double, Device>& a, double* d) {
  on_diagonal<Diagonal::get>(a, 0, d);
}

void scale_rows_and_columns(const TwoDiagonals& by, BlockDiagonals<double, Device>& a) {
  if (a.rows() == 0) return;
  for (std::int64_t first = 0; first < a.diagonals(); first += max_diagonals) {
    scale_rows_and_columns_kernel<<<blocks_for(a.rows()), threads_per_block>>>(
        structure_of(a, first, false), by, a.values.data() + first * a.dof * a.rows());
    QUADRILLE_CUDA_LAUNCHED("a scaling of rows and columns");
  }
}

void scale_rows_and_columns(const TwoDiagonals& by, const Array<std::int32_t, Device>& row_of,
                            Csr<double, Device>& a) {
  if (a.rows == 0) return;
  scale_csr_kernel<<<blocks_for(a.rows), threads_per_block>>>(by, row_of.data(), a.rows, a.row_ptr.data(),
                                                              a.column.data(), a.value.data());
  QUADRILLE_CUDA_LAUNCHED("a scaling of rows and columns");
}

void copy_first(Queue queue, const FirstOfNodes& of, const double* from, double* to) {
  if (of.nodes == 0 || of.count == 0) return;
  copy_first_kernel<<<blocks_for(of.nodes * of.count), threads_per_block, 0, stream_of(queue)>>>(of, from,
                                                                                                 to);
  QUADRILLE_CUDA_LAUNCHED("a copy of some unknowns");
}

void take_unknowns(const BlockDiagonals<double, Device>& from, const UnknownsOfBlocks& unknowns,
                   BlockDiagonals<double, Device>& to) {
  if (to.rows() == 0) return;
  constexpr std::int64_t most_blocks = 1024;  // along y
  Taken taken{};
  std::copy(unknowns.rows.begin(), unknowns.rows.end(), taken.row);
  std::copy(unknowns.columns.begin(), unknowns.columns.end(), taken.column);
  const std::int64_t columns = to.diagonals() * to.dof;
  const dim3 blocks(blocks_for(to.rows()), static_cast<unsigned>(std::min(columns, most_blocks)));
  take_kernel<<<blocks, threads_per_block>>>(from.values.data(), from.dof, taken, to.dof, to.nodes(),
                                             static_cast<int>(columns), to.values.data());
  QUADRILLE_CUDA_LAUNCHED("taking some unknowns");
}

void move(const Array<std::int64_t, Device>& source, const Array<std::int64_t, Device>& target,
          Array<double, Device>& from, Array<double, Device>& to) {
  if (source.size() == 0) return;
  move_kernel<<<blocks_for(source.size()), threads_per_block>>>(source.data(), target.data(), source.size(),
                                                                from.data(), to.data());
  QUADRILLE_CUDA_LAUNCHED("a move of values");
}

}  // namespace quadrille::cuda
