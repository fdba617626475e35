// -div(K grad u) = f, for every unknown of a node by itself; K is a symmetric positive definite tensor at
// every node (tensor_field.hpp). Sign: positive diagonal.
//
// Around a node w stand 2^d triads: w and one neighbour along each axis, on the side s_a = -1 or +1. With
//
//        o        g_a = s_a (u(w + s_a e_a) - u(w))/h_a
//        |
//     o--w--o     the energy of a triad is  1/2 K_ab(w) g_a g_b h^d/2^d,  that of its part of the cell of w,
//        |
//        o        and A is the second derivative of the sum of all energies by u, per h^d.
//
// A sum of squares: symmetric (bit by bit, but around axes of one or two nodes, where points of the stencil
// fall together) and positive semi-definite for every K, with no null space but constants; rows sum to zero.
// It is the scheme of Griffies et al., Isoneutral Diffusion in a z-Coordinate Ocean Model, J. Phys. Oceanogr.
// 28, 1998, 805-830, and the same as bilinear or trilinear finite elements whose integrals are taken by the
// corners' values, with lumped mass. Order 2. In 2D it couples 9 nodes, in 3D 19, those along two axes at
// once; a diagonal K has the star, with arithmetic means.
//
// Faces: beyond value and drop, one spacing on, stands a node of the lattice that holds X, with the K of the
// last node. Beyond clamp, half a spacing on, is no node: there g along the axis is such that K grad u has no
// component along it, which is to take that axis out of K (the Schur complement).
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "assembly/node_window.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/pde/tensor_field.hpp"
#include "assembly/residual_node.hpp"
#include "grid/boundary.hpp"

namespace quadrille {

inline constexpr Discretisation tensor_diffusion_stencils{.star = 0, .box = 1};
inline std::vector<BoundaryKind> tensor_diffusion_faces() {
  return {BoundaryKind::value, BoundaryKind::drop, BoundaryKind::periodic, BoundaryKind::clamp};
}

namespace tensor_diffusion_detail {

enum class End : std::uint8_t { around, holds, closed };
using Ends = std::array<End, 6>;
using Step = std::array<int, 3>;   // from the node of a row to another, -1, 0 or 1 along an axis
using Signs = std::array<int, 3>;  // of a triad

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
    return faces[2 * axis + (at < 0 ? 0 : 1)] != End::closed;
  }
  // Whether so many neighbours of a place, along each axis, stand within the grid, or around its ends.
  constexpr bool inner(const Step& w, int deep = 1) const {
    return inner_along(0, w, deep) && inner_along(1, w, deep) &&
           (dimension() == 2 || inner_along(2, w, deep));
  }
  constexpr bool inner_along(int axis, const Step& w, int deep) const {
    const std::int64_t at = position(axis) + w[axis];
    return faces[2 * axis] == End::around || (at >= deep && at < u.grid().extents[axis] - deep);
  }

  constexpr bool stands_whole(const Step& w, const Signs& s) const {
    for (int axis = 0; axis < dimension(); ++axis)
      if (!stands(w[axis] + s[axis], axis)) return false;
    return true;
  }
  // Row a of K without the axes along which a triad has no neighbour.
  constexpr std::array<double, 3> open_part(const Step& w, const Signs& s, int a) const {
    std::array<std::array<double, 3>, 3> m{};
    for (int i = 0; i < dimension(); ++i)
      for (int j = 0; j < dimension(); ++j) m[i][j] = number(w, i, j);
    for (int gone = 0; gone < dimension(); ++gone) {
      if (stands(w[gone] + s[gone], gone)) continue;
      const std::array<double, 3> pivot = m[gone];
      for (int i = 0; i < dimension(); ++i)
        for (int j = 0; j < dimension(); ++j) m[i][j] -= pivot[i] * pivot[j] / pivot[gone];
      for (int i = 0; i < dimension(); ++i) m[i][gone] = m[gone][i] = 0;
    }
    return m[a];
  }
  // That of K_ab s_a s_b/(h_a h_b).
  constexpr std::array<double, 3> row(const Step& w, const Signs& s, int a) const {
    std::array<double, 3> of_k{}, result{};
    if (stands_whole(w, s))
      for (int b = 0; b < dimension(); ++b) of_k[b] = number(w, a, b);
    else
      of_k = open_part(w, s, a);
    for (int b = 0; b < dimension(); ++b) result[b] = of_k[b] * (s[a] * s[b] * per_h[a] * per_h[b]);
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

// visit.operator()<x, y, z>() for the neighbours along one axis or two, in the order of a box stencil.
template <class Visit, int... place>
constexpr void for_each_neighbour(const Visit& visit, std::integer_sequence<int, place...>) {
  const auto one = [&]<int x, int y, int z>() {
    if constexpr (x * x + y * y + z * z == 1 || x * x + y * y + z * z == 2)
      visit.template operator()<x, y, z>();
  };
  (one.template operator()<place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1>(), ...);
}

}  // namespace tensor_diffusion_detail

// The residual, without f.
struct TensorDiffusion {
  using End = tensor_diffusion_detail::End;
  using Ends = tensor_diffusion_detail::Ends;

  const double* k = nullptr;      // [number][place in the window]
  const Ends* ends = nullptr;     // [unknown], or one for all
  int profiles = 1;               // how many
  std::int64_t places = 0;        // of the window
  std::array<double, 3> per_h{};  // 1/m

  static constexpr bool linear = true, symmetric = true;
  static constexpr bool couples(bool, int r, int c) { return r == c; }

  template <class Node>
  constexpr auto operator()(const Node& u, int r) const {
    const tensor_diffusion_detail::Triads<Node> triads = about(u, r);
    if (!triads.inner({}, 2)) return near_faces(*this, u, r);
    decltype(u(r)) sum = 0;
    const auto add = [&]<int x, int y, int z>() {
      if (z != 0 && u.grid().dimension == 2) return;
      constexpr int a = x != 0 ? 0 : y != 0 ? 1 : 2, b = a < 2 && z != 0 ? 2 : a < 1 && y != 0 ? 1 : -1;
      sum += u.exchange(x, y, z, r, [&] { return triads.coupling_inside({x, y, z}, a, b); });
    };
    tensor_diffusion_detail::for_each_neighbour(add, std::make_integer_sequence<int, 27>());
    return sum;
  }

 private:
  template <class Node>
  constexpr tensor_diffusion_detail::Triads<Node> about(const Node& u, int r) const {
    return {u, k, places, ends[profiles == 1 ? 0 : r], per_h};
  }
  // The same sum anywhere. Of copies, for what stands in memory is slow to read on a GPU, and by a loop:
  // unrolled it takes minutes to compile.
  template <class Node>
  QUADRILLE_OUT_OF_LINE static constexpr auto near_faces(const TensorDiffusion flow, const Node u, int r) {
    const tensor_diffusion_detail::Triads<Node> triads = flow.about(u, r);
    decltype(u(r)) sum = 0;
    for (int place = 0; place < 27; ++place) {
      const tensor_diffusion_detail::Step to{place % 3 - 1, place / 3 % 3 - 1, place / 9 - 1};
      const int beside = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
      if (beside == 0 || beside == 3 || (to[2] != 0 && triads.dimension() == 2)) continue;
      sum += u.exchange(to[0], to[1], to[2], r, [&] { return triads.coupling(to); });
    }
    return sum;
  }
};

// What the functor points into; it must outlive it.
struct TensorCoefficients {
  Array<double> k;
  std::vector<TensorDiffusion::Ends> ends;
  NodeWindow window;
  std::array<double, 3> per_h{};

  TensorDiffusion functor() const {
    return {k.data(), ends.data(), static_cast<int>(ends.size()), window.nodes(), per_h};
  }
};

// For a box, of a field of the whole grid. Throws InputError unless the stencil is the box of radius 1 and
// faces are value, drop, periodic or clamp.
TensorCoefficients tensor_diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                    const NodeBox& box, const TensorField& field);

}  // namespace quadrille
