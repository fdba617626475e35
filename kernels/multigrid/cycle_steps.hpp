// What a cycle does to the vectors of one level, an element a call. The level's operator A has its rows
// divided by their diagonal blocks D: what is stored is D^-1 A without its diagonal, which is one; or A
// without its diagonal in bf16 (rounded_rows.hpp), and D^-1. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/inner_row.hpp"

namespace quadrille::multigrid {

// Where unknowns are many, a thread of a GPU does some of a node, whose numbers are words where they are two
// or four: what it counts and asks for is the same for all of them. Kinds divide the unknowns of a node.
template <class Body>
constexpr void with_kinds_together(int dof, const Body& body) {
  if (dof % 4 == 0) return body(std::integral_constant<int, 4>());
  if (dof % 2 == 0) return body(std::integral_constant<int, 2>());
  if (dof % 3 == 0) return body(std::integral_constant<int, 3>());
  body(std::integral_constant<int, 1>());
}

// y = B x with blocks [column][stored row], of `Kinds` rows of a node a call.
template <class T, class In, int Kinds>
struct MultiplyBlocks {
  using Number = T;
  static constexpr int rows = Kinds;
  Couplings s;
  const T* blocks;
  const In* x;
  T* y;
  constexpr void operator()(std::int64_t index) const {
    const std::int64_t row = index * Kinds;
    const int node = s.node_of(row);
    multiply<1>(node, static_cast<int>(row - std::int64_t{node} * s.dof), 0);
  }
  // The rows from `kind` on of some nodes that are `apart` from each other and have the same blocks.
  template <int Nodes>
  constexpr void multiply(int node, int kind, int apart) const {
    const std::int64_t first_row = std::int64_t{node} * s.dof, step = std::int64_t{apart} * s.dof;
    const T* column = blocks + s.place(first_row + kind);
    const In* from = x + first_row;
    T sum[Nodes][Kinds] = {};
    for (int first = 0; first < s.dof; first += Kinds, from += Kinds) {
      In own[Nodes][Kinds];
      for (int n = 0; n < Nodes; ++n) load(from + n * step, own[n]);
      QUADRILLE_UNROLL
      for (int c = 0; c < Kinds; ++c, column += s.stored_rows) {
        T values[Kinds];
        if (s.stored.all)
          load_streamed(column, values);
        else
          load(column, values);
        for (int n = 0; n < Nodes; ++n)
          for (int i = 0; i < Kinds; ++i) sum[n][i] += values[i] * static_cast<T>(own[n][c]);
      }
    }
    for (int n = 0; n < Nodes; ++n) store(y + first_row + kind + n * step, sum[n]);
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
// kernels of their own: finish() gets the D of those of one unknown a node, or null. They are templates over
// how the rows are stored.
template <class T, int Rows, int Dof, int Count, bool All, class V = T, class Structure = Couplings>
struct StencilRows {
  using Number = T;
  static constexpr int rows = Rows, dof = Dof, count = Count;
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
  // Of the couplings first, first + step, and so on alone, for one row.
  constexpr T part_of_sum(const T* x, std::int64_t row, int first, int step) const {
    T sum[1];
    beside_diagonal<1, Dof, 0, All>(s, a, x, row, sum, first, step);
    return sum[0];
  }
};

// Rows by kind (by_kind_steps.hpp), some of a node together: a number of all rows of a node is made first,
// most often the sum beside the diagonal, and the node's block D^-1 or D times these.
template <class T, int Kinds>
struct RowsByKind {
  using Number = T;
  static constexpr int rows = Kinds, count = 0;
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
  // Of the rows from `kind` on.
  constexpr void own_sums(const T* x, const Node& node, int kind, T (&sums)[Kinds]) const {
    const T* const own = x + node.first_row + kind;
    const T* const values = a + node.place + kind;
    const auto inside = [&](int d) { return own + s.step[d] * s.dof; };
    const auto around = [&](int d) { return own + s.step_around(node.steps, d) * s.dof; };
    for (T& sum : sums) sum = 0;
    if (s.stored.all)
      node.inside ? add_all(values, inside, sums) : add_all(values, around, sums);
    else if (node.inside && s.count == 6)  // the loads of a star in 3D are on their way at once
      add_few<6>(values, 6, inside, sums);
    else
      node.inside ? add_few<4>(values, s.count, inside, sums) : add_few<4>(values, s.count, around, sums);
  }
  // The same in some planes, one above the other, from that of `node` on, whose rows are the same: `plane` is
  // how far each of these, the one before and the one behind them, is from the first, in rows.
  template <int Planes>
  constexpr void own_sums(const T* x, const Node& node, const int (&plane)[Planes + 2], int kind,
                          T (&sums)[Planes][Kinds]) const {
    const T* const values = a + node.place + kind;
    const auto coupling = [&](int slot, T(&to)[Kinds]) {
      const int d = s.coupling_at(slot);
      for (T& value : to) value = 0;
      if (d >= 0) load_aligned(values + d * s.stored_rows, to);
    };
    for (auto& of_plane : sums)
      for (T& sum : of_plane) sum = 0;
    QUADRILLE_UNROLL
    for (int j = 0; j < 9; ++j) {  // offsets along y and x
      const bool others = s.coupling_at(j) >= 0 || s.coupling_at(18 + j) >= 0;
      if (!others && s.coupling_at(9 + j) < 0) continue;
      const T* const column = x + node.first_row + kind + s.step_around(node.steps, j % 3, j / 3) * s.dof;
      T of_column[Planes + 2][Kinds] = {}, below[Kinds], beside[Kinds], above[Kinds];
      QUADRILLE_UNROLL
      for (int p = 0; p < Planes + 2; ++p)
        if (others || (p > 0 && p <= Planes)) load_aligned(column + plane[p], of_column[p]);
      coupling(j, below);
      coupling(9 + j, beside);
      coupling(18 + j, above);
      QUADRILLE_UNROLL
      for (int p = 0; p < Planes; ++p)
        for (int k = 0; k < Kinds; ++k)
          sums[p][k] +=
              below[k] * of_column[p][k] + beside[k] * of_column[p + 1][k] + above[k] * of_column[p + 2][k];
    }
  }
  // Of blocks [column][stored row]; of_node: aligned as the rows are.
  constexpr void times(const T* blocks, const T* of_node, const Node& node, int kind,
                       T (&sums)[Kinds]) const {
    const T* column = blocks + node.place + kind;
    for (T& sum : sums) sum = 0;
    for (int first = 0; first < s.dof; first += Kinds) {
      T by[Kinds];
      load_aligned(of_node + first, by);
      QUADRILLE_UNROLL
      for (int c = 0; c < Kinds; ++c, column += s.stored_rows) {
        T values[Kinds];
        s.stored.all ? load_streamed(column, values) : load_aligned(column, values);
        for (int k = 0; k < Kinds; ++k) sums[k] += values[k] * by[c];
      }
    }
  }
  // The same in planes, whose numbers are `apart` from each other.
  template <int Planes>
  constexpr void times(const T* blocks, const T* of_node, int apart, const Node& node, int kind,
                       T (&sums)[Planes][Kinds]) const {
    const T* column = blocks + node.place + kind;
    for (auto& of_plane : sums)
      for (T& sum : of_plane) sum = 0;
    for (int first = 0; first < s.dof; first += Kinds) {
      T by[Planes][Kinds];
      for (int p = 0; p < Planes; ++p) load_aligned(of_node + p * apart + first, by[p]);
      QUADRILLE_UNROLL
      for (int c = 0; c < Kinds; ++c, column += s.stored_rows) {
        T values[Kinds];
        load_aligned(column, values);
        for (int p = 0; p < Planes; ++p)
          for (int k = 0; k < Kinds; ++k) sums[p][k] += values[k] * by[p][c];
      }
    }
  }

 private:
  constexpr void add(const T (&values)[Kinds], const T* x, T (&sums)[Kinds]) const {
    T of_neighbour[Kinds];
    load_aligned(x, of_neighbour);
    for (int k = 0; k < Kinds; ++k) sums[k] += values[k] * of_neighbour[k];
  }
  template <class Neighbour>
  constexpr void add_all(const T* values, const Neighbour& neighbour, T (&sums)[Kinds]) const {
#if defined(__CUDA_ARCH__)
#pragma unroll 4
#endif
    for (int d = 0; d < s.count; ++d, values += s.stored_rows) {
      T own[Kinds];
      load_streamed(values, own);
      add(own, neighbour(d), sums);
    }
  }
  template <int Together, class Neighbour>
  constexpr void add_few(const T* values, int count, const Neighbour& neighbour, T (&sums)[Kinds]) const {
#if defined(__CUDA_ARCH__)
#pragma unroll Together
#endif
    for (int d = 0; d < count; ++d, values += s.stored_rows) {
      T own[Kinds];
      load_aligned(values, own);
      add(own, neighbour(d), sums);
    }
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
  constexpr const T* block() const { return this->inverse; }
  constexpr void operator()(std::int64_t index) const {
    T sum[Rows];
    this->sum_of(g, index * Rows, sum);
    finish(index * Rows, sum, nullptr);
  }
  constexpr void finish(std::int64_t row, T (&sum)[Rows], const T*) const {
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
  constexpr const T* block() const { return this->inverse; }
  constexpr void operator()(std::int64_t index) const {
    T sum[Rows];
    this->sum_of(x, index * Rows, sum);
    finish(index * Rows, sum, nullptr);
  }
  constexpr void finish(std::int64_t row, T (&sum)[Rows], const T*) const {
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

// r = b - A x, by kind: D (g - x) less the sums beside the diagonal.
template <class Stencil>
struct ResidualByKind : Stencil {
  using T = typename Stencil::Number;
  static constexpr int Rows = Stencil::rows;
  static constexpr bool of_difference = true;
  const T *g, *x, *diagonal;
  T* r;
  constexpr const T* source() const { return x; }
  constexpr const T* block() const { return diagonal; }
  constexpr void difference(std::int64_t row, T (&to)[Rows]) const {
    T now[Rows];
    load_streamed(g + row, to);
    load(x + row, now);
    for (int i = 0; i < Rows; ++i) to[i] -= now[i];
  }
  // D times the differences, and the sums.
  constexpr void finish(std::int64_t row, T (&times)[Rows], const T (&sum)[Rows]) const {
    for (int i = 0; i < Rows; ++i) times[i] -= sum[i];
    store_result(r + row, times);
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
  constexpr void finish(std::int64_t row, T (&sum)[Rows], const T* of_inner) const {
    T right[Rows], now[Rows];
    load_streamed(g + row, right);
    load(x + row, now);
    for (int i = 0; i < Rows; ++i) sum[i] = right[i] - now[i] - sum[i];
    if (of_inner != nullptr) {
      for (int i = 0; i < Rows; ++i) sum[i] *= *of_inner;
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
