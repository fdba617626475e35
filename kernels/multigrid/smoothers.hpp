// Smoothers that change x in place, a colour (colours.hpp) at a time: Gauss-Seidel by nodes (`sor`), and by
// whole lines along each axis in turn (`lines`), whose equations are solved exactly (line_steps.hpp).
// Internal to kernels/multigrid.
//
// Before the coarser grids sweeps go through the axes and colours in order, after them backwards, which is
// the transpose.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/multigrid/line_steps.hpp"

namespace quadrille::multigrid {

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
    const T* const first = a + stored * dof + r;
    x[row] = without_tiny<T>(g[row] - (s.any_wraps
                                           ? beside_without<true, Dof, Count>(s, first, x, node, -1, -1)
                                           : beside_without<false, Dof, Count>(s, first, x, node, -1, -1)));
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
  if (s.dof == 3 && s.count == 26) return body(integral_constant<int, 3>(), integral_constant<int, 26>());
  if (s.dof == 3) return body(integral_constant<int, 3>(), Any());
  if (s.dof == 4) return body(integral_constant<int, 4>(), Any());
  body(Any(), Any());
}

template <class T, class Machine>
struct Level;

// What is beside a rank's parts of lines is moved to where it is once the lines are solved as wholes. `solve`
// solves the parts. Collective.
template <class T, class Machine, class Solve>
void move_beside(Machine& machine, SplitLines<T, typename Machine::Space>& split, const Lines& lines, T* x,
                 const Solve& solve) {
  T* const moves = split.moves.data();
  const std::int64_t count = lines.colour.size();
  machine.for_each(count, TakeEnds<T>{lines, split.ends, false, x, moves});
  solve();
  machine.for_each(count, TakeEnds<T>{lines, split.ends, true, x, moves});
  split.exchange->run(moves, moves, machine.stream());
  machine.for_each(count, MoveBeside<T>{lines, split.ends, split.inverse.data(), moves, x});
}

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
      auto& line = level.in_place.lines[k];
      const int axis = line.places.axis, length = line.places.end - line.places.first;
      const Lines lines{s,
                        colour,
                        line.places,
                        s.star[2 - axis],
                        s.star[3 + axis],
                        divisor(std::max(1, length)),
                        divisor(std::max(1, static_cast<int>(colour.size())))};
      const auto solve = [&] {
        const LineRight<T, dof(), count()> right{lines, level.scaled.data(), level.g.data(), level.x.data(),
                                                 level.y.data()};
        machine.solve_lines(right, LineSolve<T, dof()>{lines, level.scaled.data(), line.pivots.data(),
                                                       level.x.data(), level.y.data()});
      };
      if (!line.split.there()) return solve();
      move_beside(machine, line.split, lines, level.x.data(), solve);
      solve();
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
