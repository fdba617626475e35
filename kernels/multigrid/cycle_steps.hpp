// What a cycle does to the vectors of one level, an element a call. The level's operator A has its rows
// divided by their diagonal blocks D: what is stored is D^-1 A without its diagonal, which is one; or A
// without its diagonal in bf16 (rounded_rows.hpp), and D^-1. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/inner_row.hpp"

namespace quadrille::multigrid {

// y = B x with blocks [column][stored row].
template <class T, class In>
struct MultiplyBlocks {
  Couplings s;
  const T* blocks;
  const In* x;
  T* y;
  constexpr void operator()(std::int64_t row) const {
    const In* const from = x + std::int64_t{s.node_of(row)} * s.dof;
    const T* const first = blocks + s.place(row);
    T sum = 0;
    for (int c = 0; c < s.dof; ++c) sum += streamed(first + c * s.stored_rows) * static_cast<T>(from[c]);
    y[row] = sum;
  }
};

// The steps below do Rows rows of a line a call, from index * Rows on.

template <class T, class In, int Rows, bool All>
struct MultiplyDiagonal {
  static constexpr bool light = true;
  Couplings s;
  const T* diagonal;
  const In* x;
  T* y;
  bool of_user;  // x is, without nodes behind lines
  constexpr void operator()(std::int64_t index) const {
    const std::int64_t row = index * Rows;
    In from[Rows] = {};
    T values[Rows];
    if (!of_user) {
      load(x + row, from);
    } else {
      const std::array<int, 3> at = s.position(static_cast<int>(row));
      const In* const first = x + s.natural(at);
      for (int i = 0; i < Rows; ++i)
        if (at[0] + i < s.n[0]) from[i] = first[i];
    }
    load_values<All>(diagonal + (All ? row : s.place_of_alike(row)), values);
    for (int i = 0; i < Rows; ++i) values[i] *= static_cast<T>(from[i]);
    store(y + row, values);
  }
};

// Those that sum over neighbours say of what, and what is made of the sums, so that inner rows can have
// kernels of their own: finish() gets their row, or null. They are templates over how the rows are stored.
template <class T, int Rows, int Dof, int Count, bool All, class V = T, class Structure = Couplings>
struct StencilRows {
  using Number = T;
  static constexpr int rows = Rows, count = Count;
  static constexpr bool all = All, rounded = !std::is_same_v<V, T>, by_nodes = false;
  Structure s;
  const V* a;
  const T* inverse = nullptr;  // where V is not T
  constexpr void sum_of(const T* x, std::int64_t row, T (&sum)[Rows]) const {
    beside_diagonal<Rows, Dof, Count, All>(s, a, x, row, sum);
    if constexpr (rounded) {
      T own[Rows] = {};
      load(inverse + row, own);
      for (int i = 0; i < Rows; ++i) sum[i] *= own[i];
    }
  }
};

// Rows by kind (by_kind_steps.hpp): the sums of all rows of a node are made first, and D^-1 times them.
template <class T>
struct RowsByKind {
  using Number = T;
  static constexpr int rows = 1, count = 0;
  static constexpr bool all = false, rounded = false, by_nodes = true;
  Couplings s;
  const T *a, *inverse;
  // A node, where its values are in a column, and the way to its neighbours: what all of its rows share.
  struct Node {
    std::int64_t first_row, place;
    Couplings::StepsAround steps;
    bool inside;  // from the ends of all axes: steps are those of the grid
  };
  constexpr Node node_at(const std::array<int, 3>& at) const {
    const int node = s.index(at), place = s.stored.all ? node : s.stored.index(at[0], at[1], at[2]);
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis)
      inside = inside && (s.n[axis] == 1 || (at[axis] > 0 && at[axis] < s.n[axis] - 1));
    return {std::int64_t{node} * s.dof, std::int64_t{place} * s.dof, s.steps_around(at), inside};
  }
  constexpr T own_sum(const T* x, const Node& node, int kind) const {
    const T* const own = x + node.first_row + kind;
    const T* const values = a + node.place + kind;
    if (node.inside) return sum_of(s.count, values, [&](int d) { return own[s.step[d] * s.dof]; });
    return sum_of(s.count, values, [&](int d) { return own[s.step_around(node.steps, d) * s.dof]; });
  }
  constexpr T times_inverse(const T* sums, const Node& node, int kind) const {
    return sum_of(s.dof, inverse + node.place + kind, [&](int c) { return sums[c]; });
  }

 private:
  // Of a row's numbers, a column of them behind the other, each times factor(number).
  template <class F>
  constexpr T sum_of(int count, const T* values, const F& factor) const {
    T sum = 0;
    if (s.stored.all) {
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
      for (int i = 0; i < count; ++i, values += s.stored_rows) sum += streamed(values) * factor(i);
    } else {
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
      for (int i = 0; i < count; ++i, values += s.stored_rows) sum += *values * factor(i);
    }
    return sum;
  }
};

// The first two sweeps, from x = 0, in one: x1 = w1 g, x = x1 + w2 (g - D^-1 A x1), with g = D^-1 b.
template <class Stencil>
struct FirstTwoSweeps : Stencil {
  using T = typename Stencil::Number;
  static constexpr int Rows = Stencil::rows;
  const T* g;
  T *x, first, second;
  constexpr const T* source() const { return g; }
  constexpr void operator()(std::int64_t index) const {
    T sum[Rows];
    this->sum_of(g, index * Rows, sum);
    finish(index * Rows, sum, nullptr);
  }
  constexpr void finish(std::int64_t row, T (&sum)[Rows], const InnerRow<T>*) const {
    const T both = first * second;
    T own[Rows];
    load(g + row, own);
    for (int i = 0; i < Rows; ++i) sum[i] = (first + second - both) * own[i] - both * sum[i];
    store_result(x + row, sum);
  }
};

// One from x = 0.
template <class T>
struct FirstSweep {
  static constexpr bool light = true;
  const T* g;
  T *x, weight;
  constexpr void operator()(std::int64_t row) const { x[row] = weight * g[row]; }
};

// y = x + w (g - D^-1 A x)
template <class Stencil, class Out>
struct Sweep : Stencil {
  using T = typename Stencil::Number;
  static constexpr int Rows = Stencil::rows;
  const T *g, *x;
  Out* y;
  T weight;
  bool of_user;  // y is, without nodes behind lines
  constexpr const T* source() const { return x; }
  constexpr void operator()(std::int64_t index) const {
    T sum[Rows];
    this->sum_of(x, index * Rows, sum);
    finish(index * Rows, sum, nullptr);
  }
  constexpr void finish(std::int64_t row, T (&sum)[Rows], const InnerRow<T>*) const {
    T right[Rows], now[Rows];
    load_streamed(g + row, right);
    load(x + row, now);
    for (int i = 0; i < Rows; ++i) sum[i] = now[i] + weight * (right[i] - now[i] - sum[i]);
    if (!of_user) return store_result(y + row, sum);
    const Couplings& s = this->s;
    const std::array<int, 3> at = s.position(static_cast<int>(row));
    Out* const to = y + s.natural(at);
    for (int i = 0; i < Rows; ++i)
      if (at[0] + i < s.n[0]) to[i] = without_tiny<Out>(sum[i]);
  }
};

// r = g - D^-1 A x, or D times that where `diagonal` is given, for one unknown a node.
template <class Stencil>
struct Residual : Stencil {
  using T = typename Stencil::Number;
  static constexpr int Rows = Stencil::rows;
  const T *g, *x, *diagonal;
  T* r;
  constexpr const T* source() const { return x; }
  constexpr void operator()(std::int64_t index) const {
    T sum[Rows];
    this->sum_of(x, index * Rows, sum);
    finish(index * Rows, sum, nullptr);
  }
  constexpr void finish(std::int64_t row, T (&sum)[Rows], const InnerRow<T>* inner) const {
    T right[Rows], now[Rows];
    load_streamed(g + row, right);
    load(x + row, now);
    for (int i = 0; i < Rows; ++i) sum[i] = right[i] - now[i] - sum[i];
    if (inner != nullptr) {
      for (int i = 0; i < Rows; ++i) sum[i] *= inner->diagonal;
    } else if (diagonal != nullptr) {
      load_values<Stencil::all>(diagonal + (Stencil::all ? row : this->s.place_of_alike(row)), now);
      for (int i = 0; i < Rows; ++i) sum[i] *= now[i];
    }
    store_result(r + row, sum);
  }
};

template <class From, class To>
struct Convert {
  static constexpr bool light = true;
  const From* from;
  To* to;
  constexpr void operator()(std::int64_t i) const { to[i] = without_tiny<To>(from[i]); }
};

}  // namespace quadrille::multigrid
