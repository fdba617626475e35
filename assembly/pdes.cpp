#include "assembly/pdes.hpp"

#include "assembly/pde/diffusion_problem.hpp"
#include "assembly/pde/elasticity_problem.hpp"
#include "assembly/pde/poisson.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

struct Known {
  const char *name, *equation, *units, *solution_units, *of_operator;
  PdePart (*assemble)(const Grid&, const Stencil&, const Boundary&, const PdeInput&, const NodeBox&);
  bool alike_on_coarser_grids;
};

constexpr Known known_pdes[] = {
    {"poisson", "-div grad u = f", "1/m2", "1", "laplacian", poisson, true},
    {"diffusion", "-div(a grad u) = f", "1/s", "1", "diffusion", diffusion_problem, false},
    {"elasticity", "-(mu lap u + (lambda + mu) grad div u) = f", "N/m3", "m", "elasticity",
     elasticity_problem, true}};

const Known& find(const std::string& name) {
  std::string text;
  for (const Known& known : known_pdes) {
    if (name == known.name) return known;
    text += (text.empty() ? "" : ", ") + std::string(known.name);
  }
  throw InputError("PDE '" + name + "' is not known; choose one of " + text);
}

}  // namespace

std::vector<std::string> pde_names() {
  std::vector<std::string> names;
  for (const Known& known : known_pdes) names.push_back(known.name);
  return names;
}

std::string pde_equation(const std::string& name) {
  return find(name).equation;
}
std::string pde_operator(const std::string& name) {
  return find(name).of_operator;
}
std::string pde_source_units(const std::string& name) {
  return find(name).units;
}

std::string pde_solution_units(const std::string& name) {
  return find(name).solution_units;
}

bool pde_looks_alike_on_coarser_grids(const std::string& name) {
  return find(name).alike_on_coarser_grids;
}

PdePart assemble_pde(const std::string& name, const Grid& grid, const Stencil& stencil,
                     const Boundary& boundary, const PdeInput& input, const NodeBox& box) {
  validate(grid);
  validate(boundary, grid);
  return find(name).assemble(grid, stencil, boundary, input, box);
}

}  // namespace quadrille
