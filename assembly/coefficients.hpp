// From the name of an operator to its coefficient functor, with default parameters. Internal to assembly.
#pragma once

#include <cstdint>
#include <string>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/random_blocks.hpp"
#include "grid/error.hpp"

namespace quadrille {

// visit(coefficient) with the functor of `name`, on the host; what it points to lives as long as the call.
// Throws as assemble_operator().
template <class Visit>
auto with_coefficients(const std::string& name, const Grid& grid, const Stencil& stencil,
                       const Boundary& boundary, std::uint64_t seed, const Visit& visit) {
  validate(grid);
  validate(boundary, grid);
  if (name == "laplacian") return visit(laplacian(grid, stencil));
  if (name == "elasticity") return visit(elasticity(grid, stencil));
  if (name == "random") return visit(random_blocks(seed));
  if (name != "diffusion") throw InputError("operator '" + name + "' is not known");
  const DiffusionCoefficients coefficients = diffusion(grid, stencil, boundary, log_normal_field(grid, seed));
  return visit(coefficients.functor());
}

}  // namespace quadrille
