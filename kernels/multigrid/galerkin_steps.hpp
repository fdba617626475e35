// The coarse operator P^T A P, some numbers of a coarse row a call. Internal to kernels/multigrid.
#pragma once

#include <type_traits>

#include "kernels/multigrid/coarsening_steps.hpp"

namespace quadrille::multigrid {

// What it is made of, and where to. It has `offsets` -1..1 along each axis that is longer than one node:
// [z][y][x] of `width`.
struct CoarseOperator {
  Couplings s;
  const double* values;
  Nodes p;
  int width[3];
  StoredNodes coarse_nodes;  // all of them, but of linear weights
  std::int64_t coarse_rows;  // those that are stored
  double* coarse;            // [diagonal][column][row]
  unsigned couples;          // bits: which offsets of the box s has
  // Of each kind by itself (by_kind_steps.hpp), where that is asked for: its entries on the diagonal in place
  // of those in `values`, [stored row], or null; and whether the weights are of nodes, not of rows.
  bool by_kind = false, weights_of_nodes = false;
  const double* centre = nullptr;

  constexpr std::int64_t weights_of_corner() const { return weights_of_nodes ? s.nodes : s.rows; }
  constexpr std::int64_t weight_place(int node, int r) const {
    return weights_of_nodes ? node : std::int64_t{node} * s.dof + r;
  }
  constexpr std::array<int, 3> position(int coarse_node) const {
    if (!coarse_nodes.all) return coarse_nodes.position(coarse_node);
    return {coarse_node % p.coarse_n[0], coarse_node / p.coarse_n[0] % p.coarse_n[1],
            coarse_node / p.coarse_n[0] / p.coarse_n[1]};
  }

  // Of the tables of an axis (galerkin_axis()).
  constexpr int readers(int axis, int coarse_node) const {
    return p.first[axis][coarse_node + 1] - p.first[axis][coarse_node];
  }
  constexpr int fine(int axis, int reader, int coarse_node) const {
    return p.fine[axis][reader * p.coarse_n[axis] + coarse_node];
  }
  constexpr double share(int axis, int i, int coarse_node) const {
    return p.shares[axis][i * p.coarse_n[axis] + coarse_node];
  }
  constexpr int corner(int axis, int i, int coarse_node) const {
    return p.corner[axis][i * p.coarse_n[axis] + coarse_node];
  }
  // The diagonal at an offset of the box, or -1 where an axis of one node has none.
  constexpr int diagonal(int x, int y, int z) const {
    if ((width[0] == 1 && x != 1) || (width[1] == 1 && y != 1) || (width[2] == 1 && z != 1)) return -1;
    const int plane = width[2] == 1 ? 0 : z, line = width[1] == 1 ? 0 : y;
    return (plane * width[1] + line) * width[0] + (width[0] == 1 ? 0 : x);
  }
  // What a fine node couples with at an offset.
  constexpr int coupled(int axis, int fine_node, int offset) const {
    const int to = fine_node + offset - 1;
    return !s.wraps[axis] ? to : to < 0 ? to + s.n[axis] : to >= s.n[axis] ? to - s.n[axis] : to;
  }
};

// Coarse nodes of a box outside of those that are regular along every axis, and these: the slabs before and
// behind them along z, what is left along y, and along x.
struct CoarseBox {
  int first[3], end[3];
  constexpr int extent(int axis) const { return end[axis] - first[axis]; }
  constexpr std::int64_t nodes() const { return std::int64_t{extent(0)} * extent(1) * extent(2); }
  constexpr std::array<int, 3> position(int i) const {
    return {first[0] + i % extent(0), first[1] + i / extent(0) % extent(1),
            first[2] + i / extent(0) / extent(1)};
  }
};
struct RestOfCoarse {
  CoarseBox slab[6];
  constexpr std::int64_t nodes() const {
    std::int64_t sum = 0;
    for (const CoarseBox& s : slab) sum += s.nodes();
    return sum;
  }
  constexpr std::array<int, 3> position(int i) const {
    for (const CoarseBox& s : slab) {
      if (i < s.nodes()) return s.position(i);
      i -= static_cast<int>(s.nodes());
    }
    return {};
  }
};
constexpr CoarseBox regular_box(const Nodes& p) {
  CoarseBox box{};
  for (int axis = 0; axis < 3; ++axis)
    box.first[axis] = p.regular[axis].first, box.end[axis] = p.regular[axis].end;
  return box;
}
constexpr RestOfCoarse rest_of_coarse(const Nodes& p) {
  RestOfCoarse rest{};
  CoarseBox left{{0, 0, 0}, {p.coarse_n[0], p.coarse_n[1], p.coarse_n[2]}};
  for (int axis = 2; axis >= 0; --axis) {
    CoarseBox &before = rest.slab[2 * axis], &behind = rest.slab[2 * axis + 1];
    before = behind = left;
    before.end[axis] = left.first[axis] = p.regular[axis].first;
    behind.first[axis] = left.end[axis] = p.regular[axis].end;
  }
  return rest;
}

// Which fine nodes read a coarse one, and what of the coarse grid those read that they couple with: by the
// tables of the axes, for any node; or where nodes are regular.
enum class ReadersOf { any, halved_x, kept_x };

// By weights of every fine row: of a coarse row and a column of its blocks the entries at one offset along y
// and z a call, for the coarse nodes of the class; of regular ones 32 rows with all of their calls after the
// other, for these read the same fine rows. Each entry is a sum over the fine rows that read the coarse one,
// and over what they couple with that reads the one at the offset: along an axis 7 of the nine pairs of these
// at offset 0, and 3 at the others. By kind the one column is the row's own.
template <ReadersOf readers>
struct GalerkinLine {
  static constexpr std::int64_t work = 90;
  static constexpr bool regular = readers != ReadersOf::any;
  using Coarse = std::conditional_t<regular, CoarseBox, RestOfCoarse>;
  CoarseOperator of;
  Coarse nodes;

  constexpr int columns() const { return of.by_kind ? 1 : of.s.dof; }
  // Where few coarse nodes have rows, those.
  constexpr std::int64_t rows() const {
    return of.coarse_nodes.all ? nodes.nodes() * of.s.dof : of.coarse_rows;
  }
  constexpr int calls() const { return columns() * of.width[1] * of.width[2]; }
  constexpr std::int64_t together() const { return regular || rows() == 0 ? 32 : rows(); }
  constexpr std::int64_t size() const {
    return (rows() + together() - 1) / together() * together() * calls();
  }
  constexpr void operator()(std::int64_t index) const {
    const Couplings& s = of.s;
    const std::int64_t part = index / together(), group = part / calls();
    const int number = static_cast<int>(part - group * calls()), line = number / columns(),
              i = static_cast<int>(group * together() + index - part * together()),
              node = divide(i, s.by_dof), r = i - node * s.dof, column = of.by_kind ? r : number % s.dof;
    if (i >= rows()) return;
    const bool all = regular || of.coarse_nodes.all;
    const std::array<int, 3> at = all ? nodes.position(node) : of.coarse_nodes.position(node);
    const AlongX x(of, at[0]);
    double sums[3] = {};
    for (int i = 0; i < 9; ++i) {
      const Pair z = pair(2, i, at[2], line / of.width[1]);
      for (int j = 0; j < 9 && z.there; ++j) {
        const int of_box = 9 * (i % 3) + 3 * (j % 3);
        if ((of.couples >> of_box & 7) == 0) continue;
        const Pair y = pair(1, j, at[1], line % of.width[1]);
        if (y.there) add_line(x, y, z, of_box, r, column, sums);
      }
    }
    const int node_of_all = (at[2] * of.p.coarse_n[1] + at[1]) * of.p.coarse_n[0] + at[0];
    const std::int64_t row = std::int64_t{all ? node_of_all : node} * s.dof + r;
    QUADRILLE_UNROLL
    for (int q = 0; q < 3; ++q) {
      if (of.width[0] == 1 && q != 1) continue;
      const std::int64_t d = std::int64_t{line} * of.width[0] + (of.width[0] == 1 ? 0 : q);
      of.coarse[(d * s.dof + column) * of.coarse_rows + row] = sums[q];
    }
  }

 private:
  // Along an axis: a fine node that reads the coarse one, as which of its two, and what it couples with,
  // which reads the coarse node at the offset q as its `corner`, if it does. i: [reader][offset].
  struct Pair {
    int fine, own, to, corner;
    bool there;
  };
  constexpr Pair pair(int axis, int i, int at, int offset) const {
    const int q = of.width[axis] == 1 ? 1 : offset;
    if constexpr (regular) {
      const RegularNodes& nodes_there = of.p.regular[axis];
      const bool halved = nodes_there.halved;
      const int fine = (halved ? 2 * at - 1 : at) + nodes_there.shift + i / 3,
                corner = regular_corner(halved, i / 3, i % 3, q);
      return {fine, halved && i / 3 == 0, fine + i % 3 - 1, corner, corner >= 0};
    } else {
      if (i / 3 >= of.readers(axis, at)) return {};
      const int fine = of.fine(axis, i / 3, at), corner = of.corner(axis, 3 * i + q, at);
      return {fine, of.p.node[axis][2 * fine] != at, of.coupled(axis, fine, i % 3), corner, corner >= 0};
    }
  }
  // All of them along x: how many, their nodes, and as which of its two what reader k couples with at offset
  // o reads the coarse node at q, or -1.
  struct AnyAlongX {
    int count, nodes[3] = {}, owns[3] = {}, coupled[9] = {};
    unsigned reads = 0, second = 0;  // bits: [reader][offset][q]
    constexpr AnyAlongX(const CoarseOperator& of, int at) : count(of.readers(0, at)) {
      QUADRILLE_UNROLL
      for (int k = 0; k < 3; ++k) {
        if (k >= count) continue;
        nodes[k] = of.fine(0, k, at);
        owns[k] = of.p.node[0][2 * nodes[k]] != at;
        QUADRILLE_UNROLL
        for (int o = 0; o < 3; ++o) coupled[3 * k + o] = of.coupled(0, nodes[k], o);
        QUADRILLE_UNROLL
        for (int i = 9 * k; i < 9 * k + 9; ++i) {
          const int which = of.corner(0, i, at);
          reads |= which >= 0 ? 1u << i : 0;
          second |= which > 0 ? 1u << i : 0;
        }
      }
    }
    constexpr int fine(int k) const { return nodes[k]; }
    constexpr int own(int k) const { return owns[k]; }
    constexpr int to(int k, int o) const { return coupled[3 * k + o]; }
    constexpr int corner(int k, int o, int q) const {
      const int bit = 9 * k + 3 * o + q;
      return (reads >> bit & 1) == 0 ? -1 : static_cast<int>(second >> bit & 1);
    }
  };
  struct RegularAlongX {
    static constexpr bool halved = readers == ReadersOf::halved_x;
    static constexpr int count = halved ? 3 : 1;
    int first;
    constexpr RegularAlongX(const CoarseOperator& of, int at)
        : first((halved ? 2 * at - 1 : at) + of.p.regular[0].shift) {}
    constexpr int fine(int k) const { return first + k; }
    constexpr int own(int k) const { return halved && k == 0; }
    constexpr int to(int k, int o) const { return first + k + o - 1; }
    constexpr int corner(int k, int o, int q) const { return regular_corner(halved, k, o, q); }
  };
  using AlongX = std::conditional_t<regular, RegularAlongX, AnyAlongX>;

  constexpr void add_line(const AlongX& x, const Pair& y, const Pair& z, int of_box, int r, int column,
                          double (&sums)[3]) const {
    const Couplings& s = of.s;
    const int line = s.first_of_line(y.fine, z.fine);
    const std::int64_t from = std::int64_t{line} * s.dof + r, of_corner = of.weights_of_corner(),
                       of_node = of.weights_of_nodes ? 1 : s.dof;
    const double* const weights =
        of.p.weights + (2 * y.own + 4 * z.own) * of_corner + of.weight_place(line, r);
    const double* const weights_there = of.p.weights + (2 * y.corner + 4 * z.corner) * of_corner +
                                        of.weight_place(s.first_of_line(y.to, z.to), column);
    QUADRILLE_UNROLL
    for (int k = 0; k < 3; ++k) {
      if (k >= x.count) continue;
      const double weight = weights[x.own(k) * of_corner + x.fine(k) * of_node];
      const std::int64_t place = s.place(from + x.fine(k) * s.dof);
      const double* const values = of.values + column * s.stored_rows + place;
      QUADRILLE_UNROLL
      for (int o = 0; o < 3; ++o) {
        const int diagonal = s.box[of_box + o];
        if (diagonal < 0) continue;
        const double value = weight * (of.centre != nullptr && diagonal == s.centre
                                           ? of.centre[place]
                                           : values[std::int64_t{diagonal} * s.dof * s.stored_rows]);
        QUADRILLE_UNROLL
        for (int q = 0; q < 3; ++q) {
          const int corner = x.corner(k, o, q);
          if (corner >= 0) sums[q] += value * weights_there[corner * of_corner + x.to(k, o) * of_node];
        }
      }
    }
  }
};

// The same where the weights are the products of the tables: the couplings of fine rows, as a box of 3 x 3 x
// 3, are gathered to the coarse nodes axis by axis, with shares that were computed for each axis
// (galerkin_axis()):
//
//     couplings of 3 fine rows along x      -> their sum at this offset along x, for each of a plane's lines
//     those of 3 lines                      -> the plane's sums at the 3 offsets along y
//     those of 3 planes                     -> 9 numbers of a coarse row, at the offsets along y and z
//
// A call makes these nine for some coarse planes, one after the other, and computes a fine plane that two
// coarse ones read once. Star: a row couples along the axes alone.
template <bool Star>
struct LinearGalerkinColumn {
  static constexpr std::int64_t work = 10;
  CoarseOperator of;
  int planes;  // of a call

  // Rows and columns of blocks take part as nodes do.
  constexpr int line() const { return of.p.coarse_n[0] * of.s.dof; }
  constexpr int offsets() const { return of.width[0]; }
  constexpr std::int64_t lines() const { return std::int64_t{of.p.coarse_n[1]} * parts_of_line() * of.s.dof; }
  constexpr std::int64_t size() const { return line() * offsets() * lines(); }
  constexpr void operator()(std::int64_t index) const {
    const std::int64_t rest = index / line();
    make(static_cast<int>(index % line()), static_cast<int>(rest % offsets()), rest / offsets());
  }

  // Of row `place` of a line, at one offset along x.
  constexpr void make(int place, int offset, std::int64_t line_number) const {
    const Couplings& s = of.s;
    const int x = divide(place, s.by_dof), y = static_cast<int>(line_number % of.p.coarse_n[1]),
              part = static_cast<int>(line_number / of.p.coarse_n[1]), parts = parts_of_line(),
              column = part / parts, first_plane = part % parts * planes, qx = of.width[0] == 1 ? 1 : offset;
    double x_shares[9] = {};  // [reader][offset]
    int fine_x[3] = {};
    QUADRILLE_UNROLL
    for (int i = 0; i < 9; ++i) x_shares[i] = of.share(0, 3 * i + qx, x);
    QUADRILLE_UNROLL
    for (int i = 0; i < 3; ++i) fine_x[i] = of.fine(0, i, x);
    const double* const first =
        of.values + static_cast<std::int64_t>(column) * s.stored_rows + (place - x * s.dof);

    double of_plane[9] = {};  // [offset along z][coarse neighbour along y], of the fine plane z
    int z = -1;
    for (int plane = first_plane; plane < first_plane + planes && plane < of.p.coarse_n[2]; ++plane) {
      double sums[9] = {};  // [coarse neighbour along z][along y]
      for (int k = 0; k < of.readers(2, plane); ++k) {
        if (of.fine(2, k, plane) != z) {
          z = of.fine(2, k, plane);
          make_plane(first, x_shares, fine_x, y, z, of_plane);
        }
        QUADRILLE_UNROLL
        for (int i = 0; i < 9; ++i) {  // offset along z, coarse neighbour along z
          const double of_z = of.share(2, 9 * k + i, plane);
          QUADRILLE_UNROLL
          for (int qy = 0; qy < 3; ++qy) sums[3 * (i % 3) + qy] += of_plane[3 * (i / 3) + qy] * of_z;
        }
      }
      write(sums, qx, column, (std::int64_t{plane} * of.p.coarse_n[1] + y) * line() + place);
    }
  }

 private:
  constexpr int parts_of_line() const { return (of.p.coarse_n[2] + planes - 1) / planes; }

  constexpr void make_plane(const double* first, const double (&x_shares)[9], const int (&fine_x)[3],
                            int at_y, int z, double (&of_plane)[9]) const {
    for (double& sum : of_plane) sum = 0;
    for (int k = 0; k < of.readers(1, at_y); ++k) {
      const int y = of.fine(1, k, at_y);
      double lines[9] = {};  // [offset along z][along y]
      QUADRILLE_UNROLL
      for (int kx = 0; kx < 3; ++kx)
        add_fine_row(first + static_cast<std::int64_t>(of.s.index({fine_x[kx], y, z})) * of.s.dof,
                     x_shares + 3 * kx, lines);
      QUADRILLE_UNROLL
      for (int i = 0; i < 9; ++i) {  // offset along y, coarse neighbour along y
        const int oy = i / 3, qy = i % 3;
        const double of_y = of.share(1, 9 * k + i, at_y);
        QUADRILLE_UNROLL
        for (int oz = 0; oz < 3; ++oz)
          if (!Star || oz == 1 || oy == 1) of_plane[3 * oz + qy] += lines[3 * oz + oy] * of_y;
      }
    }
  }
  // The couplings of the fine row at `from`, gathered to the coarse node along x.
  constexpr void add_fine_row(const double* from, const double* x_shares, double (&lines)[9]) const {
    const std::int64_t stride = static_cast<std::int64_t>(of.s.dof) * of.s.stored_rows;
    const auto entry = [&](int slot) {
      const int diagonal = of.s.box[slot];
      return diagonal < 0 ? 0 : from[diagonal * stride];
    };
    QUADRILLE_UNROLL
    for (int x = 0; x < 3; ++x) {
      if (x_shares[x] == 0) continue;
      double values[9] = {};  // on their way at once
      QUADRILLE_UNROLL
      for (int k = 0; k < 9; ++k)
        if (!Star || k == 4 || (x == 1 && k % 2 == 1)) values[k] = entry(3 * k + x);
      QUADRILLE_UNROLL
      for (int k = 0; k < 9; ++k)
        if (!Star || k == 4 || (x == 1 && k % 2 == 1)) lines[k] += values[k] * x_shares[x];
    }
  }

  constexpr void write(const double (&sums)[9], int qx, int column, std::int64_t coarse_row) const {
    QUADRILLE_UNROLL
    for (int i = 0; i < 9; ++i)
      if (const int d = of.diagonal(qx, i % 3, i / 3); d >= 0)
        of.coarse[(static_cast<std::int64_t>(d) * of.s.dof + column) * of.coarse_rows + coarse_row] = sums[i];
  }
};

// The same where a few rows are all of the operator, an axis after the other, z first: sums over fine rows
// that some coarse ones read are made once. Between the axes the couplings of a row are a box of 27, at
// coarse offsets along axes that are done and at fine ones along the others, and rows stand with the next
// axis outermost, so that those that sum over the same nodes of it are beside each other:
//
//     [z][y][x]  ->  [y][x][coarse z]  ->  [x][coarse z][coarse y]  ->  [coarse z][coarse y][coarse x]
//
// Of some of these rows, up to Together, a column of their blocks and an offset along the other axes a call.
// By kind a row has one column, its own (by_kind_steps.hpp: TakeKinds, PutKinds).
template <int axis, int Together>
struct LinearGalerkinAxis {
  static constexpr std::int64_t work = 4;  // of a few hundred calls are done before threads have begun
  CoarseOperator of;
  const double* from;  // what the axis before has made: [place in the box][column][row]; by kind A's
  double* to;          // of the last axis that is the coarse operator, but by kind
  int nodes[2];        // along the axis, before and after: those that are stored
  int beside;          // along the two others, at one node of it

  constexpr int columns() const { return of.by_kind ? 1 : of.s.dof; }
  constexpr int rows_beside() const { return beside * of.s.dof; }
  constexpr std::int64_t rows(int after) const { return std::int64_t{nodes[after]} * rows_beside(); }
  constexpr int parts() const { return (rows_beside() + Together - 1) / Together; }
  constexpr std::int64_t size() const { return std::int64_t{parts()} * nodes[1] * columns() * 9; }
  constexpr void operator()(std::int64_t index) const {
    const int call = static_cast<int>(index), part = call % parts(), place = call / parts() % nodes[1],
              rest = call / parts() / nodes[1], column = rest % columns(), offsets = rest / columns(),
              first = part * Together, left = rows_beside() - first,
              count = left < Together ? left : Together;
    const int coarse = of.coarse_nodes.all ? place : of.coarse_nodes.first(axis, place);
    double sums[3][Together] = {};  // [coarse neighbour along the axis]
    for (int k = 0; k < of.readers(axis, coarse); ++k) {
      const int fine = of.s.stored.along(axis, of.fine(axis, k, coarse));
      for (int o = 0; o < 3; ++o) {
        const double* const values = couplings(slot(offsets, o), column);
        if (values == nullptr) continue;
        for (int q = 0; q < 3; ++q) {
          const double share = of.share(axis, 9 * k + 3 * o + q, coarse);
          if (share == 0) continue;
          const double* const own = values + std::int64_t{fine} * rows_beside() + first;
          for (int i = 0; i < count; ++i) sums[q][i] += own[i] * share;
        }
      }
    }
    const int node = divide(first, of.s.by_dof), unknown = first - node * of.s.dof;
    for (int q = 0; q < 3; ++q) {
      double* made = result(slot(offsets, q), column);
      if (made == nullptr) continue;
      made += (std::int64_t{node} * nodes[1] + place) * of.s.dof + unknown;
      for (int i = 0, r = unknown; i < count; ++i, ++made) {
        *made = sums[q][i];
        if (++r < of.s.dof) continue;
        r = 0;
        made += (nodes[1] - 1) * of.s.dof;
      }
    }
  }

 private:
  // Of an offset along the axis and of two along the others, in the box [z][y][x].
  static constexpr int slot(int others, int along) {
    return axis == 0   ? 3 * others + along
           : axis == 1 ? 9 * (others / 3) + 3 * along + others % 3
                       : 9 * along + others;
  }
  // A column of blocks, or null where there are none.
  constexpr const double* couplings(int place, int column) const {
    const std::int64_t d = axis == 2 ? of.s.box[place] : place;
    const double* const first = axis == 2 && !of.by_kind ? of.values : from;
    return d < 0 ? nullptr : first + (d * columns() + column) * rows(0);
  }
  constexpr double* result(int place, int column) const {
    const std::int64_t d = axis > 0 ? place : of.diagonal(place % 3, place / 3 % 3, place / 9);
    double* const first = axis > 0 || of.by_kind ? to : of.coarse;
    return d < 0 ? nullptr : first + (d * columns() + column) * rows(1);
  }
};

}  // namespace quadrille::multigrid
