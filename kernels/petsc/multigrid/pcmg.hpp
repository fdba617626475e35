// PETSc's PCMG on the levels of an operator on a grid. No PETSc header is needed to include this.
#pragma once

#include <cstdint>

struct _p_Mat;  // PETSc's Mat is a pointer to it, and PC to the other
struct _p_PC;

namespace quadrille::petsc {

enum class Multigrid { none, by_petsc, by_operator };  // pcs "mg" and "quadrille_mg"

// Of -pc_type, with a default where it is not given, -pc_mg_levels and -pc_mg_galerkin in PETSc's options.
// Throws PetscOptionError where they make no sense.
struct MultigridRequest {
  Multigrid kind = Multigrid::none;
  int levels = 0;  // of by_petsc; 0: as many as suit the grid
};
MultigridRequest multigrid_request(const char* default_preconditioner);

// Before PCSetFromOptions(): makes `pc` a PCMG for `finest`, with the levels of `on_grid`, a matrix of the
// type `quadrille` on a grid with the same rows (kernels/multigrid/grid_levels.hpp): as many as are asked for
// (0: as suit it), P^T A P in the same format, or as AIJ in the same memory where `finest` is no matrix of
// the type. Smoothers are Chebyshev with Jacobi and the coarsest level is solved by LU, unless the options
// say otherwise. An operator that maps the constants of each unknown to zero (`constants_are_null`) needs no
// more: each residual is orthogonal to them on every level, for the rows of P add up to one, and on the
// coarsest one the first node of each unknown is held, which changes nothing but the constant. Collective.
// Throws PetscOptionError where there are not so many levels, FormatError where `on_grid` is no such matrix.
struct GridLevelCount {
  int levels = 1;
  std::int64_t coarsest = 0;  // unknowns
};
GridLevelCount set_grid_levels(_p_PC* pc, _p_Mat* finest, _p_Mat* on_grid, int levels,
                               bool constants_are_null);

// After PCSetFromOptions(): the operators of the levels are there already, whatever -pc_mg_galerkin says.
void keep_operators(_p_PC* pc);

}  // namespace quadrille::petsc
