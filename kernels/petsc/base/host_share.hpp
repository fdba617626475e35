// The ranks of one host share its cores and GPUs. Internal to kernels/petsc.
#pragma once

#include <limits>

namespace quadrille::petsc {

struct HostShare {
  int rank = 0, ranks = 1;  // of those on this host
  int threads = std::numeric_limits<
      int>::max();  // this rank's part of its cores, where OMP_NUM_THREADS does not decide
};

// Finds the ranks of PETSC_COMM_WORLD on this host, the first time. Collective over it; MPI must be
// initialised.
void find_host_share();
// What was found; a rank alone before that.
const HostShare& host_share();

}  // namespace quadrille::petsc
