// CDS on the GPU: y = A x. Source: Godwin, Holewinski, Sadayappan, GPGPU-5 2012, section 3.3.
//
// One thread owns one row, or a few consecutive ones in fp32 where the columns stay aligned for it: so every column of CDS
// is read, and y is written, with unit stride, 4 to 16 bytes a thread, each matrix value once and past the caches. The rows
// of a node read the same x, from the read-only cache. About eight values a thread are loaded before the first is used; to
// that end the DoF is a template parameter for 1..8, and above 8 the columns of a block diagonal go in groups of eight.
// Fewer values in flight do not fill the memory system, more cost so many registers that fewer threads run: measured on an
// H200, results/README.md.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

constexpr int values_in_flight = 8;

// Rows of one thread, the fastest of those measured.
template <class T>
constexpr int rows_per_thread(int dof) {
  if (sizeof(T) == 8 || dof == 0 || dof > 6) return 1;
  return dof == 3 || dof == 4 ? 2 : 4;
}

// Block diagonals whose loads are issued together.
__host__ __device__ constexpr int diagonals_together(int columns, int width) {
  const int values = columns * width;
  return width > 1                    ? (values_in_flight + values - 1) / values
         : columns < values_in_flight ? values_in_flight / columns
                                      : 1;
}

// `Width` consecutive values in one load, past the caches.
template <int Width, class T>
__device__ void load(const T* p, T (&v)[Width]) {
  if constexpr (Width == 4) {
    const float4 four = __ldcs(reinterpret_cast<const float4*>(p));
    v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
  } else if constexpr (Width == 2) {
    const float2 two = __ldcs(reinterpret_cast<const float2*>(p));
    v[0] = two.x, v[1] = two.y;
  } else {
    v[0] = __ldcs(p);
  }
}

// The same for a store.
template <int Width, class T>
__device__ void store(T* p, const T (&v)[Width]) {
  if constexpr (Width == 4)
    *reinterpret_cast<float4*>(p) = {v[0], v[1], v[2], v[3]};
  else if constexpr (Width == 2)
    *reinterpret_cast<float2*>(p) = {v[0], v[1]};
  else
    *p = v[0];
}

// Rows row .. row + Width - 1; Dof 0 takes s.dof.
template <class T, int Dof, int Width, bool Periodic>
__global__ void __launch_bounds__(threads_per_block)
    cds_kernel(const __grid_constant__ CdsStructure s, const T* __restrict__ values, const T* __restrict__ x,
               T* __restrict__ y) {
  const std::int64_t row = global_thread() * Width;
  if (row >= s.rows) return;
  const int dof = Dof > 0 ? Dof : s.dof;
  CdsNode node[Width];
#pragma unroll
  for (int w = 0; w < Width; ++w) node[w] = node_at<Periodic>(s, static_cast<int>((row + w) / dof));
  T sum[Width];
#pragma unroll
  for (int w = 0; w < Width; ++w) sum[w] = s.accumulate ? y[row + w] : T(0);

  constexpr int columns = Dof > 0 ? Dof : values_in_flight;  // of a block diagonal at once
  constexpr int diagonals = diagonals_together(columns, Width);
  for (int d = 0; d < s.diagonals; d += diagonals)
    for (int first = 0; first < (Dof > 0 ? 1 : dof); first += columns) {
      T a[diagonals][columns][Width], b[diagonals][columns][Width];
#pragma unroll
      for (int j = 0; j < diagonals; ++j)
#pragma unroll
        for (int c = 0; c < columns; ++c)
          if (d + j < s.diagonals && (Dof > 0 || first + c < dof)) {
            load(values + (static_cast<std::int64_t>(d + j) * dof + first + c) * s.rows + row, a[j][c]);
          } else {
#pragma unroll
            for (int w = 0; w < Width; ++w) a[j][c][w] = 0;
          }
#pragma unroll
      for (int j = 0; j < diagonals; ++j)
#pragma unroll
        for (int w = 0; w < Width; ++w) {
          const std::int64_t to = d + j < s.diagonals ? neighbour<Periodic>(s, node[w], d + j) : -1;
#pragma unroll
          for (int c = 0; c < columns; ++c)
            b[j][c][w] = to >= 0 && (Dof > 0 || first + c < dof) ? __ldg(x + to * dof + first + c) : T(0);
        }
#pragma unroll
      for (int j = 0; j < diagonals; ++j)
#pragma unroll
        for (int c = 0; c < columns; ++c)
#pragma unroll
          for (int w = 0; w < Width; ++w) sum[w] += a[j][c][w] * b[j][c][w];
    }
  store(y + row, sum);
}

template <class T>
using CdsKernel = void (*)(CdsStructure, const T*, const T*, T*);

// Wide: rows_per_thread() rows a thread; otherwise one.
template <class T, bool Wide, bool Periodic>
CdsKernel<T> kernel_of(int dof) {
  constexpr auto width = [](int d) { return Wide ? rows_per_thread<T>(d) : 1; };
  static constexpr CdsKernel<T> kernels[] = {
      cds_kernel<T, 0, width(0), Periodic>, cds_kernel<T, 1, width(1), Periodic>,
      cds_kernel<T, 2, width(2), Periodic>, cds_kernel<T, 3, width(3), Periodic>,
      cds_kernel<T, 4, width(4), Periodic>, cds_kernel<T, 5, width(5), Periodic>,
      cds_kernel<T, 6, width(6), Periodic>, cds_kernel<T, 7, width(7), Periodic>,
      cds_kernel<T, 8, width(8), Periodic>};
  return kernels[dof <= 8 ? dof : 0];
}

}  // namespace

template <class T>
void spmv(const BlockDiagonals<T, Device>& a, const T* x, T* y) {
  if (a.rows() == 0) return;
  const bool periodic = a.periodic[0] || a.periodic[1] || a.periodic[2];
  const int widest = rows_per_thread<T>(a.dof <= 8 ? a.dof : 0);
  const bool wide = a.rows() % widest == 0;  // every column is then aligned for wide loads
  const int width = wide ? widest : 1;
  const CdsKernel<T> kernel =
      wide ? (periodic ? kernel_of<T, true, true>(a.dof) : kernel_of<T, true, false>(a.dof))
           : (periodic ? kernel_of<T, false, true>(a.dof) : kernel_of<T, false, false>(a.dof));
  std::int64_t first = 0;
  do {  // once even for an operator without diagonals, whose product is zero
    const CdsStructure s = structure_of(a, first, false);
    const T* const values = a.values.data() + first * a.dof * a.rows();
    kernel<<<blocks_for(a.rows() / width), threads_per_block>>>(s, values, x, y);
    QUADRILLE_CUDA_LAUNCHED("cds");
    first += max_diagonals;
  } while (first < a.diagonals());
}

template void spmv(const BlockDiagonals<float, Device>&, const float*, float*);
template void spmv(const BlockDiagonals<double, Device>&, const double*, double*);

}  // namespace quadrille::cuda
