// A coefficient functor as a user of the library writes one, on the host and, in builds with CUDA, on the
// device.
#pragma once

#include "assembly/stencil_operator.hpp"
#include "formats/dia.hpp"

namespace quadrille {

// Anisotropic, varying along x, coupled unknowns; with a division, to see that its bits agree too.
struct UserFunctor {
  double strength = 1;

  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    return strength * (1.0 + static_cast<double>(node.position.y % 3) + 0.5 * axis + 0.3 * unknown);
  }

  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    const double along_x = 1.0 / (3.0 + static_cast<double>(node.position.x));
    const double centre = neighbour.offset == Offset{} ? 4.0 : -1.0;
    return strength * (centre * along_x + 0.1 * r - 0.3 * c * neighbour.offset.y);
  }
};

// The same with zeros within its blocks.
struct UserFunctorInFill {
  UserFunctor dense;

  static constexpr bool couples(bool centre, int r, int c) { return centre ? c >= r : r == c; }
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    return dense.conductivity(node, axis, unknown);
  }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    return couples(neighbour.offset == Offset{}, r, c) ? dense(node, neighbour, r, c) : 0;
  }
};

// The residual of a linear PDE, whose coefficients are its derivatives.
struct UserResidual {
  double strength = 1;

  static constexpr bool linear = true;
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    return strength * (1.0 + static_cast<double>(node.position.y % 3) + 0.5 * axis + 0.3 * unknown);
  }
  constexpr auto operator()(const auto& u, int r) const {
    return strength / (3 + u.x(0)) * u.slope(1, r) - strength * u.laplacian(r) + u((r + 1) % 3) / 3.0;
  }
};

// assemble_on_device() and assemble_dia_on_device() with them, in user_functor.cu.
template <class Functor>
BlockDiagonals<double, Device> assemble_user_functor_on_device(const Grid& grid, const Stencil& stencil,
                                                               const Boundary& boundary,
                                                               const Functor& functor);
template <class Functor>
Dia<double, Device> assemble_user_dia_on_device(const Grid& grid, const Stencil& stencil,
                                                const Boundary& boundary, const Functor& functor);

}  // namespace quadrille
