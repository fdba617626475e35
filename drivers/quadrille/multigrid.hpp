// Multigrid on grids, without PETSc: #include <quadrille/multigrid.hpp>. docs/multigrid.md has the words.
#pragma once

#include "kernels/multigrid/grid_levels.hpp"
#include "kernels/multigrid/multigrid.hpp"
