// What the ranks compute together while they make the coarser levels of multigrid. Collective. No PETSc header is needed to include
// this.
#pragma once

#include <memory>
#include <vector>

#include "formats/slab.hpp"
#include "kernels/galerkin.hpp"
#include "kernels/petsc/transfer_matrix.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::petsc {

// y = P^T A P x, of this rank's `coarse_rows`: A is what `own` and `ghosts` are of the ranks' operator (KrylovProblem).
CoarseProduct rank_triple_product(std::shared_ptr<const SpmvOperator<double>> own,
                                  std::shared_ptr<const GhostPart> ghosts, const RankTransfer& interpolation,
                                  std::int64_t coarse_rows);

// Columns of numbers, one for each of this rank's rows, [column][row], of which it wants the rows of other nodes, whoever has them:
// [column][node in the order of `nodes`][row of the node].
Array<double> rows_of_nodes(const Array<double>& columns, std::int64_t rows,
                            const std::vector<std::int64_t>& nodes, int dof);

}  // namespace quadrille::petsc
