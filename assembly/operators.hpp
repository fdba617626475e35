// The operators that `--operator` names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly/pde/discretisation.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

// laplacian, diffusion, random, elasticity.
std::vector<std::string> operator_names();

// The stencils and unknowns that it takes; random takes those of files as well. Throws InputError for an
// unknown name.
const Discretisation& operator_discretisation(const std::string& name);

// Of A x for an x without units: "1/m2" for the Laplacian, ...; "1" for none. Throws InputError for an
// unknown name.
std::string operator_units(const std::string& name);

// What A is, for people: "minus the Laplacian", ... Throws InputError for an unknown name.
std::string operator_title(const std::string& name);

// The operator with its default parameters: diffusion has the log-normal field with jumps of 1e6, elasticity
// has lambda = mu = 1. `seed` matters to random and diffusion. Coefficients and their sums are computed in
// double and rounded once to T (float, double). Throws InputError for an unknown name and for a stencil or
// DoF that the operator does not take, FormatError and MemoryError when it is too large.
template <class T>
AssembledOperator<T> assemble_operator(const std::string& name, const Grid& grid, const Stencil& stencil,
                                       const Boundary& boundary, std::uint64_t seed);

// The same operator as the rows of some lines of nodes each, as assemble_rows(): for operators too large to
// be assembled as a whole.
template <class T>
std::vector<Csr<T>> assemble_operator_rows(const std::string& name, const Grid& grid, const Stencil& stencil,
                                           const Boundary& boundary, std::uint64_t seed,
                                           const std::vector<LineRange>& lines);

// What the data of faces move to the right side, [row]; empty where there are none but zero.
std::vector<double> operator_rhs(const std::string& name, const Grid& grid, const Stencil& stencil,
                                 const Boundary& boundary, std::uint64_t seed);

}  // namespace quadrille
