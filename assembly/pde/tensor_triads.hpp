// The triads of assembly/pde/tensor_diffusion.hpp about a node: what they couple, inside a grid and at its
// faces. Internal to assembly/pde.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "assembly/dual.hpp"
#include "assembly/pde/tensor_field.hpp"
#include "assembly/residual_node.hpp"

namespace quadrille {

namespace tensor_diffusion_detail {

// What is beyond a face: the other end of the axis, a node that holds a value, or none, where nothing goes
// through, or what flux and robin say.
enum class EndKind : std::uint8_t { around, holds, closed, flows };
struct End {
  EndKind kind = EndKind::holds;
  double share = 1;  // b; 1 where it is closed
};
using Ends = std::array<End, 6>;
using Step = std::array<int, 3>;   // from the node of a row to another, -1, 0 or 1 along an axis
using Signs = std::array<int, 3>;  // of a triad

constexpr double value_of(double u) {
  return u;
}
constexpr double value_of(const Dual& u) {
  return u.value;
}

// The triads about a node that a functor is asked for. K: [number][place in the window].
template <class Node>
struct Triads {
  const Node& u;
  const double* k;
  std::int64_t places;  // of the window
  const Ends& faces;
  const std::array<double, 3>& per_h;

  constexpr int dimension() const { return u.grid().dimension; }
  constexpr std::int64_t position(int axis) const {
    return axis == 0 ? u.position().x : axis == 1 ? u.position().y : u.position().z;
  }
  constexpr double number(const Step& w, int a, int b) const {
    return u.field(k + tensor_place(dimension(), a, b) * places, w[0], w[1], w[2]);
  }
  constexpr bool stands(int step, int axis) const {
    const std::int64_t at = position(axis) + step;
    if (at >= 0 && at < u.grid().extents[axis]) return true;
    const EndKind kind = faces[2 * axis + (at < 0 ? 0 : 1)].kind;
    return kind == EndKind::around || kind == EndKind::holds;
  }
  // Whether flux or robin is what the triads at w see along an axis on this side.
  constexpr bool flows(const Step& w, int axis, int side) const {
    const std::int64_t at = position(axis) + w[axis] + side;
    return (at < 0 || at >= u.grid().extents[axis]) && end(w, axis, side).kind == EndKind::flows;
  }
  // Whether the node is at such a face: others have no part in these.
  constexpr bool is_at_flows() const {
    for (int face = 0; face < 2 * dimension(); ++face)
      if (flows({}, face / 2, face % 2 == 0 ? -1 : 1)) return true;
    return false;
  }
  constexpr const End& end(const Step& w, int axis, int side) const {
    return faces[2 * axis + (position(axis) + w[axis] + side < 0 ? 0 : 1)];
  }
  constexpr bool is_node(const Step& w, int axis) const {
    const std::int64_t at = position(axis) + w[axis];
    return faces[2 * axis].kind == EndKind::around || (at >= 0 && at < u.grid().extents[axis]);
  }
  // Whether so many neighbours of a place, along each axis, stand within the grid, or around its ends.
  constexpr bool inner(const Step& w, int deep = 1) const {
    return inner_along(0, w, deep) && inner_along(1, w, deep) &&
           (dimension() == 2 || inner_along(2, w, deep));
  }
  constexpr bool inner_along(int axis, const Step& w, int deep) const {
    const std::int64_t at = position(axis) + w[axis];
    return faces[2 * axis].kind == EndKind::around || (at >= deep && at < u.grid().extents[axis] - deep);
  }

  // b of the face that a triad sees along an axis; nothing goes through closed ones, which is b = 1, p = 0.
  constexpr double share_of(const Step& w, const Signs& s, int axis) const {
    return end(w, axis, s[axis]).share;
  }
  using Matrix = std::array<std::array<double, 3>, 3>;
  // What flows along each axis (row) by what the triad has along each (column): g, times K, and p where there
  // is no neighbour.
  constexpr Matrix response(const Step& w, const Signs& s) const {
    Matrix m{};
    for (int i = 0; i < dimension(); ++i)
      for (int j = 0; j < dimension(); ++j) m[i][j] = number(w, i, j);
    for (int gone = 0; gone < dimension(); ++gone) {
      if (stands(w[gone] + s[gone], gone)) continue;
      const double share = share_of(w, s, gone), pivot = share * m[gone][gone] + (1 - share);
      std::array<double, 3> row = m[gone], column{};
      for (int i = 0; i < dimension(); ++i) column[i] = m[i][gone];
      for (int i = 0; i < dimension(); ++i)
        for (int j = 0; j < dimension(); ++j)
          if (i != gone && j != gone) m[i][j] -= share * (column[i] * row[j]) / pivot;
      for (int i = 0; i < dimension(); ++i) {
        m[gone][i] = (1 - share) * row[i] / pivot;
        m[i][gone] = column[i] / pivot;
      }
    }
    for (int i = 0; i < dimension(); ++i)
      for (int j = 0; j < dimension(); ++j) m[i][j] *= s[i] * s[j];
    return m;
  }
  // That of K_ab s_a s_b/(h_a h_b), of the axes along which the triad has neighbours. Most have all of them,
  // or lack one: these need no matrix, which a GPU has in slow memory.
  constexpr std::array<double, 3> row(const Step& w, const Signs& s, int a) const {
    std::array<double, 3> result{};
    int gone = -1, lacking = 0;
    for (int axis = 0; axis < dimension(); ++axis)
      if (!stands(w[axis] + s[axis], axis)) gone = axis, ++lacking;
    if (lacking == 0) {
      for (int b = 0; b < dimension(); ++b) result[b] = number(w, a, b) * (s[a] * s[b] * per_h[a] * per_h[b]);
      return result;
    }
    if (!stands(w[a] + s[a], a)) return result;
    if (lacking > 1) return row_at_edges(w, s, a);
    const double share = share_of(w, s, gone), own = number(w, gone, gone), column = number(w, a, gone),
                 pivot = share * own + (1 - share);
    for (int b = 0; b < dimension(); ++b)
      if (b != gone)
        result[b] = (number(w, a, b) - share * (column * number(w, gone, b)) / pivot) *
                    (s[a] * s[b] * per_h[a] * per_h[b]);
    return result;
  }
  QUADRILLE_OUT_OF_LINE constexpr std::array<double, 3> row_at_edges(const Step w, const Signs s,
                                                                     int a) const {
    std::array<double, 3> result{};
    const std::array<double, 3> of_k = response(w, s)[a];
    for (int b = 0; b < dimension(); ++b)
      if (stands(w[b] + s[b], b)) result[b] = of_k[b] * (per_h[a] * per_h[b]);
    return result;
  }
  constexpr double sum_over_third(const Step& w, Signs s, int a, int b) const {
    if (dimension() == 2) return row(w, s, a)[b];
    double sum = 0;
    for (const int side : {-1, 1}) {
      s[3 - a - b] = side;
      sum += row(w, s, a)[b];
    }
    return sum;
  }
  // Of the triads at w that have this side along a.
  constexpr double sum_along(const Step& w, Signs s, int a) const {
    const int first = a == 0 ? 1 : 0, second = 3 - a - first;
    const bool deep = dimension() == 3;
    double sum = 0;
    for (const int one : {-1, 1})
      for (const int other : {-1, 1}) {
        if (!deep && other > 0) continue;
        s[first] = one;
        if (deep) s[second] = other;
        const std::array<double, 3> of_triad = row(w, s, a);
        sum += of_triad[0] + of_triad[1] + of_triad[2];
      }
    return sum;
  }

  // term(s) of the triads at w, of those that have the sides that are not 0 in `some`: their mean.
  template <class Term>
  constexpr double mean(const Step& w, const Signs& some, const Term& term) const {
    double sum = 0;
    for (int triad = 0; triad < 1 << dimension(); ++triad) {
      Signs s{};
      bool is_some = true;
      for (int axis = 0; axis < dimension(); ++axis) {
        s[axis] = (triad >> axis & 1) != 0 ? 1 : -1;
        is_some = is_some && (some[axis] == 0 || some[axis] == s[axis]);
      }
      if (is_some) sum += term(response(w, s), s);
    }
    return sum / (1 << dimension());
  }
  // What comes into the cell of the node along an axis that the triads have: through faces twice.
  constexpr double comes_in(const Matrix& flux, const Signs& s, int by) const {
    double sum = 0;
    for (int axis = 0; axis < dimension(); ++axis) {
      const bool open = stands(s[axis], axis);
      if (open ? !stands(s[by], by) : flows({}, axis, s[axis]))
        sum -= (open ? 1 : 2) * per_h[axis] * flux[axis][by];
    }
    return sum;
  }
  // weight() times p of w, at its face on this side of an axis.
  template <class Sum, class Weight>
  constexpr void add_difference(Sum& sum, const Step& w, int axis, int side, int r,
                                const Weight& weight) const {
    Step beyond = w;
    beyond[axis] += side;
    const double share = end(w, axis, side).share;
    if (share != 1)
      sum -= u.weighted(w[0], w[1], w[2], r, [&] { return 2 * (1 - share) * per_h[axis] * weight(); });
    if (Node::slopes_alone()) return;
    const double datum = value_of(u.at(beyond[0], beyond[1], beyond[2], r)) -
                         (2 * share - 1) * value_of(u.at(w[0], w[1], w[2], r));
    if (datum != 0) sum += per_h[axis] * datum * weight();
  }
  // All that faces of flux and robin add to the row, beside what couples nodes by response(): to `sum`.
  template <class Sum>
  constexpr void add_through_faces(Sum& sum, int r) const {
    for (int face = 0; face < 2 * dimension(); ++face) {
      const int axis = face / 2, side = face % 2 == 0 ? -1 : 1;
      Signs some{};
      some[axis] = side;
      const auto of_node = [&] {
        return mean({}, some, [&](const Matrix& flux, const Signs& s) { return comes_in(flux, s, axis); });
      };
      if (flows({}, axis, side))
        add_difference(sum, {}, axis, side, r, of_node);
      else if (stands(side, axis))
        sum += u.exchange(some[0], some[1], some[2], r, [&] { return per_h[axis] * of_node(); });
      // By p of a node beside this one along another axis.
      for (int other = 0; other < 2 * dimension(); ++other) {
        const int b = other / 2, side_b = other % 2 == 0 ? -1 : 1;
        Step w{};
        w[b] = side_b;
        if (b == axis || !stands(side_b, b) || !flows(w, axis, side)) continue;
        const bool is_node_there = is_node(w, b);  // else the nearest one's: corners beyond values have none
        add_difference(sum, is_node_there ? w : Step{}, axis, side, r, [&] {
          Signs towards = some;
          towards[b] = -side_b;
          return per_h[b] * mean(w, towards, [&](const Matrix& flux, const Signs&) { return flux[b][axis]; });
        });
      }
    }
  }

  // Of the node and another along axis a, where both are inner: what K has beside its diagonal cancels.
  constexpr double along_inside(const Step& to, int a) const {
    return -(0.5 * (number({}, a, a) + number(to, a, a)) * (per_h[a] * per_h[a]));
  }
  // The same along axes a and b: the triads are those of the two corners between.
  constexpr double across_inside(const Step& to, int a, int b) const {
    Step with_a{}, with_b{};
    with_a[a] = to[a], with_b[b] = to[b];
    return -0.25 * (to[a] * to[b]) * (number(with_a, a, b) + number(with_b, a, b)) * (per_h[a] * per_h[b]);
  }
  // Anywhere, of the places p and q = p + e_a.
  constexpr double along(const Step& p, const Step& q, int a) const {
    Signs up{}, down{};
    up[a] = 1, down[a] = -1;
    return -(sum_along(p, up, a) + sum_along(q, down, a)) / (1 << dimension());
  }
  // Anywhere, of places that differ along a and b.
  constexpr double across(const Step& p, const Step& q, int a, int b) const {
    const int step_a = q[a] - p[a], step_b = q[b] - p[b];
    Step with_a = p, with_b = p;
    with_a[a] = q[a], with_b[b] = q[b];
    Signs at_a{}, at_b{};
    at_a[a] = -step_a, at_a[b] = step_b;
    at_b[a] = step_a, at_b[b] = -step_b;
    return (sum_over_third(with_a, at_a, a, b) + sum_over_third(with_b, at_b, a, b)) / (1 << dimension());
  }
  // What couples the node to another; the same bits for both rows. Inside it is further along a and, unless
  // that is -1, along b.
  constexpr double coupling_inside(const Step& to, int a, int b) const {
    return b < 0 ? along_inside(to, a) : across_inside(to, a, b);
  }
  constexpr double coupling(const Step& to) const {
    const int a = to[0] != 0   ? 0
                  : to[1] != 0 ? 1
                               : 2,
              b = a < 2 && to[2] != 0   ? 2
                  : a < 1 && to[1] != 0 ? 1
                                        : -1;
    if (inner({}) && inner(to)) return coupling_inside(to, a, b);
    if (!stands(to[a], a) || (b >= 0 && !stands(to[b], b))) return 0;
    Step p{}, q = to;
    if (to[a] < 0) std::swap(p, q);
    return b < 0 ? along(p, q, a) : across(p, q, a, b);
  }
};

}  // namespace tensor_diffusion_detail
}  // namespace quadrille
