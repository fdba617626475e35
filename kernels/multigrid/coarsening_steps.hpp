// What finds the next coarser grid, an element a call. Internal to kernels/multigrid.
#pragma once

#include <limits>

#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

// Of unknown c's row, whose values begin at `of_row` in each column: the column whose couplings tell what is
// smooth for it. Its own, where one of them has the sign of a Laplacian's; else, as of an equation of order
// four that is written as two, the one whose couplings to neighbours add up to the most. A mass matrix, as
// P^T A P makes of a number at a node, has none of that sign.
constexpr int told_by(const Couplings& s, const double* of_row, int c) {
  if (s.dof == 1 || s.by_kind) return c;
  const auto value = [&](int diagonal, int column) {
    return of_row[(std::int64_t{diagonal} * s.dof + column) * s.stored_rows];
  };
  const double centre = value(s.centre, c);
  for (int d = 0; d < s.count; ++d)
    if (value(s.diagonal[d], c) * centre < -1e-12 * centre * centre) return c;
  int column = c;
  double most = 0;
  for (int other = 0; other < s.dof; ++other) {
    if (other == c) continue;
    double sum = 0, size = 0;
    for (int d = 0; d < s.count; ++d) {
      sum += value(s.diagonal[d], other);
      size += absolute(value(s.diagonal[d], other));
    }
    if (absolute(sum) <= most || 2 * absolute(sum) < size) continue;
    most = absolute(sum);
    column = other;
  }
  return column;
}

// What a row couples with along each axis, downwards and upwards, with the sign changed, its diagonal, and
// the sum of its couplings. Of one column of its blocks; `of_row` is where its values begin in each column.
struct AlongAxes {
  double centre = 0, beside = 0, down[3] = {}, up[3] = {};
};
constexpr AlongAxes along_axes(const Couplings& s, const double* of_row, std::int64_t column) {
  AlongAxes a;
  const auto value = [&](int diagonal) {
    return of_row[(std::int64_t{diagonal} * s.dof + column) * s.stored_rows];
  };
  a.centre = value(s.centre);
  with_couplings(
      s, [&](int d) { return value(s.diagonal[d]); },
      [&](int, int x, int y, int z, double coupling) {
        a.beside += coupling;
        const int offset[3] = {x, y, z};
        QUADRILLE_UNROLL
        for (int axis = 0; axis < 3; ++axis) {
          a.down[axis] -= offset[axis] < 0 ? coupling : 0;
          a.up[axis] -= offset[axis] > 0 ? coupling : 0;
        }
      });
  return a;
}

// Where the nodes of a level stand on its axes; of a box that is a part of one, on the whole axes. Passed by
// value.
struct WholeAxes {
  int first[3] = {}, n[3] = {1, 1, 1};
  bool wraps[3] = {};
  constexpr int place(int axis, int at) const {
    const int on_axis = first[axis] + at;
    if (!wraps[axis]) return on_axis;
    return on_axis < 0 ? on_axis + n[axis] : on_axis >= n[axis] ? on_axis - n[axis] : on_axis;
  }
};

// Sums over own nodes: how strongly they couple along each axis, as parts of their diagonal (so that a few
// large coefficients do not outweigh all others), and, of the nodes of each face, what their rows miss there,
// that is their sums, and what they have inwards instead. Of several unknowns it is the row of the one that
// misses the least: an interpolation that goes to 0 in a face spoils the unknowns that have no value there,
// one that goes on spoils the others less. And how little what is smooth goes on evenly there: how far a body
// that ends may turn, of which unknown k is the displacement along axis k, and what rows of other unknowns
// have inwards that see a value. Of such nodes those where faces meet are left out.
struct AxisSums {
  // A row that misses more than this of what it has inwards sees a value behind the face.
  static constexpr double held_share = 0.5;
  // [axis], then [axis][side][missing, inwards, uneven], then [axis][on, back], what the nodes before the
  // last ones couple with those and with the ones before. Of axes that wrap instead of missing and inwards
  // what nodes beside the seam that are between coarse ones couple with the next node and with the one
  // before: the second node and the last one, or the first of an odd number (grid/axis_interpolation.hpp:
  // nested_interpolation).
  static constexpr int of_side = 3, count = 3 + 6 * of_side + 6;
  Couplings s;
  const double* values;
  WholeAxes axes;
  static constexpr int of_face(int axis, int side) { return 3 + of_side * (2 * axis + side); }
  static constexpr int before_last(int axis) { return of_face(3, 0) + 2 * axis; }
  constexpr std::int64_t size() const { return s.stored_rows; }
  constexpr void add(std::int64_t number, double (&sums)[count]) const {
    const int node = s.node_of(number), c = static_cast<int>(number - std::int64_t{node} * s.dof);
    if (!s.owns(node)) return;                         // all nodes of a shared box are stored
    if (s.stored_position(node)[0] >= s.n[0]) return;  // behind a line
    const double* const of_row = values + number;
    const std::int64_t column = told_by(s, of_row, c);
    const AlongAxes row = along_axes(s, of_row, column);
    // Of another column as large as the couplings, and of the other sign.
    add_row(node, row, column == c ? row.centre : -row.beside, sums);
  }
  constexpr void add_row(int node, const AlongAxes& row, double diagonal, double (&sums)[count]) const {
    if (diagonal == 0 || is_of_face_alone(node, row)) return;
    const double part = s.stored_count(node) / diagonal;
    QUADRILLE_UNROLL
    for (int axis = 0; axis < 3; ++axis) sums[axis] += part * (row.down[axis] + row.up[axis]);
  }

  // The nodes of the six faces and of the planes before the last ones, one after the other, apart from the
  // rows: sums of so few keep no registers there.
  constexpr std::int64_t size_at_faces() const {
    std::int64_t all = 0;
    for (int axis = 0; axis < 3; ++axis) all += planes * nodes_of_face(axis);
    return all;
  }
  constexpr void add_at_face(std::int64_t number, double (&sums)[count]) const {
    int axis = 0;
    while (number >= planes * nodes_of_face(axis)) number -= planes * nodes_of_face(axis++);
    const int side = static_cast<int>(number / nodes_of_face(axis)), place = place_of_plane(axis, side);
    const int in_face = static_cast<int>(number - side * nodes_of_face(axis)),
              node = node_at(axis, place, in_face);
    if (place < 0 || node < 0 || !s.owns(node) || s.stored_position(node)[0] >= s.n[0]) return;
    if (side == 2) {
      double on = 0, back = 0;
      add_next(node, s.stored_count(node), axis, on, back);
      QUADRILLE_UNROLL
      for (int a = 0; a < 3; ++a) {
        sums[before_last(a)] += a == axis ? on : 0;
        sums[before_last(a) + 1] += a == axis ? back : 0;
      }
      return;
    }
    const double turns = axes.wraps[axis] ? 0 : turning(node, axis);
    if (turns != 0 && is_at_edge(node, axis)) return;
    double first = 0, second = 0, third = 0;
    if (axes.wraps[axis]) {
      add_next(node, s.stored_count(node), axis, first, second);
    } else {
      const double held = add_face(node, s.stored_count(node), axis, side == 0 ? 1 : -1, first, second);
      third = s.stored_count(node) * (turns + (is_at_edge(node, axis) ? 0 : held));
    }
    QUADRILLE_UNROLL
    for (int face = 0; face < 6; ++face) {
      sums[of_face(0, face)] += face == 2 * axis + side ? first : 0;
      sums[of_face(0, face) + 1] += face == 2 * axis + side ? second : 0;
      sums[of_face(0, face) + 2] += face == 2 * axis + side ? third : 0;
    }
  }

 private:
  // Whether a row at a face couples with the node inwards of it and nothing else, as a condition does that is
  // written there in place of the PDE: that says nothing of how strong axes are.
  constexpr bool is_of_face_alone(int node, const AlongAxes& row) const {
    int couplings = 0, axis_of = 0;
    bool upwards = false;
    QUADRILLE_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      couplings += (row.down[axis] != 0) + (row.up[axis] != 0);
      if (row.down[axis] != 0 || row.up[axis] != 0) axis_of = axis, upwards = row.up[axis] != 0;
    }
    if (couplings != 1 || axes.wraps[axis_of]) return false;
    const int on_axis = axes.place(axis_of, s.stored_position(node)[axis_of]);
    return upwards ? on_axis == 0 : on_axis == axes.n[axis_of] - 1;
  }
  constexpr int stored_along(int axis) const { return s.stored.all ? s.n[axis] : s.stored.n[axis]; }
  constexpr std::int64_t nodes_of_face(int axis) const {
    if (axes.n[axis] == 1) return 0;
    return std::int64_t{stored_along(axis == 0 ? 1 : 0)} * stored_along(axis == 2 ? 1 : 2);
  }
  static constexpr int planes = 3;  // of an axis: the sides, and the one before the last
  // Where in this rank's nodes is what a plane of the whole grid sums over, or -1.
  constexpr int place_of_plane(int axis, int plane) const {
    const int last = axes.n[axis] - 1, low = s.shared ? s.own[axis] : 0,
              end = s.shared ? s.own_end[axis] : s.n[axis];
    if (axes.wraps[axis] && (plane == 2 || (plane == 1 && last % 2 == 0))) return -1;
    if (plane == 2 && last < 2) return -1;
    const int on_axis = plane == 2 ? last - 1 : plane == 1 ? last : axes.wraps[axis] ? last % 2 : 0;
    for (int around = -1; around <= 1; ++around)
      if (const int at = on_axis - axes.first[axis] + around * axes.n[axis];
          at >= low && at < end && (around == 0 || axes.wraps[axis]))
        return at;
    return -1;
  }
  // Whether another face meets this one there, which has its own in such rows: on coarse grids those are
  // many.
  constexpr bool is_at_edge(int node, int axis) const {
    const std::array<int, 3> at = s.stored_position(node);
    for (int other = 0; other < 3; ++other) {
      if (other == axis || axes.wraps[other] || axes.n[other] < 3) continue;
      const int on_axis = axes.place(other, at[other]);
      if (on_axis == 0 || on_axis == axes.n[other] - 1) return true;
    }
    return false;
  }
  // The number among stored nodes of one in the face at that place, or -1 where another's rows stand for it.
  constexpr int node_at(int axis, int place, int in_face) const {
    if (place < 0) return -1;
    const int first = axis == 0 ? 1 : 0, lines = stored_along(first), second = in_face / lines;
    std::array<int, 3> at{};
    at[axis] = s.stored.all ? place : s.stored.along(axis, place);
    at[first] = in_face - second * lines;
    at[axis == 2 ? 1 : 2] = second;
    if (s.stored.all) return s.index(at);
    return s.stored.first(axis, at[axis]) == place ? (at[2] * s.stored.n[1] + at[1]) * s.stored.n[0] + at[0]
                                                   : -1;
  }
  // The mean of what two nodes couple with each other, for advection says nothing of their distance; where
  // one of them does not, as a row that holds a value, what the other one does.
  static constexpr double coupling_of_both(double own, double other) {
    constexpr double nothing = 1e-10;
    if (absolute(other) <= nothing * absolute(own)) return own;
    return absolute(own) <= nothing * absolute(other) ? other : 0.5 * (own + other);
  }
  constexpr void add_next(int node, double times, int axis, double& on, double& back) const {
    const std::array<int, 3> at = s.stored_position(node);
    for (int d = 0; d < s.count; ++d) {
      const signed char* const o = s.offset[d];
      const int opposite = s.box[(1 - o[2]) * 9 + (1 - o[1]) * 3 + 1 - o[0]];
      if (o[axis] == 0 || !s.leads_inside(at, d)) continue;
      const std::int64_t there = s.place_beside(at, s.index(at), d);
      for (int c = 0; c < s.dof; ++c) {
        const auto entry = [&](std::int64_t diagonal, std::int64_t place) {
          return values[(diagonal * s.dof + c) * s.stored_rows + place + c];
        };
        const double own = entry(s.diagonal[d], std::int64_t{node} * s.dof),
                     other = opposite < 0 ? 0 : entry(opposite, there);
        (o[axis] > 0 ? on : back) -= times * coupling_of_both(own, other);
      }
    }
  }
  // A body turns in the plane of two axes by u_axis = h_k x_k, u_k = -h_axis x_axis, which does nothing to
  // rows of an end of it: those of u_k have as much of the one as of the other, whatever spacings h are.
  constexpr double turning(std::int64_t node, int axis) const {
    if (s.by_kind || s.dof < (axes.n[2] > 1 ? 3 : 2)) return 0;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      if (k == axis || axes.n[k] == 1) continue;
      const double* const of_row = values + node * s.dof + k;
      double of_axis = 0, of_k = 0;
      for (int d = 0; d < s.count; ++d) {
        const std::int64_t column = std::int64_t{s.diagonal[d]} * s.dof;
        of_axis += s.offset[d][k] * of_row[(column + axis) * s.stored_rows];
        of_k += s.offset[d][axis] * of_row[(column + k) * s.stored_rows];
      }
      const double both = of_axis * of_k > 0 ? 1 : -1, less = absolute(of_axis), other = absolute(of_k);
      sum += both * (less < other ? less : other);
    }
    return sum;
  }
  // Returns what rows that see a value have inwards.
  constexpr double add_face(std::int64_t node, double times, int axis, int inwards, double& missing_of_all,
                            double& in_of_all) const {
    double least = std::numeric_limits<double>::infinity(), missing_of_least = 0, in_of_least = 0, held = 0;
    bool some_alone = false;
    for (int c = 0; c < s.dof; ++c) {
      const double* const of_row = values + node * s.dof + c;
      const std::int64_t column = told_by(s, of_row, c);
      double missing = of_row[(s.centre * s.dof + column) * s.stored_rows], in = 0;
      bool alone = true;  // a row that couples with nothing misses nothing, and holds a value
      for (int d = 0; d < s.count; ++d) {
        const double value = of_row[(s.diagonal[d] * s.dof + column) * s.stored_rows];
        alone = alone && value == 0;
        missing += value;
        if (s.offset[d][axis] == inwards) in -= value;
      }
      if (alone) missing = 0;
      some_alone = some_alone || alone;
      if (column != c && in < 0) missing = -missing, in = -in;
      const double ratio = in > 0 ? missing / in : std::numeric_limits<double>::infinity();
      if (in > 0 && missing > held_share * in) held += in;
      if (c > 0 && ratio >= least) continue;
      least = ratio;
      missing_of_least = missing;
      in_of_least = in;
    }
    missing_of_all += times * missing_of_least;
    in_of_all += times * in_of_least;
    return some_alone ? held + in_of_least : held;
  }
};

// The coarse nodes of an axis, first <= c < end, around which nothing is left to tables: every node stays,
// node c + shift, or every other one, node 2 c + shift, each between two that stay beside it; and what its
// readers couple with is there without going around the axis.
struct RegularNodes {
  int first = 0, end = 0, shift = 0;
  bool halved = false;
};
// Of a coarse node there, as AxisInterpolation and GalerkinAxis have it: fine node `reader` of three, which
// couples with the one at `offset`, both 0..2; that one reads the coarse node at offset q as this one of its
// two, or not (-1). Where every node stays it is the reader 0.
constexpr int regular_corner(bool halved, int reader, int offset, int q) {
  if (!halved) return reader == 0 && offset == q ? 0 : -1;
  const int place = reader + offset - 2, twice = 2 * (q - 1);  // of fine nodes, from the coarse one on
  return place == twice || place == twice + 1 ? 0 : place == twice - 1 ? 1 : -1;
}

// An axis without a way around where coarse node j is fine node 2 j + first, and the fine nodes beside it lie
// between it and the coarse ones beside it: of each coarse node the weights, on it and on the coarse node
// beyond, of the fine node before it and of the one behind it.
struct HalvedAxis {
  const double* weights = nullptr;  // [coarse node][4]; null: it is another axis
  int first = 0;
};

// Between a grid and the next coarser one, where every other node along some axes is a coarse one: the tables
// of AxisInterpolation, and the weights of every fine row where they are not the products of the tables.
struct Nodes {
  const std::int32_t *node[3], *first[3], *reader[3];
  const double* weight[3];
  const std::int8_t* off[3];  // [fine node]: between coarse nodes
  int fine_n[3], coarse_n[3];
  int corners;
  const double* weights;  // [corner][fine row], or null
  // The readers of each coarse node, [reader][coarse], and of what they couple with in the neighbours of that
  // coarse node, [reader][offset + 1][neighbour + 1][coarse], the shares by linear weights, and as which of
  // its two it reads them, or -1.
  const std::int32_t* fine[3];
  const double* shares[3];
  const std::int8_t* corner[3];
  RegularNodes regular[3];
  HalvedAxis halved[3];
  constexpr bool between(const std::array<int, 3>& at, int axis) const { return off[axis][at[axis]] != 0; }
};

// Whether the rows of a node there say nothing of those in the middle of the axis: within two nodes of a
// face, and at the seam of an axis that wraps, where spacings may be others (stored_nodes.hpp).
constexpr bool is_near_end(const Couplings& s, const WholeAxes& axes, int axis, int at) {
  const int place = axes.place(axis, at), n = axes.n[axis];
  if (!axes.wraps[axis]) return place < 2 || place >= n - 2;
  const bool all_alike = !s.stored.all && s.stored.low[axis] == 0;
  return !all_alike && (place < 2 || place == n - 1);
}

constexpr bool is_in_middle(const Couplings& s, const WholeAxes& axes, const std::array<bool, 3>& halved,
                            const std::array<int, 3>& at) {
  for (int axis = 0; axis < 3; ++axis)
    if (halved[axis] && is_near_end(s, axes, axis, at[axis])) return false;
  return true;
}
constexpr bool tells_of_middle(const Couplings& s, const WholeAxes& axes, const std::array<bool, 3>& halved,
                               std::int64_t row) {
  const int node = s.node_of(row);
  if (!s.owns(node)) return false;
  const std::array<int, 3> at = s.stored_position(node);
  return at[0] < s.n[0] && is_in_middle(s, axes, halved, at);  // else behind a line
}

// The sum of a row, as a part of its diagonal, from which on sweeps do for it.
inline constexpr double large_sum = 0.5;

// How far the weight of a neighbour along a halved axis is from 1/2 in a row, if its node lay between coarse
// ones along that axis alone; 0 near an end of the axis, and where couplings along the axis are none or of
// the diagonal's sign. Where this is small everywhere, all weights are nearly linear. Without sums it is as
// if rows added up to zero, how far coefficients alone take it; and 0 of rows whose sums are large, for which
// sweeps do: their couplings go through zero where P^T A P adds what a step in time has on the diagonal.
struct FromLinear {
  Couplings s;
  const double* values;
  WholeAxes axes;
  std::array<bool, 3> halved;
  bool sums = true;
  constexpr std::int64_t size() const { return s.stored_rows; }
  constexpr double operator()(std::int64_t row) const {
    if (!tells_of_middle(s, axes, halved, row)) return 0;
    double largest = 0;
    look(along_axes(s, values + row, row % s.dof), largest);
    return largest;
  }
  // Divides by what is seldom larger than the largest of the rows before.
  constexpr void look(const AlongAxes& row, double& largest) const {
    const double sum = row.centre + row.beside;
    if (!sums && sum > large_sum * row.centre) return;
    QUADRILLE_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
      const double down = row.down[axis], up = row.up[axis], centre = (sums ? sum : 0) + down + up;
      if (!halved[axis] || !(centre > 0) || !(down + up > 0)) continue;
      const double low = absolute(down - centre / 2), high = absolute(up - centre / 2),
                   difference = low > high ? low : high;
      if (difference > largest * centre) largest = difference / centre;
    }
  }
};

// Both for the same rows, which are read once then.
struct AxisSumsFromLinear {
  static constexpr int count = AxisSums::count;
  AxisSums of_axes;
  FromLinear from_linear;
  constexpr std::int64_t size() const { return of_axes.size(); }
  constexpr std::int64_t size_at_faces() const { return of_axes.size_at_faces(); }
  constexpr void add_at_face(std::int64_t number, double (&sums)[count]) const {
    of_axes.add_at_face(number, sums);
  }
  constexpr void add(std::int64_t number, double (&sums)[count], double& largest) const {
    const Couplings& s = of_axes.s;
    if (s.dof > 1) {
      of_axes.add(number, sums);
      const double of_row = from_linear(number);
      largest = of_row > largest ? of_row : largest;
      return;
    }
    const int node = static_cast<int>(number);
    if (!s.owns(node)) return;
    const std::array<int, 3> at = s.stored_position(node);
    if (at[0] >= s.n[0]) return;  // behind a line
    const AlongAxes row = along_axes(s, of_axes.values + node, 0);
    of_axes.add_row(node, row, row.centre, sums);
    if (is_in_middle(s, of_axes.axes, from_linear.halved, at)) from_linear.look(row, largest);
  }
};

}  // namespace quadrille::multigrid
