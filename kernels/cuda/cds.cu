// CDS on the GPU: y = A x. Source: Godwin, Holewinski, Sadayappan, GPGPU-5 2012, section 3.3.
//
// One thread owns one row, or four consecutive rows in fp32 where the columns stay aligned for it: so every
// column of CDS is read, and y is written, with unit stride, 8 or 16 bytes a thread, each matrix value once
// and past the caches. The rows of a node read the same x, from the read-only cache. All loads of several
// block diagonals are issued before the first is used, about `columns_in_flight` columns; to that end the DoF
// is a template parameter for 1..8, and above 8 the columns of a block diagonal go in groups of eight.
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv.hpp"

namespace quadrille::cuda {
namespace {

#ifndef QUADRILLE_COLUMNS_IN_FLIGHT
#define QUADRILLE_COLUMNS_IN_FLIGHT 8
#endif
constexpr int columns_in_flight = QUADRILLE_COLUMNS_IN_FLIGHT;

// `Width` consecutive values in one load, past the caches.
template <int Width>
__device__ void load(const double* p, double (&v)[Width]) {
  static_assert(Width == 1);
  v[0] = __ldcs(p);
}
template <int Width>
__device__ void load(const float* p, float (&v)[Width]) {
  if constexpr (Width == 4) {
    const float4 four = __ldcs(reinterpret_cast<const float4*>(p));
    v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
  } else {
    v[0] = __ldcs(p);
  }
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

  constexpr int columns = Dof > 0 ? Dof : 8;  // of a block diagonal at once
  constexpr int diagonals = columns_in_flight > columns ? columns_in_flight / columns : 1;  // at once
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
  if constexpr (Width == 4) {
    *reinterpret_cast<float4*>(y + row) = {sum[0], sum[1], sum[2], sum[3]};
  } else {
    y[row] = sum[0];
  }
}

template <class T>
using CdsKernel = void (*)(CdsStructure, const T*, const T*, T*);

template <class T, int Width, bool Periodic>
CdsKernel<T> kernel_of(int dof) {
  static constexpr CdsKernel<T> kernels[] = {
      cds_kernel<T, 0, Width, Periodic>, cds_kernel<T, 1, Width, Periodic>,
      cds_kernel<T, 2, Width, Periodic>, cds_kernel<T, 3, Width, Periodic>,
      cds_kernel<T, 4, Width, Periodic>, cds_kernel<T, 5, Width, Periodic>,
      cds_kernel<T, 6, Width, Periodic>, cds_kernel<T, 7, Width, Periodic>,
      cds_kernel<T, 8, Width, Periodic>};
  return kernels[dof <= 8 ? dof : 0];
}

}  // namespace

template <class T>
void spmv(const BlockDiagonals<T, Device>& a, const T* x, T* y) {
  if (a.rows() == 0) return;
  const bool periodic = a.periodic[0] || a.periodic[1] || a.periodic[2];
  constexpr int widest = sizeof(T) == 4 ? 4 : 1;
  const bool wide = a.rows() % widest == 0 && widest > 1;  // every column is then aligned for wide loads
  const int width = wide ? widest : 1;
  const CdsKernel<T> kernel =
      wide ? (periodic ? kernel_of<T, widest, true>(a.dof) : kernel_of<T, widest, false>(a.dof))
           : (periodic ? kernel_of<T, 1, true>(a.dof) : kernel_of<T, 1, false>(a.dof));
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
