// Interpolation and restriction on the CPU, line by line along x: the lines of the other grid that belong to
// one of this grid are added up with their weights in y and z, which runs with unit stride, and the sum is
// interpolated or restricted along x. The sum stays in the first-level cache, and the lines that neighbours
// share in the next one.
#include "kernels/grid_interpolation.hpp"

#include <algorithm>
#include <vector>

#include <omp.h>

namespace quadrille::cpu {
namespace {

// sum (+)= weight * line
template <class T>
void add_line(std::int64_t size, T weight, const T* line, T* __restrict sum, bool first) {
  if (first) {
#pragma omp simd
    for (std::int64_t i = 0; i < size; ++i) sum[i] = weight * line[i];
  } else {
#pragma omp simd
    for (std::int64_t i = 0; i < size; ++i) sum[i] += weight * line[i];
  }
}

// body(dof) with the DoF known at compile time where it is 1.
template <class Body>
void with_dof(int dof, const Body& body) {
  if (dof == 1)
    body(std::integral_constant<int, 1>());
  else
    body(dof);
}

// A line of `size` for every thread.
template <class T>
struct Lines {
  Lines(std::int64_t size) : size(size), values(static_cast<std::size_t>(size) * omp_get_max_threads()) {}
  T* mine() { return values.data() + size * omp_get_thread_num(); }
  std::int64_t size;
  std::vector<T> values;
};

// With weights of their own, row by row.
template <class T>
void interpolate_by_weights(const GridInterpolation<T>& p, const T* x, const Output<T>& y) {
  const AxisTables<T>&ax = p.axes[0], &ay = p.axes[1], &az = p.axes[2];
  const std::int64_t rows = p.rows(), corners = p.corners(), dof = p.dof;
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < p.fine[1] * p.fine[2]; ++line) {
    const std::int64_t iy = 2 * (line % p.fine[1]), iz = 2 * (line / p.fine[1]);
    for (std::int64_t i = 0; i < p.fine[0]; ++i) {
      std::int64_t node[8];
      for (int k = 0; k < corners; ++k)
        node[k] = (az.node[iz + k / 4] * p.coarse[1] + ay.node[iy + k / 2 % 2]) * p.coarse[0] +
                  ax.node[2 * i + k % 2];
      const std::int64_t first = (line * p.fine[0] + i) * dof;
      for (std::int64_t r = 0; r < dof; ++r) {
        T sum = 0;
        for (int k = 0; k < corners; ++k) sum += p.weights[k * rows + first + r] * x[node[k] * dof + r];
        y.put(first + r, sum);
      }
    }
  }
}

template <class T>
void restrict_by_weights(const GridInterpolation<T>& p, const T* x, const Output<T>& y) {
  const AxisTables<T>&ax = p.axes[0], &ay = p.axes[1], &az = p.axes[2];
  const std::int64_t rows = p.rows(), dof = p.dof;
  Lines<T> sums(dof);
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < p.coarse[1] * p.coarse[2]; ++line) {
    const std::int64_t jy = line % p.coarse[1], jz = line / p.coarse[1];
    for (std::int64_t j = 0; j < p.coarse[0]; ++j) {
      T* const sum = sums.mine();
      std::fill(sum, sum + dof, T(0));
      for (std::int32_t kz = az.first[jz]; kz < az.first[jz + 1]; ++kz)
        for (std::int32_t ky = ay.first[jy]; ky < ay.first[jy + 1]; ++ky)
          for (std::int32_t kx = ax.first[j]; kx < ax.first[j + 1]; ++kx) {
            const std::int32_t ix = ax.reader[kx], iy = ay.reader[ky], iz = az.reader[kz];
            const int corner = (ax.node[2 * ix] != j ? 1 : 0) + (ay.node[2 * iy] != jy ? 2 : 0) +
                               (az.node[2 * iz] != jz ? 4 : 0);
            const std::int64_t from = ((iz * p.fine[1] + iy) * p.fine[0] + ix) * dof;
            for (std::int64_t r = 0; r < dof; ++r)
              sum[r] += p.weights[corner * rows + from + r] * x[from + r];
          }
      for (std::int64_t r = 0; r < dof; ++r) y.put((line * p.coarse[0] + j) * dof + r, sum[r]);
    }
  }
}

}  // namespace

template <class T>
void interpolate(const GridInterpolation<T>& p, const T* x, Output<T> y) {
  if (p.weights.size() > 0) return interpolate_by_weights(p, x, y);
  const std::int64_t from_line = p.coarse[0] * p.dof, to_line = p.fine[0] * p.dof;
  const AxisTables<T>&ax = p.axes[0], &ay = p.axes[1], &az = p.axes[2];
  Lines<T> lines(from_line);
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < p.fine[1] * p.fine[2]; ++line) {
    const std::int64_t iy = 2 * (line % p.fine[1]), iz = 2 * (line / p.fine[1]);
    T* const sum = lines.mine();
    for (const int k : {0, 1, 2, 3}) {
      const std::int64_t ky = iy + k % 2, kz = iz + k / 2;
      const T weight = ay.weight[ky] * az.weight[kz];
      if (weight == 0) continue;
      add_line(from_line, weight, x + (az.node[kz] * p.coarse[1] + ay.node[ky]) * from_line, sum, k == 0);
    }
    const Output<T> to = y.beyond(line * to_line);
    with_dof(p.dof, [&](auto dof) {
      for (std::int64_t i = 0; i < p.fine[0]; ++i) {
        const T *a = sum + ax.node[2 * i] * dof, *b = sum + ax.node[2 * i + 1] * dof;
        const T wa = ax.weight[2 * i], wb = ax.weight[2 * i + 1];
        for (int r = 0; r < dof; ++r) to.put(i * dof + r, wa * a[r] + wb * b[r]);
      }
    });
  }
}

template <class T>
void restrict_to(const GridInterpolation<T>& p, const T* x, Output<T> y) {
  if (p.weights.size() > 0) return restrict_by_weights(p, x, y);
  const std::int64_t from_line = p.fine[0] * p.dof, to_line = p.coarse[0] * p.dof;
  const AxisTables<T>&ax = p.axes[0], &ay = p.axes[1], &az = p.axes[2];
  Lines<T> lines(from_line);
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < p.coarse[1] * p.coarse[2]; ++line) {
    const std::int64_t jy = line % p.coarse[1], jz = line / p.coarse[1];
    T* const sum = lines.mine();
    bool first = true;
    for (std::int32_t kz = az.first[jz]; kz < az.first[jz + 1]; ++kz)
      for (std::int32_t ky = ay.first[jy]; ky < ay.first[jy + 1]; ++ky) {
        add_line(from_line, ay.reader_weight[ky] * az.reader_weight[kz],
                 x + (az.reader[kz] * p.fine[1] + ay.reader[ky]) * from_line, sum, first);
        first = false;
      }
    if (first) std::fill(sum, sum + from_line, T(0));
    const Output<T> to = y.beyond(line * to_line);
    with_dof(p.dof, [&](auto dof) {
      for (std::int64_t j = 0; j < p.coarse[0]; ++j)
        for (int r = 0; r < dof; ++r) {
          T value = 0;
          for (std::int32_t k = ax.first[j]; k < ax.first[j + 1]; ++k)
            value += ax.reader_weight[k] * sum[ax.reader[k] * dof + r];
          to.put(j * dof + r, value);
        }
    });
  }
}

#define QUADRILLE_INSTANTIATE(T)                                               \
  template void interpolate(const GridInterpolation<T>&, const T*, Output<T>); \
  template void restrict_to(const GridInterpolation<T>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cpu
