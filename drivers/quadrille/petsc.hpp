// What stands between GridOperator and PETSc, to be used by itself: #include <quadrille/petsc.hpp>.
#pragma once

#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/shell_matrix.hpp"
#include "kernels/petsc/matrix/transfer_matrix.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "kernels/petsc/multigrid/pcmg.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "kernels/petsc/solve/krylov.hpp"
