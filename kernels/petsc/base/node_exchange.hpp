// Values of nodes from the ranks that have them: what is on GPUs that reach each other goes there directly,
// all else by PETSc's star forests. Internal to kernels/petsc and drivers/quadrille.
#pragma once

#include <mpi.h>

#include <memory>

#include "kernels/node_exchange.hpp"

namespace quadrille::petsc {

// Of arrays of nodes with `dof` unknowns; this rank's has `from_nodes`. The communicator lives longer. For
// arrays in GPU memory PETSc has CUDA. Collective.
std::unique_ptr<NodeExchange> make_node_exchange(MPI_Comm comm, const TransfersTo& transfers,
                                                 std::int64_t from_nodes, int dof, bool on_gpu);

}  // namespace quadrille::petsc
