#include "assembly/operators.hpp"

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/random_blocks.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

struct Known {
  const char *name, *title, *units, *stencil;
};

// Units of A x for an x without units; elasticity's is for lambda and mu in Pa.
constexpr Known known_operators[] = {{"laplacian", "minus the Laplacian", "1/m2", "star"},
                                     {"diffusion", "minus div a grad", "1/s", "star"},
                                     {"random", "random blocks", "1", "star"},
                                     {"elasticity", "minus the Navier operator", "Pa/m2", "box"}};

const Known& find(const std::string& name) {
  std::string text;
  for (const Known& known : known_operators) {
    if (name == known.name) return known;
    text += (text.empty() ? "" : ", ") + std::string(known.name);
  }
  throw InputError("operator '" + name + "' is not known; choose one of " + text);
}

}  // namespace

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const Known& known : known_operators) names.push_back(known.name);
  return names;
}

std::string default_stencil(const std::string& name) {
  return find(name).stencil;
}
std::string operator_units(const std::string& name) {
  return find(name).units;
}
std::string operator_title(const std::string& name) {
  return find(name).title;
}

template <class T>
AssembledOperator<T> assemble_operator(const std::string& name, const Grid& grid, const Stencil& stencil,
                                       const Boundary& boundary, std::uint64_t seed) {
  find(name);
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
