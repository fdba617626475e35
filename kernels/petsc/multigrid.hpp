// Geometric multigrid by PETSc's PCMG, on levels of any format. No PETSc header is needed to include this.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/grid_transfer.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// A level below the finest.
struct MultigridLevel {
  std::shared_ptr<const SpmvOperator<double>> op;
  std::shared_ptr<const GridTransfer<double>>
      interpolation;  // to the next finer level; its transpose restricts
};

// How an operator on a coarser grid is made: the PDE is discretised there again, or P^T A P.
enum class CoarseOperators { as_suits, rediscretised, galerkin };

struct CoarseLevels {
  std::vector<MultigridLevel> below;  // the finest, the next finer ones first
  bool galerkin = false;              // how their operators were made
};

// `levels` counts the finest, and 0 stands for as many as suit the grid.
using Coarsen = std::function<CoarseLevels(int levels, CoarseOperators operators)>;

}  // namespace quadrille::petsc
