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
// A sum of squares: symmetric (bit by bit, but with robin and around axes of one or two nodes, where points
// of the stencil fall together) and positive semi-definite for every K, with no null space but constants.
// Rows sum to zero but where faces hold u. It is the scheme of Griffies et al., Isoneutral Diffusion in a
// z-Coordinate Ocean Model, J. Phys. Oceanogr. 28, 1998, 805-830, and the same as bilinear or trilinear
// finite elements whose integrals are taken by the corners' values, with lumped mass. Order 2. In 2D it
// couples 9 nodes, in 3D 19, those along two axes at once; a diagonal K has the star, with arithmetic means.
//
// Faces: beyond value and drop, one spacing on, stands a node of the lattice that holds X, with the K of the
// last node. Beyond clamp, half a spacing on, is no node: there g along the axis is such that K grad u has no
// component along it, which is to take that axis out of K (the Schur complement).
//
// flux and robin say A u_face + B q = C of the flux q along the axis a that points out, in which the energy
// has a part of its own, and u_face is u(w) + h g_a/2. With the difference p = (C - A u(w))/(B + A h/2),
// which is what (u_ghost - u)/h of neighbour.hpp comes to for a conductivity of 1, and b = B/(B + A h/2),
//
//   b q + (1 - b) g_a = p      gives g_a, and with it the fluxes K g along all axes, by p and the other g:
//
// Gauss's elimination of g_a, with b K_aa + 1 - b as its pivot (Triads::response). The row of w has what
// flows along the open axes and -2 q/h, as the derivative of the energy has them; so it stays symmetric.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "assembly/node_window.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/pde/tensor_field.hpp"
#include "assembly/pde/tensor_triads.hpp"
#include "assembly/residual_node.hpp"
#include "grid/boundary.hpp"

namespace quadrille {

inline constexpr Discretisation tensor_diffusion_stencils{.star = 0, .box = 1};

namespace tensor_diffusion_detail {

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
  bool has_flows = false;         // some face has flux or robin

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

  template <class Node>
  constexpr bool is_at_flows(const Node& u, int r) const {
    return about(u, r).is_at_flows();
  }
  // What faces of flux and robin add to the row of a node at one of them.
  template <class Node>
  QUADRILLE_OUT_OF_LINE static constexpr auto of_faces(const TensorDiffusion flow, const Node u, int r) {
    const tensor_diffusion_detail::Triads<Node> triads = flow.about(u, r);
    decltype(u(r)) sum = 0;
    triads.add_through_faces(sum, r);
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
    return flow.has_flows && triads.is_at_flows() ? sum + of_faces(flow, u, r) : sum;
  }
};

// What the functor points into; it must outlive it.
struct TensorCoefficients {
  Array<double> k;
  std::vector<TensorDiffusion::Ends> ends;
  NodeWindow window;
  std::array<double, 3> per_h{};
  bool has_flows = false;

  TensorDiffusion functor() const {
    return {k.data(), ends.data(), static_cast<int>(ends.size()), window.nodes(), per_h, has_flows};
  }
};

// For a box, of a field of the whole grid. Throws InputError unless the stencil is the box of radius 1, and
// where robin has A and B of different signs and the grid is too coarse for it.
TensorCoefficients tensor_diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                    const NodeBox& box, const TensorField& field);

// Adds to the right side of a box what flux and robin bring in, X and C.
void add_data_of_flux(const Grid& grid, const Boundary& boundary, const NodeBox& box,
                      const TensorCoefficients& coefficients, std::vector<double>& rhs);

}  // namespace quadrille
