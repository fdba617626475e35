// Multigrid on a grid (kernels/multigrid/multigrid.hpp) as a preconditioner of PETSc's. No PETSc header is
// needed to include this.
#pragma once

#include <string>

struct _p_Mat;
struct _p_PC;

namespace quadrille {
struct DotParts;
struct GridMultigridInfo;
}  // namespace quadrille

namespace quadrille::petsc {

// Makes "quadrille_mg" known to PCSetType() and -pc_type, within or after PetscInitialize(). It takes
// matrices of type quadrille on a grid, that of a DMDA or of make_grid_matrix(), on any ranks, and runs where
// their products do. Its options, with the preconditioner's prefix:
//
//   -pc_quadrille_mg_levels N          at most (as many as it takes)
//   -pc_quadrille_mg_coarsest N        unknowns that are few enough to be solved directly
//   -pc_quadrille_mg_gathered N        unknowns that are few enough for every rank to have the whole level
//   -pc_quadrille_mg_cycle_type v | w | f
//                                      (v; f is full multigrid, which is not symmetric)
//   -pc_quadrille_mg_sweeps N          of the smoother before and after, each (2)
//   -pc_quadrille_mg_smoother auto | chebyshev | jacobi | sor | lines
//                                      (auto: chebyshev; jacobi where the operator is far from symmetric)
//   -pc_quadrille_mg_precision auto | single | double
//                                      of the cycle (auto: single for CG, FCG, FGMRES, GCR and Richardson,
//                                      double for methods that would lose digits by it, from their first
//                                      solve on, and for coefficients that leave the range of fp32; from
//                                      where 30 iterations of FCG, FGMRES or GCR do not halve the residual)
//   -pc_quadrille_mg_interpolation auto | operator | linear
//                                      (auto: linear where the operator's own is nearly that)
//   -pc_quadrille_mg_coarse_operators auto | galerkin
//                                      (auto: where unknowns couple with others at their own node alone, as
//                                      the fill of the blocks says, coarse ones do so, too; else P^T A P)
//   -pc_quadrille_mg_semicoarsening true | false
//                                      halve only the axes that couple strongly (true)
//
// Words are taken in any case, and -help lists them at the first set-up.
//
// It is symmetric where the matrix is, linear, and the same in every application: any Krylov method may be
// used.
void register_grid_multigrid();

// Whether it takes this one: of the type, on a grid, with no more unknowns a node than it takes, and not in
// GPU memory on several ranks where PETSc has no CUDA.
bool grid_multigrid_takes(_p_Mat* matrix);

// What -ksp_view says of a quadrille_mg that is set up, in one line; empty of any other preconditioner.
std::string grid_multigrid_text(_p_PC* pc);
// What was made; null of any other preconditioner.
const GridMultigridInfo* grid_multigrid_info(_p_PC* pc);
// Of the last application, what adds up to the product of the two vectors, where the matrix is; none where
// the cycle does not make it, and of any other preconditioner.
DotParts grid_multigrid_dot(_p_PC* pc);
// Makes the levels again with cycles in fp64, where they are in fp32 and no option asks for that; whether it
// did.
bool grid_multigrid_takes_fp64(_p_PC* pc);
// Makes them again with a larger grid solved exactly, where so many iterations are worth that; whether it
// did. It stays so for later operators. After a solve that took so many it does so by itself, when it is set
// up for the next values.
bool grid_multigrid_is_more_exact(_p_PC* pc, double iterations);
inline constexpr int of_exact_solve = 15;  // iterations with it, about

}  // namespace quadrille::petsc
