// Interpolation and restriction on the GPU. A thread owns one element of the result and gathers: no atomics,
// the same bits every time. Consecutive threads own consecutive elements, so that the result is written, and
// where it is added to read, with unit stride. What a thread reads lies within two nodes along each axis of
// what its neighbours read: of a vector every element comes from memory once, and else from the caches, as do
// the tables of the axes. Where every fine row has weights of its own, they are streamed: each is used once,
// by threads side by side.
#include "kernels/cuda/launch.cuh"
#include "kernels/divisor.hpp"
#include "kernels/grid_interpolation.hpp"

namespace quadrille::cuda {
namespace {

template <class T>
struct AxisPointers {
  const std::int32_t *node, *first, *reader;
  const T *weight, *reader_weight;
};

// `to` is the grid of the result, `from` the one that is read.
template <class T>
struct Transfer {
  int rows, dof;
  int from_nx, from_ny;
  int to_nx, to_ny;
  Divisor by_dof, by_nx, by_ny;
  AxisPointers<T> x, y, z;
  const T* weights;  // [corner][fine row], or null
  std::int64_t fine_rows;
  int corners;
};

struct Element {
  int x, y, z, r;
};

template <class T>
__device__ Element element_of(const Transfer<T>& t, int row) {
  const int node = divide(row, t.by_dof), line = divide(node, t.by_nx), plane = divide(line, t.by_ny);
  return {node - line * t.to_nx, line - plane * t.to_ny, plane, row - node * t.dof};
}

template <class T>
struct Pair {
  std::int32_t node[2];
  T weight[2];
};

template <class T>
__device__ Pair<T> pair_of(const AxisPointers<T>& axis, int i) {
  Pair<T> p;
#pragma unroll
  for (int k = 0; k < 2; ++k)
    p.node[k] = __ldg(axis.node + 2 * i + k), p.weight[k] = __ldg(axis.weight + 2 * i + k);
  return p;
}

// Stored: with weights of their own.
template <bool Stored, class T>
__global__ void __launch_bounds__(threads_per_block)
    interpolate_kernel(const __grid_constant__ Transfer<T> t, const T* __restrict__ x, Output<T> y) {
  const std::int64_t thread = global_thread();
  if (thread >= t.rows) return;
  const int row = static_cast<int>(thread);
  const Element e = element_of(t, row);
  const Pair<T> px = pair_of(t.x, e.x), py = pair_of(t.y, e.y), pz = pair_of(t.z, e.z);
  T v[2][2][2], w[2][2][2];
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const std::int64_t line = static_cast<std::int64_t>(pz.node[k] * t.from_ny + py.node[j]) * t.from_nx;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        v[k][j][i] = __ldg(x + (line + px.node[i]) * t.dof + e.r);
        if constexpr (Stored)
          w[k][j][i] =
              k == 0 || t.corners == 8 ? __ldcs(t.weights + (4 * k + 2 * j + i) * t.fine_rows + row) : T(0);
        else
          w[k][j][i] = pz.weight[k] * py.weight[j] * px.weight[i];
      }
    }
  T sum = 0;
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i) sum += w[k][j][i] * v[k][j][i];
  y.put(row, sum);
}

template <bool Stored, class T>
__global__ void __launch_bounds__(threads_per_block)
    restrict_kernel(const __grid_constant__ Transfer<T> t, const T* __restrict__ x, Output<T> y) {
  constexpr int together = 4;  // nodes along x, three or four of which read a node of half as many
  const std::int64_t thread = global_thread();
  if (thread >= t.rows) return;
  const int row = static_cast<int>(thread);
  const Element e = element_of(t, row);
  const int x_end = __ldg(t.x.first + e.x + 1), y_begin = __ldg(t.y.first + e.y),
            y_end = __ldg(t.y.first + e.y + 1), z_begin = __ldg(t.z.first + e.z),
            z_end = __ldg(t.z.first + e.z + 1);
  T sum = 0;
  for (int first = __ldg(t.x.first + e.x); first < x_end; first += together) {
    std::int64_t at[together], weights_at[together];
    T weight[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {  // beyond the last one it is read again, and counts nothing
      const int k = min(first + i, x_end - 1), node = __ldg(t.x.reader + k);
      at[i] = static_cast<std::int64_t>(node) * t.dof + e.r;
      if constexpr (Stored) {
        weights_at[i] = at[i] + (__ldg(t.x.node + 2 * node) != e.x ? t.fine_rows : 0);
        weight[i] = first + i < x_end ? T(1) : T(0);
      } else {
        weight[i] = first + i < x_end ? __ldg(t.x.reader_weight + k) : T(0);
      }
    }
    for (int kz = z_begin; kz < z_end; ++kz) {
      const int z = __ldg(t.z.reader + kz);
      const T wz = Stored ? T(1) : __ldg(t.z.reader_weight + kz);
#pragma unroll 4
      for (int ky = y_begin; ky < y_end; ++ky) {
        const int y_node = __ldg(t.y.reader + ky);
        const std::int64_t line = (static_cast<std::int64_t>(z) * t.from_ny + y_node) * t.from_nx * t.dof;
        T v[together], along_x = 0;
#pragma unroll
        for (int i = 0; i < together; ++i) v[i] = weight[i] * __ldg(x + line + at[i]);
        if constexpr (Stored) {
          const int corner =
              (__ldg(t.y.node + 2 * y_node) != e.y ? 2 : 0) + (__ldg(t.z.node + 2 * z) != e.z ? 4 : 0);
#pragma unroll
          for (int i = 0; i < together; ++i)
            along_x += v[i] * __ldg(t.weights + corner * t.fine_rows + line + weights_at[i]);
          sum += along_x;
        } else {
#pragma unroll
          for (int i = 0; i < together; ++i) along_x += v[i];
          sum += wz * __ldg(t.y.reader_weight + ky) * along_x;
        }
      }
    }
  }
  y.put(row, sum);
}

template <class T>
Transfer<T> transfer_of(const GridInterpolation<T, Device>& p, bool to_fine) {
  to_index32(p.rows(), "rows of an interpolation on the GPU");
  const auto &from = to_fine ? p.coarse : p.fine, &to = to_fine ? p.fine : p.coarse;
  const auto pointers = [&](int axis) {
    const AxisTables<T, Device>& a = p.axes[axis];
    return AxisPointers<T>{a.node.data(), a.first.data(), a.reader.data(), a.weight.data(),
                           a.reader_weight.data()};
  };
  return {static_cast<int>(to_fine ? p.rows() : p.columns()),
          p.dof,
          static_cast<int>(from[0]),
          static_cast<int>(from[1]),
          static_cast<int>(to[0]),
          static_cast<int>(to[1]),
          divisor(p.dof),
          divisor(to[0]),
          divisor(to[1]),
          pointers(0),
          pointers(1),
          pointers(2),
          p.weights.data(),
          p.rows(),
          p.corners()};
}

}  // namespace

template <class T>
void interpolate(Queue queue, const GridInterpolation<T, Device>& p, const T* x, Output<T> y) {
  if (p.rows() == 0) return;
  const auto kernel = p.weights.size() > 0 ? interpolate_kernel<true, T> : interpolate_kernel<false, T>;
  kernel<<<blocks_for(p.rows()), threads_per_block, 0, stream_of(queue)>>>(transfer_of(p, true), x, y);
  QUADRILLE_CUDA_LAUNCHED("interpolation");
}

template <class T>
void restrict_to(Queue queue, const GridInterpolation<T, Device>& p, const T* x, Output<T> y) {
  if (p.columns() == 0) return;
  const auto kernel = p.weights.size() > 0 ? restrict_kernel<true, T> : restrict_kernel<false, T>;
  kernel<<<blocks_for(p.columns()), threads_per_block, 0, stream_of(queue)>>>(transfer_of(p, false), x, y);
  QUADRILLE_CUDA_LAUNCHED("restriction");
}

#define QUADRILLE_INSTANTIATE(T)                                                              \
  template void interpolate(Queue, const GridInterpolation<T, Device>&, const T*, Output<T>); \
  template void restrict_to(Queue, const GridInterpolation<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
