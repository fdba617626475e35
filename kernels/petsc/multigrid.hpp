// Geometric multigrid by PETSc's PCMG, on levels of any matrices, on one rank or spread over all. No PETSc
// header is needed to include this.
#pragma once

#include <functional>
#include <vector>

#include "kernels/petsc/shared_mat.hpp"
#include "kernels/petsc/solver_defaults.hpp"

namespace quadrille::petsc {

// A level below the finest.
struct MultigridLevel {
  SharedMat matrix;
  SharedMat interpolation;  // to the next finer level; its transpose restricts
};

// How an operator on a coarser grid is made: the PDE is discretised there again, or P^T A P.
enum class CoarseOperators { as_suits, rediscretised, galerkin };

struct CoarseLevels {
  std::vector<MultigridLevel> below;  // the finest, the next finer ones first
  bool galerkin = false;              // how their operators were made
};

// Of -pc_type, -pc_mg_levels and -pc_mg_galerkin in PETSc's options, with `defaults` where they do not say.
// Throws PetscOptionError where they make no sense.
struct MultigridRequest {
  bool wanted = false;
  int levels = 0;  // 0: not said
  CoarseOperators operators = CoarseOperators::as_suits;
};
MultigridRequest multigrid_request(const SolverDefaults& defaults);

// `levels` counts the finest, and 0 stands for as many as suit the grid.
using Coarsen = std::function<CoarseLevels(int levels, CoarseOperators operators)>;

}  // namespace quadrille::petsc
