// Heterogeneous diffusion  -div(a grad u) = f  for every unknown of a node by itself, with the operator and the boundary of
// assembly/pde/diffusion.hpp. u has no units, a is in m^2/s, f in 1/s.
#pragma once

#include <cstdint>

#include "assembly/pde/problem.hpp"

namespace quadrille {

// a is the log-normal field of `seed` with jumps of 1e6. Manufactured, u is as in assembly/pde/manufactured.hpp and
//
//   a = exp(0.4 sum over axes sin(2 pi s + 1)),   s = x/L,   f = -a (div grad u + sum over axes 0.8 pi/L cos(2 pi s + 1) du/dx)
//
// in m^2/s, which is periodic and has a gradient at every face. Throws InputError as diffusion(), assemble() and Manufactured
// do.
PdeLines diffusion_problem(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           std::uint64_t seed, bool manufactured, const LineRange& lines);

}  // namespace quadrille
