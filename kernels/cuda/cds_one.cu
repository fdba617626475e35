// CDS of one unknown per node on the GPU, where another kernel than that of cds.cu is faster. A row is a
// node.
//
// Boxes: the diagonals come in lines of 3 or 5 neighbours along x, and two or four consecutive rows times
// such a line need only 4 to 8 values of x. A thread loads this window once, from the aligned place before it
// in 16-byte loads, and moves it down by selects. With many lines the warps of a block share the rows, split
// the lines of the stencil, and sum in shared memory, in the same order every time: blocks are short, and the
// last of them do not leave the GPU idle.
//
// Small operators, and all in fp32, that do not wrap: two rows a thread, and nothing but a range check for
// every x.
#include "kernels/cuda/cds_one.hpp"

#include "kernels/cuda/cds_structure.cuh"

namespace quadrille::cuda {
namespace {

constexpr int max_lines = 32;  // of the stencil
constexpr int most_threads = 160;

struct CdsLines {
  int nodes, nx, ny, nz;
  bool wraps_x, wraps_y, wraps_z;
  Divisor by_nx, by_ny;
  int reach_x[2], reach_y[2];     // nodes towards either face, as numbers >= 0
  int lines, sharers;             // warps that share rows
  int step[max_lines];            // distance of a line's first node, where nothing wraps
  NodeOffset offset[max_lines];   // of a line's first node
  unsigned char axes[max_lines];  // NearFace bits: where it is elsewhere
};

// The number of diagonals in each line along x, when all of them stand in such lines, all as long; else 0.
int line_length(const std::vector<NodeOffset>& offsets) {
  const auto follows = [&](std::size_t d) {
    const NodeOffset& o = offsets[d - 1];
    return offsets[d] == NodeOffset{o.x + 1, o.y, o.z};
  };
  std::size_t length = 1;
  while (length < offsets.size() && follows(length)) ++length;
  if (offsets.empty() || offsets.size() % length != 0 || offsets.size() / length > max_lines) return 0;
  for (std::size_t d = 1; d < offsets.size(); ++d)
    if (d % length != 0 && !follows(d)) return 0;
  return static_cast<int>(length);
}

CdsLines lines_of(const BlockStructure& a, int length) {
  CdsLines s{};
  s.nodes = to_index32(a.nodes(), "nodes");
  s.nx = static_cast<int>(a.extents[0]);
  s.ny = static_cast<int>(a.extents[1]);
  s.nz = static_cast<int>(a.extents[2]);
  s.wraps_x = a.periodic[0];
  s.wraps_y = a.periodic[1];
  s.wraps_z = a.periodic[2];
  s.by_nx = divisor(s.nx);
  s.by_ny = divisor(s.ny);
  s.lines = static_cast<int>(a.diagonals()) / length;
  s.sharers = s.lines >= 16 ? 5 : 1;
  const auto less_than_once_around = [&](std::int32_t step, int axis) {
    return a.periodic[axis] ? step % static_cast<std::int32_t>(a.extents[axis]) : step;
  };
  for (int l = 0; l < s.lines; ++l) {
    const NodeOffset& o = a.offsets[l * length];
    s.offset[l] = {less_than_once_around(o.x, 0), less_than_once_around(o.y, 1),
                   less_than_once_around(o.z, 2)};
    if (s.wraps_x && s.offset[l].x > 0) s.offset[l].x -= s.nx;  // the line reaches beyond one end at most
    s.step[l] = static_cast<int>(a.linear(o));
    s.reach_x[0] = std::max(s.reach_x[0], -o.x);
    s.reach_x[1] = std::max(s.reach_x[1], o.x + length - 1);
    s.reach_y[0] = std::max(s.reach_y[0], -o.y);
    s.reach_y[1] = std::max(s.reach_y[1], o.y);
    s.axes[l] = static_cast<unsigned char>((s.wraps_x ? near_x : 0) | (s.wraps_y && o.y != 0 ? near_y : 0));
  }
  return s;
}

// i on an axis of n nodes, at most n beyond either end.
__device__ int wrapped(int i, int n, bool wraps) {
  return !wraps ? i : i < 0 ? i + n : i >= n ? i - n : i;
}

// x at Count consecutive nodes, the first at the first point of line l from `node`; 0 where there is none.
template <class T, int Count>
__device__ __forceinline__ void load_wrapped(const CdsLines& s, int l, int node, const T* __restrict__ x,
                                             T (&b)[Count]) {
  const int line = divide(node, s.by_nx), plane = divide(line, s.by_ny);
  const int first = node - line * s.nx + s.offset[l].x;
  const int y = wrapped(line - plane * s.ny + s.offset[l].y, s.ny, s.wraps_y);
  const int z = wrapped(plane + s.offset[l].z, s.nz, s.wraps_z);
  const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(s.ny) &&
                      static_cast<unsigned>(z) < static_cast<unsigned>(s.nz);
  const T* const from = x + (static_cast<std::int64_t>(z) * s.ny + y) * s.nx;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const int at = wrapped(first + i, s.nx, s.wraps_x);
    b[i] = inside && static_cast<unsigned>(at) < static_cast<unsigned>(s.nx) ? __ldg(from + at) : T(0);
  }
}

template <int Length, class T, int Rows, int Window>
__device__ __forceinline__ void multiply(const T (&a)[Length][Rows], const T (&b)[Window], T (&sum)[Rows]) {
#pragma unroll
  for (int j = 0; j < Length; ++j)
#pragma unroll
    for (int w = 0; w < Rows; ++w) sum[w] += a[j][w] * b[j + w];
}

// sum[w] += the product of line l in row node + w. `node` is a multiple of Rows.
template <int Length, class T, int Rows>
__device__ __forceinline__ void add_line(const CdsLines& s, int l, int node, unsigned near,
                                         const T* __restrict__ x, const T (&a)[Length][Rows],
                                         T (&sum)[Rows]) {
  constexpr int loads = (Length + 2 * Rows - 2 + Rows - 1) / Rows, window = loads * Rows;
  const int beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(x) / sizeof(T));  // an aligned place
  const int shift = (s.step[l] + beyond) & (Rows - 1);
  const std::int64_t first = static_cast<std::int64_t>(node) + s.step[l] - shift;
  if ((near & s.axes[l]) == 0 && first >= 0 && first + window <= s.nodes) {
    // As in cds.cu, beyond a side face that does not wrap this is some other node, and the matrix is zero.
    T b[window];
#pragma unroll
    for (int i = 0; i < loads; ++i)
      unpack(__ldg(reinterpret_cast<const VectorOf<T, Rows>*>(x + first) + i), b + i * Rows);
    if constexpr (Rows == 4) {
#pragma unroll
      for (int i = 0; i < window - 2; ++i) b[i] = shift & 2 ? b[i + 2] : b[i];
    }
#pragma unroll
    for (int i = 0; i < window - 1; ++i) b[i] = shift & 1 ? b[i + 1] : b[i];
    multiply(a, b, sum);
  } else if (node - divide(node, s.by_nx) * s.nx + Rows <= s.nx) {  // all rows on one line of the grid
    T b[Length + Rows - 1];
    load_wrapped(s, l, node, x, b);
    multiply(a, b, sum);
  } else {
#pragma unroll
    for (int w = 0; w < Rows; ++w) {
      T b[Length];
      load_wrapped(s, l, node + w, x, b);
#pragma unroll
      for (int j = 0; j < Length; ++j) sum[w] += a[j][w] * b[j];
    }
  }
}

// The NearFace bits of rows node, node + 1, ...
template <int Rows>
__device__ unsigned faces_near(const CdsLines& s, int node) {
  unsigned near = 0;
  if (s.wraps_x || s.wraps_y) {
#pragma unroll
    for (int w = 0; w < Rows; ++w) {
      const int line = divide(node + w, s.by_nx), x = node + w - line * s.nx,
                y = line - divide(line, s.by_ny) * s.ny;
      if (x < s.reach_x[0] || x + s.reach_x[1] >= s.nx) near |= near_x;
      if (y < s.reach_y[0] || y + s.reach_y[1] >= s.ny) near |= near_y;
    }
  }
  return near;
}

// One thread owns 16 bytes of y, in `s.sharers` warps of the block; each of these takes a share of the lines.
template <class T, int Length>
__global__ void __launch_bounds__(most_threads, 6)
    cds_lines_kernel(const __grid_constant__ CdsLines s, const T* __restrict__ values,
                     const T* __restrict__ x, Output<T> y) {
  constexpr int rows = 16 / sizeof(T);
  __shared__ VectorOf<T, rows> partial[most_threads / 32][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int share = warp % s.sharers, group = warp / s.sharers, groups = blockDim.x / 32 / s.sharers;
  const std::int64_t row = ((static_cast<std::int64_t>(blockIdx.x) * groups + group) * 32 + lane) * rows;
  // Threads beyond the end do the last rows again: all meet at the barrier, and none branches around its
  // loads.
  const int node = static_cast<int>(min(row, static_cast<std::int64_t>(s.nodes) - rows));
  const unsigned near = faces_near<rows>(s, node);
  const int end = s.lines * (share + 1) / s.sharers;
  int l = s.lines * share / s.sharers;
  const T* column = values + static_cast<std::int64_t>(l) * Length * s.nodes + node;
  T sum[rows] = {};
  for (; l < end; ++l) {
    T a[Length][rows];
#pragma unroll
    for (int j = 0; j < Length; ++j, column += s.nodes) load_rows(column, a[j]);
    add_line(s, l, node, near, x, a, sum);
  }
  if (s.sharers > 1) {
    partial[warp][lane] = pack(sum);
    __syncthreads();
    if (share != 0) return;
    for (int other = 1; other < s.sharers; ++other) {
      T more[rows];
      unpack(partial[warp + other][lane], more);
#pragma unroll
      for (int w = 0; w < rows; ++w) sum[w] += more[w];
    }
  }
  if (row < s.nodes)
#pragma unroll
    for (int w = 0; w < rows; ++w) y.put(row + w, sum[w]);
}

// One thread owns two consecutive rows. Nothing wraps.
template <class T>
__global__ void __launch_bounds__(128, 8)
    cds_pairs_kernel(const __grid_constant__ CdsStructure<few_diagonals> s, const T* __restrict__ values,
                     const T* __restrict__ x, Output<T> y) {
  constexpr int rows = 2, together = 4;
  const std::int64_t row = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * rows;
  if (row >= s.rows) return;
  T sum[rows] = {};
  const T* column = values + row;
  for (int d = 0; d < s.diagonals; d += together) {
    T a[together][rows], b[together][rows];
#pragma unroll
    for (int j = 0; j < together; ++j)
      if (d + j < s.diagonals) {
        load_rows(column, a[j]);
        column += s.rows;
      }
#pragma unroll
    for (int j = 0; j < together; ++j)
      if (d + j < s.diagonals)
#pragma unroll
        for (int w = 0; w < rows; ++w) {
          // below 0 it is 2^31 or more
          const unsigned to = static_cast<unsigned>(row) + w + static_cast<unsigned>(s.step[d + j]);
          b[j][w] = to < static_cast<unsigned>(s.nodes) ? __ldg(x + to) : T(0);
        }
#pragma unroll
    for (int j = 0; j < together; ++j)
      if (d + j < s.diagonals)
#pragma unroll
        for (int w = 0; w < rows; ++w) sum[w] += a[j][w] * b[j][w];
  }
#pragma unroll
  for (int w = 0; w < rows; ++w) y.put(row + w, sum[w]);
}

template <int Length, class T>
void multiply_lines(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y) {
  const CdsLines s = lines_of(a, Length);
  const int groups = s.sharers > 1 ? 1 : 4, block_rows = 32 * groups * static_cast<int>(16 / sizeof(T));
  const auto blocks = static_cast<unsigned>((a.rows() + block_rows - 1) / block_rows);
  cds_lines_kernel<T, Length>
      <<<blocks, 32 * groups * s.sharers, 0, stream_of(on)>>>(s, a.values.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("cds of a box");
}

}  // namespace

template <class T>
bool spmv_of_one(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, const Output<T>& y) {
  constexpr int rows = 16 / sizeof(T);
  constexpr std::int64_t small = std::int64_t{1} << 19;  // rows: the operator lies in the second-level cache
  const bool aligned = reinterpret_cast<std::uintptr_t>(a.values.data()) % 16 == 0;
  if (a.dof != 1 || !aligned || a.rows() % rows != 0) return false;
  const int length = line_length(a.offsets);
  if (length == 3) return multiply_lines<3>(on, a, x, y), true;
  if (length == 5) return multiply_lines<5>(on, a, x, y), true;
  const bool wraps = a.periodic[0] || a.periodic[1] || a.periodic[2];
  if (wraps || a.diagonals() > few_diagonals || (sizeof(T) == 8 && a.rows() > small)) return false;
  const auto s = structure_of<few_diagonals>(a, 0, false);
  cds_pairs_kernel<<<static_cast<unsigned>((a.rows() + 255) / 256), 128, 0, stream_of(on)>>>(
      s, a.values.data(), x, y);
  QUADRILLE_CUDA_LAUNCHED("cds of a small operator");
  return true;
}

template bool spmv_of_one(const Execution&, const BlockDiagonals<float, Device>&, const float*,
                          const Output<float>&);
template bool spmv_of_one(const Execution&, const BlockDiagonals<double, Device>&, const double*,
                          const Output<double>&);

}  // namespace quadrille::cuda
