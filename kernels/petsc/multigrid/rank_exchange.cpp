#include "kernels/petsc/multigrid/rank_exchange.hpp"

#include "kernels/petsc/base/node_exchange.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille::petsc {

std::unique_ptr<NodeExchange> PetscRanks::exchange(const TransfersTo& transfers, std::int64_t from_nodes,
                                                   int dof, bool on_gpu) {
  if (on_gpu && !has_cuda())
    throw FormatError(
        "quadrille_mg on several ranks needs a PETSc with CUDA for operators on the GPU; "
        "-mat_quadrille_space cpu runs without");
  return make_node_exchange(comm_, transfers, from_nodes, dof, on_gpu);
}

void PetscRanks::sum(std::vector<double>& values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm_);
}

double PetscRanks::largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return value;
}

}  // namespace quadrille::petsc
