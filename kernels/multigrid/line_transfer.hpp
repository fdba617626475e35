// The transfers of transfer_steps.hpp on the CPU, a line of nodes at a time: first between the lines of two
// grids, in vector instructions, then along x. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/multigrid/transfer_steps.hpp"

namespace quadrille::multigrid {

// sum[i] += w x[i], or a w[i] of each.
template <class T>
void add_times(T w, const T* x, int n, T* sum) {
#pragma omp simd
  for (int i = 0; i < n; ++i) sum[i] += w * x[i];
}
template <class T>
void add_times(const T* w, const T* x, int n, T* sum) {
#pragma omp simd
  for (int i = 0; i < n; ++i) sum[i] += w[i] * x[i];
}

// A thread's line of that many numbers, zeros.
template <class T>
T* line_of_zeros(int which, int n) {
  thread_local std::vector<T> lines[2];
  lines[which].assign(static_cast<std::size_t>(n), 0);
  return lines[which].data();
}

// Of line (y, z): to += P coarse.
template <class T>
void add_interpolated(const Transfer<T>& p, const T* coarse, int y, int z, T* to) {
  const int dof = p.dof, n = p.fine_n[0], coarse_row = p.coarse_n[0] * dof, row = n * dof;
  const std::int64_t place = (std::int64_t{z} * p.fine_n[1] + y) * row;
  const auto each = [&](const auto& body) {  // coarse line that is read, its weight and number
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < 2; ++j)
        if (const T w = p.weight[2][2 * z + k] * p.weight[1][2 * y + j]; w != 0)
          body(coarse +
                   (std::int64_t{p.node[2][2 * z + k]} * p.coarse_n[1] + p.node[1][2 * y + j]) * coarse_row,
               w, 4 * k + 2 * j);
  };
  T* const line = to + place;
  if (p.weights != nullptr) {
    T* const read = line_of_zeros<T>(0, row);
    each([&](const T* from, T, int corner) {
      for (int side = 0; side < 2; ++side) {
        for (int x = 0, i = 0; x < n; ++x)
          for (int r = 0; r < dof; ++r, ++i) read[i] = from[p.node[0][2 * x + side] * dof + r];
        add_times(p.weights + (corner + side) * p.fine_rows + place, read, row, line);
      }
    });
  } else {
    T* const between = line_of_zeros<T>(0, coarse_row);
    each([&](const T* from, T w, int) { add_times(w, from, coarse_row, between); });
    add_along(p, between, line);
  }
#pragma omp simd
  for (int i = 0; i < row; ++i) line[i] = without_tiny<T>(line[i]);
}

// Along x, from a line of coarse nodes.
template <class T>
void add_along(const Transfer<T>& p, const T* between, T* line) {
  const int dof = p.dof, n = p.fine_n[0];
  const T* const weight = p.weight[0];
  const std::int32_t* const node = p.node[0];
  if (n == p.coarse_n[0]) return add_times(T(1), between, n * dof, line);
  const auto along = [&](auto unknowns) {
    const int count = unknowns() > 0 ? unknowns() : dof;
    for (int x = 0; x < n; ++x)
      for (int r = 0; r < count; ++r)
        line[x * count + r] += weight[2 * x] * between[node[2 * x] * count + r] +
                               weight[2 * x + 1] * between[node[2 * x + 1] * count + r];
  };
  dof == 1 ? along(std::integral_constant<int, 1>()) : along(std::integral_constant<int, 0>());
}

// D^-1 of the coarse level, of one unknown a node, where the restriction is multiplied by it; else null.
template <class T>
struct InverseOfCoarse {
  const Couplings* s = nullptr;
  const T* inverse = nullptr;
};

// Of line (y, z): coarse = P^T fine, or D^-1 times that.
template <class T>
void restrict_line(const Transfer<T>& p, const T* fine, int y, int z, T* coarse,
                   const InverseOfCoarse<T>& scale) {
  const int dof = p.dof, n = p.coarse_n[0], row = p.fine_n[0] * dof;
  const bool stored = p.weights != nullptr;
  T *const first = line_of_zeros<T>(0, row), *const second = stored ? line_of_zeros<T>(1, row) : first;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j) {
      const int of_z = 3 * z + k, of_y = 3 * y + j;
      const T w = p.fine_weight[2][of_z] * p.fine_weight[1][of_y];
      if (w == 0) continue;
      const std::int64_t place = (std::int64_t{p.fine[2][of_z]} * p.fine_n[1] + p.fine[1][of_y]) * row;
      if (stored) {
        const T* const weights =
            p.weights + (4 * p.second[2][of_z] + 2 * p.second[1][of_y]) * p.fine_rows + place;
        add_times(weights, fine + place, row, first);
        add_times(weights + p.fine_rows, fine + place, row, second);
      } else {
        add_times(w, fine + place, row, first);
      }
    }
  T* const line = coarse + (std::int64_t{z} * p.coarse_n[1] + y) * n * dof;
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < dof; ++r) {
      T sum = 0;
      for (int k = 3 * c; k < 3 * c + 3; ++k) {
        const T w = p.fine_weight[0][k];
        if (stored)
          sum += w == 0 ? 0 : (p.second[0][k] != 0 ? second : first)[p.fine[0][k] * dof + r];
        else
          sum += w * first[p.fine[0][k] * dof + r];
      }
      line[c * dof + r] = sum;
    }
  if (scale.inverse == nullptr) return;
  const Couplings& s = *scale.s;
  const std::int64_t at =
      s.stored.all ? s.first_of_line(y, z) : s.stored.index(0, y, z) - s.stored.along(0, 0);
  for (int c = 0; c < n; ++c) line[c] *= scale.inverse[at + (s.stored.all ? c : s.stored.along(0, c))];
}

}  // namespace quadrille::multigrid
