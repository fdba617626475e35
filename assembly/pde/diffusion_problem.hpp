// Heterogeneous diffusion  -div(a grad u) = f  for every unknown of a node by itself, with the operator and
// the boundary of assembly/pde/diffusion.hpp. u has no units, a is in m^2/s, f in 1/s.
#pragma once

#include "assembly/pde/problem.hpp"

namespace quadrille {

// a is the field of the input or, without one, the log-normal one of its seed with jumps of 1e6.
// Manufactured, u is as in assembly/pde/manufactured.hpp and
//
//   a = exp(0.4 sum over axes sin(2 pi s + 1)),   s = x/L
//   f = -a sum over axes (d^2u/dx^2 + 0.8 pi/L cos(2 pi s + 1) du/dx)
//
// in m^2/s, which is periodic and has a gradient at every face; along an axis both terms of f are times its
// coefficient_ratio. A field with barriers (assembly/pde/coefficient_field.hpp) makes no singular system: in
// each of its closed regions a cell is held, and sources balance what comes in through faces of flux.
//
// Throws InputError as diffusion(), assemble() and Manufactured do, and where a problem is manufactured with
// a field of its own.
PdePart diffusion_problem(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                          const PdeInput& input, const NodeBox& box);

}  // namespace quadrille
