// The equations of lines of nodes along an axis, factored once for all sweeps (line_steps.hpp). Internal to
// kernels/multigrid.
//
// With D^-1 A = 1 + L + U along a line and what the other nodes give taken to the right side r:
//
//     y_i = P_i (r_i - L_i y_i-1),  x_i = y_i - P_i U_i x_i+1,  P_i = (1 - L_i P_i-1 U_i-1)^-1
//
// A line that constants are mapped to zero by, as one that is all of a closed grid, has no W of its last node
// but rounding: that node is then held at 0.
//
// What couples around a periodic axis is taken from the old x: the matrix that is solved is still a symmetric
// one. Where ranks have parts of a line, these are factored, and joined by their ends (line_ends.hpp).
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "formats/array.hpp"
#include "kernels/multigrid/coarsening_steps.hpp"
#include "kernels/multigrid/line_ends.hpp"
#include "kernels/multigrid/setup_steps.hpp"
#include "kernels/multigrid/shared_level.hpp"

namespace quadrille::multigrid {

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
  SplitLines<T, Space> split = {};
};

template <class Space, class T>
std::vector<LineFactors<T, Space>> copies(const std::vector<LineFactors<T, Host>>& lines) {
  std::vector<LineFactors<T, Space>> made;
  for (const auto& line : lines) made.push_back({line.places, copy_to<Space>(line.pivots)});  // not split
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
      if (i > places.first && before >= 0 && behind >= 0) {
        subtract(first, at, last);
        drop_rounding(first, at);
      }
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
  // Unknowns of which elimination left nothing: InvertBlocks has zeros for them.
  constexpr void drop_rounding(std::int64_t first, const std::array<int, 3>& at) const {
    constexpr double rounding = 1e-11;
    for (int k = 0; k < s.dof; ++k) {
      if (absolute(inverse[k * rows() + first + k]) > rounding * absolute(value(s.centre, k, k, at)))
        continue;
      for (int i = 0; i < s.dof; ++i) inverse[k * rows() + first + i] = inverse[i * rows() + first + k] = 0;
    }
  }
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

// How the ends of a part of a line move when an unknown of the node beside it, before (side 0) or behind,
// moves by 1; a line a call. With A as W_i and what is beside those, once forwards and once backwards.
template <class T>
struct MoveEnds {
  static constexpr std::int64_t work = 64;
  MakePivots<T> line;
  LineEnds ends;
  int side, unknown;
  double *forwards, *moves;  // forwards: of the rows of all places

  constexpr void operator()(std::int64_t number) const {
    const int dof = ends.dof, axis = ends.axis, first = ends.end_node(0), last = ends.end_node(1);
    std::array<int, 3> at = ends.at(static_cast<int>(number));
    double now[InvertBlocks::most] = {}, before[InvertBlocks::most] = {};
    for (int i = first; i <= last; ++i) {
      at[axis] = i;
      double* const to = forwards + std::int64_t{line.places.place(at)} * dof;
      const int diagonal = side == 0 ? line.before : line.behind;
      for (int r = 0; r < dof; ++r) {
        now[r] = i == ends.end_node(side) && diagonal >= 0 ? -line.value(diagonal, r, unknown, at) : 0;
        for (int c = 0; c < dof && i > first && line.before >= 0; ++c)
          now[r] -= line.value(line.before, r, c, at) * before[c];
        to[r] = now[r];
      }
      multiply_inverse(at, now, before);
    }
    for (int i = last; i >= first; --i) {
      at[axis] = i;
      const double* const from = forwards + std::int64_t{line.places.place(at)} * dof;
      for (int r = 0; r < dof; ++r) {
        now[r] = from[r];
        for (int c = 0; c < dof && i < last && line.behind >= 0; ++c)
          now[r] -= line.value(line.behind, r, c, at) * before[c];
      }
      multiply_inverse(at, now, before);
      for (const int end : {0, 1})
        for (int r = 0; r < dof && i == ends.end_node(end); ++r)
          moves[ends.node(ends.part, end, static_cast<int>(number)) * dof + r] = before[r];
    }
  }

 private:
  // to = W^-1 of a node
  constexpr void multiply_inverse(const std::array<int, 3>& at, const double* of, double* to) const {
    const std::int64_t first = std::int64_t{line.places.place(at)} * ends.dof;
    for (int r = 0; r < ends.dof; ++r) {
      to[r] = 0;
      for (int c = 0; c < ends.dof; ++c) to[r] += line.inverse[c * line.rows() + first + r] * of[c];
    }
  }
};

// Collective.
template <class T, class Machine>
SplitLines<T, typename Machine::Space> split_lines(Machine& machine, const MakePivots<T>& line,
                                                   const SharedLevel& shared) {
  using Space = typename Machine::Space;
  auto split =
      split_lines<T, Space>(*shared.ranks, shared.partition, shared.box, line.places.axis, line.s.dof);
  if (!split.there()) return split;
  const LineEnds& ends = split.ends;
  std::vector<Array<double>> by_one;
  Array<double, Space> forwards(line.rows()), moves(ends.size());
  for (const int side : {0, 1})
    for (int unknown = 0; unknown < ends.dof; ++unknown) {
      machine.for_each(ends.lines(), MoveEnds<T>{line, ends, side, unknown, forwards.data(), moves.data()});
      split.exchange->run(moves.data(), moves.data(), machine.stream());
      by_one.push_back(copy_to<Host>(moves));
    }
  Array<T> inverse(2 * ends.dof * ends.size());
#pragma omp parallel for schedule(static)
  for (int i = 0; i < ends.lines(); ++i) invert_ends(ends, by_one, i, inverse.data());
  split.inverse = copy_to<Space>(inverse);
  return split;
}

// Of lines along the axes that have more than one node in the whole grid; `shared` where ranks share that.
template <class T, class Machine>
std::vector<LineFactors<T, typename Machine::Space>> line_factors(Machine& machine, const Couplings& s,
                                                                  const GridSize& whole, const double* values,
                                                                  const SharedLevel* shared = nullptr) {
  std::vector<LineFactors<T, typename Machine::Space>> factors;
  const auto diagonal = [&](int coupling) { return coupling < 0 ? -1 : s.diagonal[coupling]; };
  for (int axis = 0; axis < 3; ++axis) {
    if (whole.n[axis] == 1) continue;
    const LinePlaces places(s, axis);
    const std::int64_t size = std::int64_t{places.nodes()} * s.dof * s.dof;
    Array<double, typename Machine::Space> inverse(size);
    Array<T, typename Machine::Space> pivots(size);
    const MakePivots<T> line{s,
                             places,
                             diagonal(s.star[2 - axis]),
                             diagonal(s.star[3 + axis]),
                             values,
                             inverse.data(),
                             pivots.data()};
    machine.for_each(places.lines(), line);
    factors.push_back({places, std::move(pivots)});
    if (shared != nullptr) factors.back().split = split_lines(machine, line, *shared);
  }
  return factors;
}

}  // namespace quadrille::multigrid
