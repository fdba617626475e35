// What the ranks compute together while they make the coarser levels of multigrid. Collective. No PETSc header is needed to include
// this.
#pragma once

#include <vector>

#include "kernels/galerkin.hpp"
#include "kernels/petsc/shared_mat.hpp"

namespace quadrille::petsc {

// y = P^T A P x, of this rank's rows of the coarse grid.
CoarseProduct triple_product(SharedMat a, SharedMat p);

// Columns of numbers, one for each of this rank's rows, [column][row], of which it wants the rows of other nodes, whoever has them:
// [column][node in the order of `nodes`][row of the node].
Array<double> rows_of_nodes(const Array<double>& columns, std::int64_t rows,
                            const std::vector<std::int64_t>& nodes, int dof);

}  // namespace quadrille::petsc
