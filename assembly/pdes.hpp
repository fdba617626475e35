// The PDEs that `quadrille solve` names.
#pragma once

#include <string>
#include <vector>

#include "assembly/pde/problem.hpp"

namespace quadrille {

const std::vector<Pde>& pdes();
const std::vector<Pde>& linear_pdes();  // those that are linear and steady: with an `assemble`
std::vector<std::string> pde_names();
// Throws InputError for an unknown name.
const Pde& find_pde(const std::string& name);

// Whether a PDE is solved with such faces.
bool takes(const Pde& pde, BoundaryKind kind);
// Why it is not solved with these, in a sentence; empty where it is. Of stencils and unknowns
// assembly/pde/discretisation.hpp says it.
std::string why_not(const Pde& pde, const Grid& grid, const Boundary& boundary);
// Of a star that reaches further than the nodes beside: which of these faces it does not close at, likewise.
std::string why_not_wide(const Grid& grid, const Stencil& stencil, const Boundary& boundary);

// The fields of its unknowns, with names of their own; empty: one field of all. Of one unknown per axis 2D
// has two.
struct Unknown {
  std::string name, unit;
};
std::vector<Unknown> unknowns_of(const Pde& pde, int dimension);

// Of the error in h against the manufactured solution. With a star of radius R it is R times as high; of R =
// 3 and 4 where all faces are periodic, and else 1, for they end so at faces.
int order_of(const Pde& pde, const Grid& grid, const Stencil& stencil, const Boundary& boundary);

// The one of that name, or null.
const PdeParameter* find_parameter(const Pde& pde, const std::string& name);
// Of every parameter of the PDE, in its order. Throws InputError where one of those that are given is
// unknown, given twice, not finite or out of its bounds, and where they do not go together.
ParameterValues parameters_of(const Pde& pde, const ParameterValues& given);
// "above 0", "at least 0", or nothing.
std::string bound_text(const PdeParameter& parameter);

// As Pde::assemble. Throws InputError for an unknown name, for a grid, stencil, boundary or parameters that
// the PDE does not take and for a manufactured problem where it has none, FormatError and MemoryError when it
// is too large.
PdePart assemble_pde(const std::string& name, const Grid& grid, const Stencil& stencil,
                     const Boundary& boundary, const PdeInput& input, const NodeBox& box);

// As Pde::residual, of one that has it. Throws as assemble_pde().
ResidualProblem residual_of_pde(const Pde& named, const Grid& grid, const Stencil& stencil,
                                const Boundary& boundary, const PdeInput& input, const NodeBox& box);

}  // namespace quadrille
