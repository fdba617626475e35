// Ranks that write to the memory of each other's GPUs. Internal to kernels/petsc.
#pragma once

#include <petscsf.h>

#include <memory>

#include "kernels/cuda/peer_exchange.hpp"

namespace quadrille::petsc {

// The ranks of a communicator, where they can write to the memory of each other's GPUs; null where they are
// on several machines, or share a GPU, or with -quadrille_direct_halo false. Their memory is made known once
// for a communicator, which lives longer than what is returned. Collective.
std::shared_ptr<cuda::Peers> gpu_ranks(MPI_Comm comm);

// What a star forest brings, from GPU to GPU; null where gpu_ranks() is. Collective.
std::unique_ptr<cuda::PeerExchange> gpu_exchange(PetscSF forest, std::int64_t most_unit_bytes);

}  // namespace quadrille::petsc
