#include "assembly/operators.hpp"

#include <algorithm>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/random_blocks.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

void check_name(const std::string& name) {
  const std::vector<std::string> names = operator_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string text;
  for (const std::string& known : names) text += (text.empty() ? "" : ", ") + known;
  throw InputError("operator '" + name + "' is not known; choose one of " + text);
}

}  // namespace

std::vector<std::string> operator_names() {
  return {"laplacian", "diffusion", "random", "elasticity"};
}

std::string default_stencil(const std::string& name) {
  check_name(name);
  return name == "elasticity" ? "box" : "star";
}

template <class T>
AssembledOperator<T> assemble_operator(const std::string& name, const Grid& grid, const Stencil& stencil,
                                       const Boundary& boundary, std::uint64_t seed) {
  check_name(name);
  validate(grid);
  validate(boundary, grid.dimension);
  if (name == "laplacian") return assemble<T>(grid, stencil, boundary, laplacian(grid, stencil));
  if (name == "elasticity") return assemble<T>(grid, stencil, boundary, elasticity(grid, stencil));
  if (name == "random") return assemble<T>(grid, stencil, boundary, random_blocks(seed));
  const DiffusionCoefficients coefficients = diffusion(grid, stencil, boundary, log_normal_field(grid, seed));
  return assemble<T>(grid, stencil, boundary, coefficients.functor());
}

template AssembledOperator<float> assemble_operator(const std::string&, const Grid&, const Stencil&,
                                                    const Boundary&, std::uint64_t);
template AssembledOperator<double> assemble_operator(const std::string&, const Grid&, const Stencil&,
                                                     const Boundary&, std::uint64_t);

}  // namespace quadrille
