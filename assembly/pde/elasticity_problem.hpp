// Linear elasticity  -(mu lap u + (lambda + mu) grad div u) = f  of a homogeneous body, lambda = mu = 1 Pa,
// with the operator of assembly/pde/elasticity.hpp: u is the displacement in m, one unknown per axis, f in
// N/m^3.
#pragma once

#include "assembly/pde/problem.hpp"

namespace quadrille {

// Faces hold values, which may differ between the components of u, or are periodic. Where one clamps or has a
// flux, the differences across the edges of its nodes are not symmetric, and a free surface has tractions,
// which couple the components: InputError. Manufactured, each component of u is as in
// assembly/pde/manufactured.hpp. Throws InputError as elasticity(), assemble() and Manufactured do.
PdePart elasticity_problem(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           const PdeInput& input, const NodeBox& box);

}  // namespace quadrille
