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
#include "assembly/pde/coefficient_field.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

inline constexpr Discretisation diffusion_stencils{.star = 1};

// What flows by a field, with what faces of flux and robin ask.
struct FlowThroughField {
  const double* a = nullptr;  // [place in the window]
  NodeWindow window;
  std::array<double, 3> ratio{1, 1, 1}, per_h2{};  // per_h2 = ratio/h^2, 1/m^2

  constexpr double conductivity(const StencilNode& node, int axis, int) const {
    return a[window.place(node.position)] * ratio[axis];
  }
  constexpr auto operator()(const auto& u, int r) const { return u.outflow(r, a, per_h2); }
};

// The residual, without f.
struct Diffusion {
  FlowThroughField flow;
  double centre_of_one = 0;      // what a = 1 has in the centre, with no face near, 1/m^2
  const double* held = nullptr;  // [place in the window], 1/s: u times this more; or null

  static constexpr bool linear = true, symmetric = true;
  static constexpr bool couples(bool, int r, int c) { return r == c; }
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    return flow.conductivity(node, axis, unknown);
  }
  constexpr auto operator()(const auto& u, int r) const {
    auto out = u.field(flow.a) == 0 ? centre_of_one * u(r) : flow(u, r);
    if (held != nullptr) out += u.field(held) * u(r);
    return out;
  }
};

// What the functor points into; it must outlive it.
struct DiffusionCoefficients {
  Array<double> a;  // [place in the window], or empty:
  const double* of_grid =
      nullptr;         // [node], of a field that outlives this, where the window is all of the grid
  Array<double> held;  // the same, or empty
  NodeWindow window;
  std::array<double, 3> per_h2{}, ratio{1, 1, 1};
  double centre_of_one = 0;

  Diffusion functor() const {
    return {{of_grid != nullptr ? of_grid : a.data(), window, ratio, per_h2},
            centre_of_one,
            held.size() > 0 ? held.data() : nullptr};
  }
};

// Takes the field. Throws InputError unless the stencil is the star of radius 1 and the field has one number
// >= 0 a node.
DiffusionCoefficients diffusion(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                Array<double> a);
// require_fine_enough() (problem.hpp) for a conductivity of a ratio[axis], a [any nodes].
void require_fine_enough_for(const Grid& grid, const Boundary& boundary, const std::string& who,
                             std::span<const double> a, const std::array<double, 3>& ratio);
// For some box, with the field in window_around() them; or with the part of a field there.
DiffusionCoefficients diffusion_around(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                       const NodeBox& box, Array<double> a,
                                       const std::array<double, 3>& ratio = {1, 1, 1});
DiffusionCoefficients diffusion_around(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                       const NodeBox& box, const CoefficientField& field,
                                       const std::array<double, 3>& ratio);

// a = exp(sigma * g), g standard normal and independent at each node, times `jump` in about a quarter of the
// blocks of 8 nodes along each axis. The same for every thread count; the last bits depend on the C library's
// exp, log and cos.
Array<double> log_normal_field(const Grid& grid, std::uint64_t seed, double sigma = 1, double jump = 1e6);
// The same, in a window.
Array<double> log_normal_field(const Grid& grid, const NodeWindow& window, std::uint64_t seed,
                               double sigma = 1, double jump = 1e6);

}  // namespace quadrille
