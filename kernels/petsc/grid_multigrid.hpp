// Multigrid on a grid (kernels/multigrid/multigrid.hpp) as a preconditioner of PETSc's. No PETSc header is
// needed to include this.
#pragma once

#include <memory>
#include <string>

#include "formats/block_diagonals.hpp"

struct _p_Mat;
struct _p_PC;

namespace quadrille::petsc {

// Makes "quadrille_mg" known to PCSetType() and -pc_type, within or after PetscInitialize(). It takes
// matrices of type quadrille on a DMDA, on any ranks, and those of one rank that offer_grid_operator() was
// called for, and runs where their values are. Its options, with the preconditioner's prefix:
//
//   -pc_quadrille_mg_levels N          at most (as many as it takes)
//   -pc_quadrille_mg_coarsest N        unknowns that are few enough to be solved by the inverse
//   -pc_quadrille_mg_gathered N        unknowns that are few enough for every rank to have the whole level
//   -pc_quadrille_mg_cycle v | w | f   (v; f is full multigrid, which is not symmetric)
//   -pc_quadrille_mg_sweeps N          of the smoother before and after, each (2)
//   -pc_quadrille_mg_precision single | double
//                                      of the cycle (single for CG, FCG, FGMRES, GCR and Richardson, double for
//                                      methods that would lose digits by it, from their first solve on)
//   -pc_quadrille_mg_interpolation auto | operator | linear
//                                      (auto: linear where the operator's own is nearly that)
//   -pc_quadrille_mg_semicoarsening true | false
//                                      halve only the axes that couple strongly (true)
//
// It is symmetric where the matrix is, linear, and the same in every application: any Krylov method may be
// used.
void register_grid_multigrid();

// For a matrix of another kind that is this operator on a grid: one of them may be null.
void offer_grid_operator(_p_Mat* matrix, std::shared_ptr<const BlockDiagonals<double>> hub,
                         std::shared_ptr<const BlockDiagonals<double, Device>> device_hub);

// What -ksp_view says of a quadrille_mg that is set up, in one line; empty of any other preconditioner.
std::string grid_multigrid_text(_p_PC* pc);

}  // namespace quadrille::petsc
