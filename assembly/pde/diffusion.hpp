// -div(a grad u) = f, for every unknown of a node by itself (diagonal blocks); a >= 0 is given at the nodes.
// Sign: positive diagonal. With a in m^2/s the coefficients are in 1/s.
//
// Finite volumes around the nodes, star of radius 1: across the face between nodes i and j the coefficient is
// the harmonic mean 2 a_i a_j/(a_i + a_j), divided by h^2 of the axis. Towards a dropped or constant
// neighbour it is a_i. Towards a clamped neighbour, which is the node itself, it is a_i too and cancels: no
// flux. Faces of flux and robin have the flux q = a du/dn, with the a_i of the node. The operator is
// symmetric, bit by bit. Source: Patankar, Numerical Heat Transfer and Fluid Flow, 1980, section 4.2-3.
//
// Along axis x the coefficient is a ratio[x], and so on. A node where a is 0 lets nothing through: its row
// and its column hold the diagonal of a = 1 alone.
#pragma once

#include <array>
#include <span>
#include <string>

#include "assembly/node_window.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

inline constexpr Discretisation diffusion_stencils{.star = 1};

struct Diffusion {
  const double* a = nullptr;       // [node]
  const double* centre = nullptr;  // [node], the sum over all faces of the node, 1/m^2 times a
  std::array<double, 3> per_h2{};  // ratio/h^2 of each axis, 1/m^2
  std::array<double, 3> ratio{1, 1, 1};

  static constexpr bool couples(bool, int r, int c) { return r == c; }

  constexpr double conductivity(const StencilNode& node, int axis, int) const {
    return a[node.index] * ratio[axis];
  }

  static constexpr double harmonic_mean(double a, double b) {  // 0 of 0 and 0
    const double sum = a + b;
    return 2.0 * (a * b) / (sum > 0 ? sum : 1.0);
  }

  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    if (r != c) return 0;
    const Offset& o = neighbour.offset;
    if (o == Offset{}) return centre[node.index];
    const double scale = per_h2[o.x != 0 ? 0 : o.y != 0 ? 1 : 2];
    if (neighbour.index < 0 || neighbour.index == node.index) return -(a[node.index] * scale);
    return -(harmonic_mean(a[node.index], a[neighbour.index]) * scale);
  }
};

// The same, of fields that are given in a window.
struct DiffusionInWindow {
  Diffusion diffusion;
  NodeWindow window;

  static constexpr bool couples(bool centre, int r, int c) { return Diffusion::couples(centre, r, c); }

  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    return diffusion.conductivity({window.place(node.position), node.position}, axis, unknown);
  }

  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    const StencilNode at{window.place(node.position), node.position};
    StencilNeighbour to = neighbour;
    if (to.index >= 0) to.index = window.place(to.resolved.position);
    return diffusion(at, to, r, c);
  }
};

// What the functor points into; it must outlive it.
struct DiffusionCoefficients {
  Array<double> a;       // [node of the window]
  Array<double> centre;  // [node of the window], of the box it is made around
  std::array<double, 3> per_h2{}, ratio{1, 1, 1};
  NodeWindow window;
  double centre_of_one = 0;  // what a = 1 has in the centre, with no face near

  Diffusion functor() const { return {a.data(), centre.data(), per_h2, ratio}; }  // of a whole grid
  DiffusionInWindow functor_in_window() const { return {functor(), window}; }
};

// Takes the field. Throws InputError unless the stencil is the star of radius 1 and the field has one number
// >= 0 a node.
DiffusionCoefficients diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                Array<double> a);
// require_fine_enough() (problem.hpp) for a conductivity of a ratio[axis], a [any nodes].
void require_fine_enough_for(const Grid& grid, const Boundary& boundary, const std::string& who,
                             std::span<const double> a, const std::array<double, 3>& ratio);
// For some box, with the field in window_around() them.
DiffusionCoefficients diffusion_around(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                       const NodeBox& box, Array<double> a,
                                       const std::array<double, 3>& ratio = {1, 1, 1});

// a = exp(sigma * g), g standard normal and independent at each node, times `jump` in about a quarter of the
// blocks of 8 nodes along each axis. The same for every thread count; the last bits depend on the C library's
// exp, log and cos.
Array<double> log_normal_field(const Grid& grid, std::uint64_t seed, double sigma = 1, double jump = 1e6);
// The same, in a window.
Array<double> log_normal_field(const Grid& grid, const NodeWindow& window, std::uint64_t seed,
                               double sigma = 1, double jump = 1e6);

}  // namespace quadrille
