// What solves the lines of a colour: their right sides, a row a call, and then a line a call; and what joins
// those whose parts ranks have. Internal to kernels/multigrid.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/multigrid/colours.hpp"
#include "kernels/multigrid/line_factors.hpp"

namespace quadrille::multigrid {

// Lines of a colour, and where their nodes are.
struct Lines {
  Couplings s;
  Colour colour;
  LinePlaces places;
  int before, behind;  // the couplings to the nodes beside, or -1
  Divisor by_length, by_count;

  struct Node {
    int number, stored, factors;  // its own, and where its row and its factors are
  };
  constexpr int length() const { return places.end - places.first; }
  // The couplings of node i within the line, or -1.
  constexpr int before_of(int i) const { return i == places.first ? -1 : before; }
  constexpr int behind_of(int i) const { return i == places.end - 1 ? -1 : behind; }
  constexpr bool find(int number, Node& start) const {
    std::array<int, 3> at{};
    if (!colour.find(number, at)) return false;
    at[places.axis] = 0;
    start.number = s.index(at);
    start.stored = s.stored.all ? start.number : s.stored.index(at[0], at[1], at[2]);
    start.factors = places.place(at);
    return true;
  }
  // Node i of the line whose first one, at 0, is `start`: less to compute than from its position.
  [[gnu::always_inline]] constexpr Node along(const Node& start, int i) const {
    const int axis = places.axis, step = axis == 0 ? 1 : axis == 1 ? s.line : s.line * s.n[1];
    const auto step_of = [axis](const int(&n)[3]) { return axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1]; };
    const int number = start.number + i * step;
    return {number, s.stored.all ? number : start.stored + s.stored.along(axis, i) * step_of(s.stored.n),
            start.factors + i * step_of(places.n)};
  }
};

// y = r of the lines' nodes, a row a call: consecutive ones are beside each other in memory.
template <class T, int Dof, int Count>
struct LineRight {
  Lines lines;
  const T *a, *g, *x;
  T* y;
  constexpr std::int64_t size() const {
    return std::int64_t{lines.length()} * lines.colour.size() * lines.s.dof;
  }
  constexpr void operator()(std::int64_t index) const {
    const int dof = Dof > 0 ? Dof : lines.s.dof,
              at = Dof > 0 ? static_cast<int>(index) / dof : lines.s.node_of(index),
              r = static_cast<int>(index) - at * dof;
    const bool along_x = lines.places.axis == 0;
    const int whole = divide(at, along_x ? lines.by_length : lines.by_count),
              rest = at - whole * (along_x ? lines.length() : static_cast<int>(lines.colour.size())),
              i = lines.places.first + (along_x ? rest : whole);
    Lines::Node start{};
    if (!lines.find(along_x ? whole : rest, start)) return;
    const Lines::Node node = lines.along(start, i);
    y[std::int64_t{node.number} * dof + r] =
        lines.s.any_wraps ? value<true>(node, i, r) : value<false>(node, i, r);
  }
  // Of row r of node i of a line. Wraps: as the couplings say.
  template <bool Wraps>
  constexpr T value(const Lines::Node& node, int i, int r) const {
    const int dof = Dof > 0 ? Dof : lines.s.dof;
    return g[std::int64_t{node.number} * dof + r] -
           beside_without<Wraps, Dof, Count>(lines.s, a + std::int64_t{node.stored} * dof + r, x, node.number,
                                             lines.before_of(i), lines.behind_of(i));
  }
};

// A line a call: y from r in its place forwards, then x backwards. What a few nodes need is loaded before the
// first of them is solved for, for a GPU waits longer for numbers than it computes with them.
template <class T, int Dof>
struct LineSolve {
  static constexpr std::int64_t work = 32;
  static constexpr int most = Dof > 0 ? Dof : InvertBlocks::most, few = Dof == 1 ? 8 : 1;
  Lines lines;
  const T *a, *pivots;
  T *x, *y;

  constexpr int dof() const { return Dof > 0 ? Dof : lines.s.dof; }
  constexpr void operator()(std::int64_t index) const {
    Lines::Node start{};
    if (!lines.find(static_cast<int>(index), start)) return;
    const int first = lines.places.first, end = lines.places.end;
    T solved[most] = {};
    for (int i = first; i < end; i += few) solve_few<1>(start, i, i > first, lines.before, y, solved);
    for (int r = 0; r < dof(); ++r) solved[r] = 0;
    for (int i = end - 1; i >= first; i -= few) solve_few<-1>(start, i, i < end - 1, lines.behind, x, solved);
  }

 private:
  // Forwards y_i = P_i (r_i - L_i y_i-1), backwards x_i = y_i - P_i U_i x_i+1; `has_last`: `solved` is that
  // of the node before, in this direction.
  template <int direction>
  constexpr void solve_few(const Lines::Node& start, int from, bool has_last, int coupling, T* to,
                           T (&solved)[most]) const {
    Numbers numbers[few];
    QUADRILLE_UNROLL
    for (int k = 0; k < few; ++k)
      if (inside(from + direction * k))
        load_node(lines.along(start, from + direction * k), coupling, numbers[k]);
    QUADRILLE_UNROLL
    for (int k = 0; k < few; ++k) {
      if (!inside(from + direction * k)) return;
      const Numbers& n = numbers[k];
      const bool coupled = (has_last || k > 0) && coupling >= 0;
      T now[most] = {}, result[most] = {};
      for (int r = 0; r < dof(); ++r) now[r] = direction > 0 ? n.own[r] : 0;
      for (int c = 0; c < dof() && coupled; ++c)
        for (int r = 0; r < dof(); ++r) now[r] -= of_coupling(n, c, r) * solved[c];
      for (int r = 0; r < dof(); ++r) result[r] = direction > 0 ? 0 : n.own[r];
      for (int c = 0; c < dof(); ++c)
        for (int r = 0; r < dof(); ++r) result[r] += of_pivot(n, c, r) * now[c];
      for (int r = 0; r < dof(); ++r) {
        solved[r] = result[r];
        to[n.first + r] = without_tiny<T>(result[r]);
      }
    }
  }

  // Of one node: its right side or y; of one unknown the numbers of its blocks, else where these are.
  struct Numbers {
    std::int64_t first = 0, row = 0, factors = 0;
    T own[most] = {};
    T coupling = 0, pivot = 0;
  };
  constexpr bool inside(int i) const { return i >= lines.places.first && i < lines.places.end; }
  constexpr void load_node(const Lines::Node& node, int coupling, Numbers& n) const {
    n.first = std::int64_t{node.number} * dof();
    n.row = std::int64_t{coupling < 0 ? 0 : coupling} * dof() * lines.s.stored_rows +
            std::int64_t{node.stored} * dof();
    n.factors = std::int64_t{node.factors} * dof();
    for (int r = 0; r < dof(); ++r) n.own[r] = y[n.first + r];
    if constexpr (Dof == 1) {
      n.coupling = a[n.row];
      n.pivot = pivots[n.factors];
    }
  }
  constexpr T of_coupling(const Numbers& n, int c, int r) const {
    return Dof == 1 ? n.coupling : a[n.row + c * lines.s.stored_rows + r];
  }
  constexpr T of_pivot(const Numbers& n, int c, int r) const {
    return Dof == 1 ? n.pivot : pivots[n.factors + c * std::int64_t{lines.places.nodes()} * dof() + r];
  }
};

// How far the ends of a colour's lines move, a line a call: x, taken away before they are solved for and
// added after.
template <class T>
struct TakeEnds {
  Lines lines;
  LineEnds ends;
  bool solved;
  const T* x;
  T* moves;
  constexpr void operator()(std::int64_t number) const {
    std::array<int, 3> at{};
    if (!lines.colour.find(static_cast<int>(number), at)) return;
    const int line = ends.line(at), dof = ends.dof;
    for (const int end : {0, 1}) {
      at[ends.axis] = ends.end_node(end);
      const T* const from = x + std::int64_t{lines.s.index(at)} * dof;
      T* const to = moves + ends.node(ends.part, end, line) * dof;
      for (int r = 0; r < dof; ++r) to[r] = solved ? to[r] + from[r] : -from[r];
    }
  }
};

// The nodes beside a colour's lines are moved as the ends of all parts say, a line a call.
template <class T>
struct MoveBeside {
  static constexpr std::int64_t work = 8;
  Lines lines;
  LineEnds ends;
  const T *inverse, *moves;
  T* x;
  constexpr void operator()(std::int64_t number) const {
    std::array<int, 3> at{};
    if (!lines.colour.find(static_cast<int>(number), at)) return;
    const int line = ends.line(at), dof = ends.dof, count = ends.lines();
    for (const int side : {0, 1}) {
      if (!ends.goes_on(side)) continue;
      at[ends.axis] = ends.beside(side);
      T* const to = x + std::int64_t{lines.s.index(at)} * dof;
      for (int r = 0; r < dof; ++r) {
        const T* row = inverse + (side * dof + r) * ends.size() + line;
        T sum = 0;
        for (int end = 0; end < 2 * ends.parts; ++end)
          for (int c = 0; c < dof; ++c, row += count)
            sum += *row * moves[(std::int64_t{end} * count + line) * dof + c];
        to[r] += sum;
      }
    }
  }
};

}  // namespace quadrille::multigrid
