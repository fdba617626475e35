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
#include <vector>

#include "assembly/node_window.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/pde/tensor_field.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

inline constexpr Discretisation tensor_diffusion_stencils{.star = 0, .box = 1};

struct TensorDiffusion {
  enum class End : std::uint8_t { around, holds, closed };
  using Ends = std::array<End, 6>;
  using Place = std::array<std::int64_t, 3>;  // may be beyond a face
  using Signs = std::array<int, 3>;

  const double* k = nullptr;   // [node of the window][number]
  const Ends* ends = nullptr;  // [unknown], or one for all
  int profiles = 1;            // how many
  NodeWindow window;
  int dimension = 3;
  std::array<double, 3> per_h{};  // 1/m

  static constexpr bool couples(bool, int r, int c) { return r == c; }

  double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r, int c) const;

 private:
  bool stands(std::int64_t at, int axis, const Ends& faces) const;
  bool inner(const Place& p, const Ends& faces) const;
  const double* tensor(Place at) const;
  double number(const Place& at, int a, int b) const { return tensor(at)[tensor_place(dimension, a, b)]; }
  // Row a of K_ab s_a s_b/(h_a h_b) of a triad, without the axes along which there is no neighbour.
  std::array<double, 3> row(const Place& w, const Signs& s, int a, const Ends& faces) const;
  double sum_over_third(const Place& w, Signs s, int a, int b, const Ends& faces) const;
  double sum_along(const Place& w, Signs s, int a, const Ends& faces) const;
  double along(const Place& p, const Place& q, int a, const Ends& faces) const;
  double across(const Place& p, const Place& q, int a, int b, const Ends& faces) const;
  // What couples two places; the same bits for both rows.
  double coupling(Place p, const Offset& offset, const Ends& faces) const;
};

// What the functor points into; it must outlive it.
struct TensorCoefficients {
  Array<double> k;
  std::vector<TensorDiffusion::Ends> ends;
  NodeWindow window;
  int dimension = 3;
  std::array<double, 3> per_h{};

  TensorDiffusion functor() const {
    return {k.data(), ends.data(), static_cast<int>(ends.size()), window, dimension, per_h};
  }
};

// For a box, of a field of the whole grid. Throws InputError unless the stencil is the box of radius 1 and
// faces are value, drop, periodic or clamp.
TensorCoefficients tensor_diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                    const NodeBox& box, const TensorField& field);

}  // namespace quadrille
