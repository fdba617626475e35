// The PDEs that `quadrille solve` names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly/pde/problem.hpp"

namespace quadrille {

// poisson, diffusion, elasticity.
std::vector<std::string> pde_names();

// For people: "-div grad u = f", ... Throws InputError for an unknown name.
std::string pde_equation(const std::string& name);

// The operator of assembly/operators.hpp that it is of. Throws InputError for an unknown name.
std::string pde_operator(const std::string& name);

// Whether the PDE on a coarser grid is the same problem, resolved less; else coefficients are drawn for every
// node. Throws InputError for an unknown name.
bool pde_looks_alike_on_coarser_grids(const std::string& name);

// Of the right side, for a u without units: "1/m2", ... Throws InputError for an unknown name.
std::string pde_source_units(const std::string& name);
// Of u: "1", or "m". Throws InputError for an unknown name.
std::string pde_solution_units(const std::string& name);

// The PDE on a box of the nodes of a grid, bit by bit those of the whole: what a rank assembles. Nothing in
// it is as large as the grid. Throws InputError for an unknown name and for a stencil or boundary that the
// PDE does not take, FormatError and MemoryError when it is too large.
PdePart assemble_pde(const std::string& name, const Grid& grid, const Stencil& stencil,
                     const Boundary& boundary, const PdeInput& input, const NodeBox& box);

}  // namespace quadrille
