// The coarsest grid in GPU memory where a dense inverse would be too large: factors of a block tridiagonal
// matrix, whose blocks are the planes of the grid,
//
//     S_0 = A_00,  S_k = A_kk - A_k,k-1 S_k-1^-1 A_k-1,k          (k = 1, 2, ..., in fp64)
//     t_k = S_k^-1 (b_k - A_k,k-1 t_k-1)                          up
//     x_k = t_k - S_k^-1 A_k,k+1 x_k+1                            and down
//
// with the inverses of the S_k as dense matrices: 32^3 unknowns have 32 of 1,024 x 1,024, 256 MiB where the
// inverse of all would have 8 GiB, and 64^3 have 64 of 4,096 x 4,096, 8 GiB. Block elimination (Golub and Van
// Loan, Matrix Computations, 4th edition, section 4.5.1), without exchanges, for these operators are definite
// or dominated by their diagonals. Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/multigrid/dense_inverse.hpp"

namespace quadrille::multigrid {

inline constexpr int most_in_plane = 4096, most_planes = 128;  // unknowns of a plane; each plane is a launch

// Planes across an axis that does not wrap, the longest one. Passed by value.
struct PlaneOrder {
  int axis = 2, planes = 0;  // none where there is no such axis
  int across[2] = {0, 1};    // the other axes
  int size = 0;              // unknowns of a plane

  PlaneOrder() = default;
  PlaneOrder(const std::array<int, 3>& n, const std::array<bool, 3>& wraps, int dof) {
    for (int k = 0; k < 3; ++k)
      if (!wraps[k] && n[k] > planes) {
        axis = k;
        planes = n[k];
      }
    across[0] = axis == 0 ? 1 : 0;
    across[1] = axis == 2 ? 1 : 2;
    size = n[across[0]] * n[across[1]] * dof;
  }
  explicit PlaneOrder(const Couplings& s)
      : PlaneOrder({s.n[0], s.n[1], s.n[2]}, {s.wraps[0], s.wraps[1], s.wraps[2]}, s.dof) {}

  // Of unknown i of plane k: the node's position. Its number at the node is i % dof.
  constexpr std::array<int, 3> position(const Couplings& s, int k, int i) const {
    std::array<int, 3> at{};
    const int node = i / s.dof;
    at[axis] = k;
    at[across[0]] = node % s.n[across[0]];
    at[across[1]] = node / s.n[across[0]];
    return at;
  }
  constexpr int in_plane(const Couplings& s, const std::array<int, 3>& at, int unknown) const {
    return (at[across[1]] * s.n[across[0]] + at[across[0]]) * s.dof + unknown;
  }
};

// `sign` times coupling d away from a position, if there is a node.
constexpr bool step_to(const Couplings& s, int d, int sign, std::array<int, 3>& at) {
  for (int axis = 0; axis < 3; ++axis) {
    at[axis] += sign * s.offset[d][axis];
    if (at[axis] >= 0 && at[axis] < s.n[axis]) continue;
    if (!s.wraps[axis]) return false;
    at[axis] += at[axis] < 0 ? s.n[axis] : -s.n[axis];
  }
  return true;
}

// A_kk as a dense matrix, [row][column], a row a call; the matrix is zero before.
struct FillPlane {
  Couplings s;
  PlaneOrder order;
  const double* values;
  int plane;
  double* dense;
  constexpr void operator()(std::int64_t i) const {
    const std::array<int, 3> at = order.position(s, plane, static_cast<int>(i));
    const std::int64_t row = std::int64_t{s.index(at)} * s.dof + i % s.dof;
    for (int d = -1; d < s.count; ++d) {
      if (d >= 0 && s.offset[d][order.axis] != 0) continue;
      std::array<int, 3> to = at;
      if (d >= 0 && !step_to(s, d, 1, to)) continue;
      const std::int64_t diagonal = d < 0 ? s.centre : s.diagonal[d];
      for (int c = 0; c < s.dof; ++c)
        dense[i * order.size + order.in_plane(s, to, c)] +=
            values[(diagonal * s.dof + c) * s.stored_rows + s.place(row)];
    }
  }
};

// S_k -= A_k,k-1 S_k-1^-1 A_k-1,k in two steps, an element a call, whose sums are over the couplings between
// the two planes: H = A_k,k-1 S_k-1^-1, and S_k -= H A_k-1,k.
struct HalfOfPlane {
  Couplings s;
  PlaneOrder order;
  const double* values;
  int plane;              // k
  const double* inverse;  // of S_k-1, [row][column]
  double* half;           // H [row][column]
  constexpr void operator()(std::int64_t index) const {
    const int i = static_cast<int>(index / order.size), j = static_cast<int>(index % order.size);
    const std::array<int, 3> row = order.position(s, plane, i);
    const double* const of_row = values + s.place(std::int64_t{s.index(row)} * s.dof + i % s.dof);
    double sum = 0;
    for (int d = 0; d < s.count; ++d) {
      std::array<int, 3> from = row;
      if (s.offset[d][order.axis] != -1 || !step_to(s, d, 1, from)) continue;
      for (int a = 0; a < s.dof; ++a)
        sum += of_row[(std::int64_t{s.diagonal[d]} * s.dof + a) * s.stored_rows] *
               inverse[std::int64_t{order.in_plane(s, from, a)} * order.size + j];
    }
    half[index] = sum;
  }
};
struct EliminatePlane {
  Couplings s;
  PlaneOrder order;
  const double* values;
  int plane;
  const double* half;
  double* dense;
  constexpr void operator()(std::int64_t index) const {
    const int j = static_cast<int>(index % order.size);
    const std::array<int, 3> column = order.position(s, plane, j);
    const double* const of_row = half + (index - j);
    double sum = 0;
    for (int d = 0; d < s.count; ++d) {
      std::array<int, 3> to = column;
      if (s.offset[d][order.axis] != 1 || !step_to(s, d, -1, to)) continue;
      for (int b = 0; b < s.dof; ++b)
        sum += of_row[order.in_plane(s, to, b)] *
               values[(std::int64_t{s.diagonal[d]} * s.dof + j % s.dof) * s.stored_rows +
                      s.place(std::int64_t{s.index(to)} * s.dof + b)];
    }
    dense[index] -= sum;
  }
};

// Couplings between planes as their steps read them: of each of the nine nodes across, and of each unknown of
// it, one; 0 where there is none.
struct BetweenPlanes {
  Couplings s;
  PlaneOrder order;

  constexpr int count() const { return 9 * s.dof; }
  constexpr std::int64_t size() const { return std::int64_t{order.planes} * count() * order.size; }
  // The unknown of its plane to which coupling k of unknown i leads, or -1; `d` is the number of the block
  // diagonal towards the plane before (side -1) or behind (1), or -1.
  constexpr int across(int k, int i, int side, int& d) const {
    int offset[3] = {};
    offset[order.axis] = side;
    offset[order.across[0]] = k / s.dof % 3 - 1;
    offset[order.across[1]] = k / s.dof / 3 - 1;
    d = s.box[(offset[2] + 1) * 9 + (offset[1] + 1) * 3 + offset[0] + 1];
    std::array<int, 3> at = order.position(s, 0, i);
    for (const int axis : order.across) {
      at[axis] += offset[axis];
      if (at[axis] >= 0 && at[axis] < s.n[axis]) continue;
      if (!s.wraps[axis]) return -1;
      at[axis] += at[axis] < 0 ? s.n[axis] : -s.n[axis];
    }
    return order.in_plane(s, at, k % s.dof);
  }
};
struct PlacesAcross {
  BetweenPlanes between;
  std::int32_t* to;  // [k][i]
  constexpr void operator()(std::int64_t index) const {
    const int i = static_cast<int>(index % between.order.size);
    int d = 0;
    const int place = between.across(static_cast<int>(index / between.order.size), i, 1, d);
    to[index] = place < 0 ? i : place;
  }
};
struct TakeBetween {
  BetweenPlanes between;
  const double* values;
  int side;
  double* to;  // [plane][k][i]
  constexpr void operator()(std::int64_t index) const {
    const Couplings& s = between.s;
    const int size = between.order.size, i = static_cast<int>(index % size),
              k = static_cast<int>(index / size % between.count()),
              plane = static_cast<int>(index / size / between.count()), towards = plane + side;
    int d = 0;
    const bool there =
        between.across(k, i, side, d) >= 0 && d >= 0 && towards >= 0 && towards < between.order.planes;
    const std::int64_t row = std::int64_t{s.index(between.order.position(s, plane, i))} * s.dof + i % s.dof;
    to[index] = there ? values[(std::int64_t{d} * s.dof + k % s.dof) * s.stored_rows + s.place(row)] : 0;
  }
};

// In double, whatever cycles are in: after a hundred steps in fp32 the preconditioner was not definite.
template <class Space>
struct PlaneFactors {
  Couplings s;
  PlaneOrder order;
  Array<double, Space> inverses;        // of the S_k, [plane][row][column]
  Array<double, Space> before, behind;  // A_k,k-1 and A_k,k+1, as TakeBetween
  Array<std::int32_t, Space> across;    // as PlacesAcross
  Array<double, Space> up, down;        // the t_k and the x_k
  std::int64_t bytes() const { return 2 * inverses.bytes() + before.bytes() + behind.bytes(); }  // of a solve
  std::int64_t flops() const { return 4 * inverses.size(); }
};

// A step up or down: what S_k^-1 is multiplied with, and what is made of the product. Up, v = b_k - A_k,k-1 t
// and t_k is the product; down, v = A_k,k+1 x and x_k is t_k less the product.
template <class T>
struct PlaneStep {
  Couplings s;
  PlaneOrder order;
  const double *inverses, *before, *behind;
  const std::int32_t* across;
  const T* b;
  double *up, *down;
  T* x;
  int plane;
  bool goes_down;

  constexpr std::int64_t row(int i) const {
    return std::int64_t{s.index(order.position(s, plane, i))} * s.dof + i % s.dof;
  }
  constexpr double right(int i) const {
    const int count = 9 * s.dof;
    const double* const from = goes_down ? down + (plane + 1) * order.size : up + (plane - 1) * order.size;
    const double* const weight = (goes_down ? behind : before) + std::int64_t{plane} * count * order.size + i;
    double sum = 0;
    if (goes_down || plane > 0)
      for (int k = 0; k < count; ++k) sum += weight[k * order.size] * from[across[k * order.size + i]];
    return goes_down ? sum : b[row(i)] - sum;
  }
  // Row i of S_k^-1.
  constexpr const double* inverse(int i) const {
    return inverses + (std::int64_t{plane} * order.size + i) * order.size;
  }
  constexpr void take(int i, double product) const {
    const int own = plane * order.size + i;
    if (!goes_down) up[own] = product;
    if (!goes_down && plane < order.planes - 1) return;
    const double value = goes_down ? up[own] - product : product;
    down[own] = value;
    x[row(i)] = static_cast<T>(value);
  }
};

// step(PlaneStep) for each of a solve.
template <class T, class Space, class Step>
void solve_planes(PlaneFactors<Space>& a, const T* b, T* x, const Step& step) {
  PlaneStep<T> next{a.s,
                    a.order,
                    a.inverses.data(),
                    a.before.data(),
                    a.behind.data(),
                    a.across.data(),
                    b,
                    a.up.data(),
                    a.down.data(),
                    x,
                    0,
                    false};
  for (; next.plane < a.order.planes; ++next.plane) step(next);
  next.goes_down = true;
  for (next.plane = a.order.planes - 2; next.plane >= 0; --next.plane) step(next);
}

template <class Machine>
void make_plane_factors(Machine& machine, const Couplings& s, const double* values,
                        PlaneFactors<typename Machine::Space>& factors) {
  using Values = Array<double, typename Machine::Space>;
  const PlaneOrder order(s);
  const BetweenPlanes between{s, order};
  const std::int64_t size = std::int64_t{order.size} * order.size;
  factors.s = s;
  factors.order = order;
  factors.inverses = decltype(factors.inverses)(checked_product(size, order.planes, "the coarsest grid"));
  for (auto* each : {&factors.before, &factors.behind}) *each = decltype(factors.up)(between.size());
  for (auto* each : {&factors.up, &factors.down}) *each = decltype(factors.up)(s.rows);
  factors.across = decltype(factors.across)(std::int64_t{between.count()} * order.size);
  machine.for_each(factors.across.size(), PlacesAcross{between, factors.across.data()});
  machine.for_each(between.size(), TakeBetween{between, values, -1, factors.before.data()});
  machine.for_each(between.size(), TakeBetween{between, values, 1, factors.behind.data()});
  Values dense(size), before(size), other(size);
  for (int k = 0; k < order.planes; ++k) {
    machine.for_each(size, Zero<double>{dense.data()});
    machine.for_each(order.size, FillPlane{s, order, values, k, dense.data()});
    if (k > 0) {
      machine.for_each(size, HalfOfPlane{s, order, values, k, before.data(), other.data()});
      machine.for_each(size, EliminatePlane{s, order, values, k, other.data(), dense.data()});
    }
    invert(machine, order.size, order.size, dense, other);
    machine.for_each(size, Convert<double, double>{dense.data(), factors.inverses.data() + k * size});
    std::swap(dense, before);
  }
}

}  // namespace quadrille::multigrid
