#include "kernels/petsc/base/host_share.hpp"

#include <omp.h>
#include <petscsys.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace quadrille::petsc {
namespace {

HostShare share;

}  // namespace

void find_host_share() {
  static bool found = false;
  if (std::exchange(found, true)) return;
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &share.rank);
  MPI_Comm_size(host, &share.ranks);
  // Ranks that are bound to cores of their own see only those, and share nothing.
  int mine = omp_get_num_procs(), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, host);
  MPI_Comm_free(&host);
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  if (share.ranks > 1 && all > cores && std::getenv("OMP_NUM_THREADS") == nullptr)
    share.threads = std::max(1, mine * cores / all);
}

const HostShare& host_share() {
  return share;
}

}  // namespace quadrille::petsc
