// Smoothers that change x in place, a colour at a time: Gauss-Seidel by nodes (`sor`), and by whole lines
// along each axis in turn (`lines`), whose equations are solved exactly. Internal to kernels/multigrid.
//
// No two nodes, or lines, of a colour are coupled, so that any order within it gives the same bits. Along an
// axis nodes have the values 0 and 1 in turn; the last one of a periodic axis with an odd number of them,
// which is beside the first, has 2. Where couplings are a star the colour of a node is the sum of its values,
// modulo 2 or, where there is a 2, modulo 3; else each triple of values is a colour:
//
//     star   0 1 0 1 0 1      box   0 1 0 1 0 1      odd and periodic, star   0 1 0 1 2
//            1 0 1 0 1 0            2 3 2 3 2 3                               1 2 1 2 0
//            0 1 0 1 0 1            0 1 0 1 0 1                               0 1 0 1 2
//
// Before the coarser grids sweeps go through the axes and colours in order, after them backwards, which is
// the transpose. Lines have the colours of the other two axes. What couples around a periodic axis, or to
// another rank's part of the line, is taken from the old x: the matrix that is solved is still a symmetric
// one.
//
// With D^-1 A = 1 + L + U along a line and x of the other nodes taken to the right side r:
//
//     y_i = P_i (r_i - L_i y_i-1),  x_i = y_i - P_i U_i x_i+1,  P_i = (1 - L_i P_i-1 U_i-1)^-1
#pragma once

#include <algorithm>
#include <vector>

#include "formats/array.hpp"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

// The nodes of a colour, or the first ones of its lines, within what a rank owns. Passed by value.
struct Colour {
  int first[3] = {}, step[3] = {1, 1, 1}, count[3] = {1, 1, 1};
  Divisor by_count[2];
  // Of a star: of two nodes along this axis the one that has the colour, if there is one; else -1.
  int picked = -1, end = 0;
  int modulus = 1, value = 0;
  int shift[3] = {};            // from a position to that in the whole grid
  int values[3] = {1, 1, 1};    // that nodes have along an axis
  int third[3] = {-1, -1, -1};  // the node that has 2

  constexpr std::int64_t size() const { return std::int64_t{count[0]} * count[1] * count[2]; }
  constexpr int value_of(int axis, int at) const {
    const int place = at + shift[axis];
    return values[axis] == 1 ? 0 : place == third[axis] ? 2 : place % 2;
  }
  constexpr bool find(int index, std::array<int, 3>& at) const {
    const int line = divide(index, by_count[0]), z = divide(line, by_count[1]);
    const int number[3] = {index - line * count[0], line - z * count[1], z};
    for (int axis = 0; axis < 3; ++axis) at[axis] = first[axis] + step[axis] * number[axis];
    if (picked < 0) return true;
    int others = 0;
    for (int axis = 0; axis < 3; ++axis) others += axis == picked ? 0 : value_of(axis, at[axis]);
    for (int k = 0; k < 2 && at[picked] < end; ++k, ++at[picked])
      if ((others + value_of(picked, at[picked])) % modulus == value) return true;
    return false;
  }
};

inline bool is_star(const Couplings& s) {
  return std::all_of(s.offset, s.offset + s.count,
                     [](const auto& o) { return (o[0] != 0) + (o[1] != 0) + (o[2] != 0) == 1; });
}

// Those of the nodes that have value v along an axis.
inline void take_value(Colour& colour, int axis, int v) {
  if (colour.values[axis] == 1) return;
  const int own = colour.first[axis], end = own + colour.count[axis], last = colour.third[axis];
  int &first = colour.first[axis], &count = colour.count[axis];
  if (v == 2) {
    first = last - colour.shift[axis];
    count = first >= own && first < end ? 1 : 0;
    return;
  }
  if ((own + colour.shift[axis]) % 2 != v) ++first;
  const bool has_last = last >= 0 && end + colour.shift[axis] == last + 1;
  colour.step[axis] = 2;
  count = std::max(0, (end - (has_last ? 1 : 0) - first + 1) / 2);
}

// Of the nodes that a rank has of a grid that wraps along these axes, or of lines along one of them. Every
// rank has as many.
inline std::vector<Colour> colours_of(const Couplings& s, const BoxRows& box,
                                      const std::array<bool, 3>& wraps, int along = -1) {
  Colour all;
  int picked = -1, most = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const int whole = box.whole[axis];
    all.shift[axis] = box.first[axis];
    all.first[axis] = box.own[axis];
    if (axis == along) continue;
    all.count[axis] = box.own_size[axis];
    if (whole == 1) continue;
    const bool odd = wraps[axis] && whole % 2 == 1;
    all.values[axis] = odd ? 3 : 2;
    all.third[axis] = odd ? whole - 1 : -1;
    most = std::max(most, all.values[axis]);
    if (picked < 0) picked = axis;
  }
  std::vector<Colour> colours;
  if (picked >= 0 && is_star(s)) {
    all.picked = picked;
    all.end = all.first[picked] + all.count[picked];
    all.count[picked] = (all.count[picked] + 1) / 2;
    all.step[picked] = 2;
    all.modulus = most;
    for (all.value = 0; all.value < most; ++all.value) colours.push_back(all);
  } else {
    for (int z = 0; z < all.values[2]; ++z)
      for (int y = 0; y < all.values[1]; ++y)
        for (int x = 0; x < all.values[0]; ++x) {
          colours.push_back(all);
          const int value[3] = {x, y, z};
          for (int axis = 0; axis < 3; ++axis) take_value(colours.back(), axis, value[axis]);
        }
  }
  for (Colour& colour : colours)
    for (const int axis : {0, 1}) colour.by_count[axis] = divisor(std::max(1, colour.count[axis]));
  return colours;
}

// Where the factors of lines along an axis are: where rows are stored few, those of all nodes along it and of
// the stored ones of the other axes.
struct LinePlaces {
  int axis = 0, n[3] = {1, 1, 1}, first = 0, end = 0;  // the part of a line that a rank has
  StoredNodes few;
  LinePlaces() = default;
  LinePlaces(const Couplings& s, int axis) : axis(axis), few(s.stored) {
    first = s.shared ? s.own[axis] : 0;
    end = s.shared ? s.own_end[axis] : s.n[axis];
    few.n[axis] = few.low[axis] = axis == 0 ? s.line : s.n[axis];
    few.high[axis] = few.left_out[axis] = 0;
    for (int k = 0; k < 3; ++k) n[k] = !few.all ? few.n[k] : k == 0 ? s.line : s.n[k];
  }
  constexpr int nodes() const { return n[0] * n[1] * n[2]; }
  constexpr int lines() const { return nodes() / n[axis]; }
  constexpr int place(const std::array<int, 3>& at) const {
    return few.all ? (at[2] * n[1] + at[1]) * n[0] + at[0] : few.index(at[0], at[1], at[2]);
  }
  // The first nodes of the grid with these factors.
  constexpr std::array<int, 3> line(int number) const {
    const int fast = axis == 0 ? 1 : 0, slow = axis == 2 ? 1 : 2, i = number % n[fast], k = number / n[fast];
    std::array<int, 3> at{};
    at[axis] = first;
    at[fast] = few.all ? i : few.first(fast, i);
    at[slow] = few.all ? k : few.first(slow, k);
    return at;
  }
};

template <class T, class Space>
struct LineFactors {
  LinePlaces places;
  Array<T, Space> pivots;  // P, [column][row of a place]
};

template <class Space, class T>
std::vector<LineFactors<T, Space>> copies(const std::vector<LineFactors<T, Host>>& lines) {
  std::vector<LineFactors<T, Space>> made;
  for (const auto& line : lines) made.push_back({line.places, copy_to<Space>(line.pivots)});
  return made;
}

// P of a line a call, from A itself: with W_i = D_i - A_i,i-1 W_i-1^-1 A_i-1,i it is W_i^-1 D_i.
template <class T>
struct MakePivots {
  static constexpr std::int64_t work = 64;
  Couplings s;
  LinePlaces places;
  int before, behind;    // numbers of the block diagonals that lead to the nodes beside, or -1
  const double* values;  // of the stored rows
  double* inverse;       // W^-1, as the pivots are
  T* pivots;

  constexpr std::int64_t rows() const { return std::int64_t{places.nodes()} * s.dof; }
  constexpr double value(int diagonal, int r, int c, const std::array<int, 3>& at) const {
    const std::int64_t node = s.stored.all ? s.index(at) : s.stored.index(at[0], at[1], at[2]);
    return values[(std::int64_t{diagonal} * s.dof + c) * s.stored_rows + node * s.dof + r];
  }
  constexpr void operator()(std::int64_t number) const {
    std::array<int, 3> at = places.line(static_cast<int>(number)), last = at;
    for (int i = places.first; i < places.end; ++i) {
      at[places.axis] = i;
      const std::int64_t place = places.place(at), first = place * s.dof;
      for (int c = 0; c < s.dof; ++c)
        for (int r = 0; r < s.dof; ++r) inverse[c * rows() + first + r] = value(s.centre, r, c, at);
      if (i > places.first && before >= 0 && behind >= 0) subtract(first, at, last);
      InvertBlocks{s.dof, rows(), inverse, inverse}(place);
      for (int c = 0; c < s.dof; ++c)
        for (int r = 0; r < s.dof; ++r) {
          double sum = 0;
          for (int k = 0; k < s.dof; ++k) sum += inverse[k * rows() + first + r] * value(s.centre, k, c, at);
          pivots[c * rows() + first + r] = static_cast<T>(sum);
        }
      last = at;
    }
  }

 private:
  constexpr void subtract(std::int64_t first, const std::array<int, 3>& at,
                          const std::array<int, 3>& last) const {
    const std::int64_t before_first = std::int64_t{places.place(last)} * s.dof;
    double column[InvertBlocks::most] = {};
    for (int c = 0; c < s.dof; ++c) {
      for (int r = 0; r < s.dof; ++r) {
        column[r] = 0;
        for (int k = 0; k < s.dof; ++k)
          column[r] += inverse[k * rows() + before_first + r] * value(behind, k, c, last);
      }
      for (int r = 0; r < s.dof; ++r)
        for (int k = 0; k < s.dof; ++k)
          inverse[c * rows() + first + r] -= value(before, r, k, at) * column[k];
    }
  }
};

// Of lines along the axes that have more than one node in the whole grid. take(size) gives the arrays.
template <class T, class Machine, class Take>
std::vector<LineFactors<T, typename Machine::Space>> line_factors(Machine& machine, const Couplings& s,
                                                                  const GridSize& whole, const double* values,
                                                                  const Take& take) {
  std::vector<LineFactors<T, typename Machine::Space>> factors;
  const auto diagonal = [&](int coupling) { return coupling < 0 ? -1 : s.diagonal[coupling]; };
  for (int axis = 0; axis < 3; ++axis) {
    if (whole.n[axis] == 1) continue;
    const LinePlaces places(s, axis);
    const std::int64_t size = std::int64_t{places.nodes()} * s.dof * s.dof;
    Array<double, typename Machine::Space> inverse(size);
    factors.push_back({places, take(size)});
    machine.for_each(places.lines(),
                     MakePivots<T>{s, places, diagonal(s.star[2 - axis]), diagonal(s.star[3 + axis]), values,
                                   inverse.data(), factors.back().pivots.data()});
  }
  return factors;
}

// Of a row of D^-1 A beside the diagonal, `a` its first number, times x; without two of the couplings.
template <int Dof, int Count, class T>
constexpr T beside_without(const Couplings& s, const T* a, const T* x, int node, int one, int other) {
  const int dof = Dof > 0 ? Dof : s.dof, count = Count > 0 ? Count : s.count;
  T sum = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll(Count > 0 ? Count : 4)
#endif
  for (int d = 0; d < count; ++d) {
    if (d == one || d == other) continue;
    const T *const from = x + std::int64_t{s.neighbour(node, d)} * dof, *const first = a + std::int64_t{d} *
                                                                                               dof *
                                                                                               s.stored_rows;
    for (int c = 0; c < dof; ++c) sum += first[c * s.stored_rows] * from[c];
  }
  return sum;
}

// x = g - (D^-1 A - 1) x at the nodes of a colour, a row a call. The rows of a node do not see each other.
template <class T, int Dof, int Count>
struct ColourStep {
  Couplings s;
  Colour colour;
  const T *a, *g;
  T* x;
  constexpr void operator()(std::int64_t index) const {
    const int dof = Dof > 0 ? Dof : s.dof, i = static_cast<int>(index),
              number = Dof > 0 ? i / dof : s.node_of(index), r = i - number * dof;
    std::array<int, 3> at{};
    if (!colour.find(number, at)) return;
    const int node = s.index(at);
    const std::int64_t stored = s.stored.all ? node : s.stored.index(at[0], at[1], at[2]),
                       row = std::int64_t{node} * dof + r;
    x[row] = without_tiny<T>(g[row] - beside_without<Dof, Count>(s, a + stored * dof + r, x, node, -1, -1));
  }
};

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
  constexpr Node along(const Node& start, int i) const {
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
    const std::int64_t row = std::int64_t{node.number} * dof + r;
    y[row] = g[row] - beside_without<Dof, Count>(lines.s, a + std::int64_t{node.stored} * dof + r, x,
                                                 node.number, i == lines.places.first ? -1 : lines.before,
                                                 i == lines.places.end - 1 ? -1 : lines.behind);
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

// x as the operator's user has it, without nodes behind lines.
template <class T>
struct ToUser {
  static constexpr bool light = true;
  Couplings s;
  const T* x;
  double* to;
  constexpr void operator()(std::int64_t row) const {
    std::int64_t place = row;
    if (s.padded()) {
      const std::array<int, 3> at = s.position(static_cast<int>(row));
      if (at[0] >= s.n[0]) return;
      place = s.natural(at);
    }
    to[place] = without_tiny<double>(x[row]);
  }
};

constexpr bool works_in_place(LevelSmoother smoother) {
  return smoother == LevelSmoother::sor || smoother == LevelSmoother::lines;
}

// Of a level whose smoother works in place; else there is none.
template <class T, class Space>
struct InPlace {
  int sweeps = 0;
  std::vector<std::vector<Colour>> colours;  // of the nodes, or of the lines along each axis
  std::vector<LineFactors<T, Space>> lines;  // none for nodes
  bool there() const { return sweeps > 0; }
};

template <class T, class Space>
InPlace<T, Space> in_place(const Couplings& s, const BoxRows& box, const std::array<bool, 3>& wraps,
                           int sweeps, std::vector<LineFactors<T, Space>> lines) {
  InPlace<T, Space> made{sweeps, {}, std::move(lines)};
  for (const auto& each : made.lines) made.colours.push_back(colours_of(s, box, wraps, each.places.axis));
  if (made.lines.empty()) made.colours.push_back(colours_of(s, box, wraps));
  return made;
}

// body(Dof, Count): with the numbers that there are instances for.
template <class Body>
void with_dof_and_count(const Couplings& s, const Body& body) {
  using std::integral_constant;
  const auto of_one = [&](auto count) { return body(integral_constant<int, 1>(), count); };
  using Any = integral_constant<int, 0>;
  if (s.dof == 1 && s.count == 4) return of_one(integral_constant<int, 4>());
  if (s.dof == 1 && s.count == 6) return of_one(integral_constant<int, 6>());
  if (s.dof == 1 && s.count == 8) return of_one(integral_constant<int, 8>());
  if (s.dof == 1 && s.count == 26) return of_one(integral_constant<int, 26>());
  if (s.dof == 1) return of_one(Any());
  if (s.dof == 2) return body(integral_constant<int, 2>(), Any());
  if (s.dof == 3) return body(integral_constant<int, 3>(), Any());
  if (s.dof == 4) return body(integral_constant<int, 4>(), Any());
  body(Any(), Any());
}

template <class T, class Machine>
struct Level;

// Sweeps before the coarser grids, or after them.
template <class T, class Machine>
void smooth_in_place(Machine& machine, Level<T, Machine>& level, bool before) {
  const Couplings& s = level.couplings;
  const auto step = [&](std::size_t k, const Colour& colour) {
    need_layers(machine, level, 1);
    with_dof_and_count(s, [&](auto dof, auto count) {
      if (level.in_place.lines.empty())
        return machine.for_each(
            colour.size() * s.dof,
            ColourStep<T, dof(), count()>{s, colour, level.scaled.data(), level.g.data(), level.x.data()});
      const auto& line = level.in_place.lines[k];
      const int axis = line.places.axis, length = line.places.end - line.places.first;
      const Lines lines{s,
                        colour,
                        line.places,
                        s.star[2 - axis],
                        s.star[3 + axis],
                        divisor(std::max(1, length)),
                        divisor(std::max(1, static_cast<int>(colour.size())))};
      const LineRight<T, dof(), count()> right{lines, level.scaled.data(), level.g.data(), level.x.data(),
                                               level.y.data()};
      machine.for_each(right.size(), right);
      machine.for_each(colour.size(), LineSolve<T, dof()>{lines, level.scaled.data(), line.pivots.data(),
                                                          level.x.data(), level.y.data()});
    });
    if (level.shared) level.right_layers = 0;  // its own nodes alone
  };
  const auto& colours = level.in_place.colours;
  for (int sweep = 0; sweep < level.in_place.sweeps; ++sweep)
    for (std::size_t i = 0; i < colours.size(); ++i) {
      const std::size_t k = before ? i : colours.size() - 1 - i;
      for (std::size_t c = 0; c < colours[k].size(); ++c)
        step(k, colours[k][before ? c : colours[k].size() - 1 - c]);
    }
}

}  // namespace quadrille::multigrid
