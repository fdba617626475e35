// Ranks that write to the memory of each other's GPUs. Internal to kernels/petsc.
#pragma once

#include <petscsf.h>

#include <memory>

#include "kernels/cuda/peer_exchange.hpp"

namespace quadrille::petsc {

// What a star forest brings, from the memory of each rank's GPU to that of others; null where ranks are on
// several machines, or share a GPU, or with -quadrille_direct_halo false. Their memory is made known once for
// a communicator. Collective.
std::unique_ptr<cuda::PeerExchange> gpu_exchange(PetscSF forest, std::int64_t most_unit_bytes);

// Whether that is not null for forests of these ranks. Collective.
bool reach_each_others_gpus(MPI_Comm comm);

}  // namespace quadrille::petsc
