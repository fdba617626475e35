// Poisson's equation  -div grad u = f  for every unknown of a node by itself, with the operator and the
// boundary of assembly/pde/laplacian.hpp. u has no units, f is in 1/m^2.
//
// Manufactured: u as in assembly/pde/manufactured.hpp and f = -div grad u. The star of radius 1 and the box
// converge with order 2 on every boundary, also of flux and robin; wider stars with order 2R on periodic
// grids only, for their closure at faces is of low order.
#pragma once

#include "assembly/pde/problem.hpp"

namespace quadrille {

// Throws InputError as laplacian(), assemble() and Manufactured do.
PdePart poisson(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                const NodeBox& box);

}  // namespace quadrille
