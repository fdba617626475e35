#include "kernels/petsc/base/ranks.hpp"

#include <mpi.h>
#include <petscsys.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <limits>

#include "formats/format.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

void check_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw quadrille::PetscError(std::string("MPI: ") + call + " failed with code " + std::to_string(code));
}

bool started() {
  PetscBool initialised = PETSC_FALSE;
  PetscInitialized(&initialised);
  return initialised;
}

template <class T>
T reduced(T mine, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  T all = mine;
  if (ranks() > 1) check_mpi(MPI_Allreduce(&mine, &all, 1, type, operation, comm), "MPI_Allreduce");
  return all;
}

MPI_Comm ranks_of_host() {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
            "MPI_Comm_split_type");
  return host;
}

// For verdicts alone, so that they meet nothing else that is under way.
MPI_Comm verdicts() {
  static MPI_Comm comm = MPI_COMM_NULL;
  if (comm == MPI_COMM_NULL) check_mpi(MPI_Comm_dup(PETSC_COMM_WORLD, &comm), "MPI_Comm_dup");
  return comm;
}

}  // namespace

int rank() {
  int number = 0;
  if (started()) MPI_Comm_rank(PETSC_COMM_WORLD, &number);
  return number;
}

int ranks() {
  int count = 1;
  if (started()) MPI_Comm_size(PETSC_COMM_WORLD, &count);
  return count;
}

int rank_by_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* const value = std::getenv(name)) return std::atoi(value);
  return 0;
}

double sum_over_ranks(double mine) {
  return reduced(mine, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
}
std::int64_t sum_over_ranks(std::int64_t mine) {
  return reduced(mine, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
}
void sum_over_ranks(std::vector<double>& mine) {
  if (ranks() > 1)
    check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, mine.data(), to_index32(static_cast<std::int64_t>(mine.size()), "sums"),
                      MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD),
        "MPI_Allreduce");
}
// A NaN is larger than every number.
double largest_over_ranks(double mine) {
  const double nan = sum_over_ranks(mine != mine ? 1.0 : 0.0);
  const double largest = reduced(mine != mine ? 0 : mine, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return nan > 0 ? std::numeric_limits<double>::quiet_NaN() : largest;
}

std::int64_t sum_on_host(std::int64_t mine) {
  if (ranks() == 1) return mine;
  MPI_Comm host = ranks_of_host();
  const std::int64_t sum = reduced(mine, MPI_INT64_T, MPI_SUM, host);
  MPI_Comm_free(&host);
  return sum;
}

Verdict verdict(int code, const std::function<void()>& last_words) {
  if (ranks() == 1) return {0, code};
  constexpr std::chrono::seconds patience(10);
  struct {
    int rank, code;
  } mine{code == 0 ? std::numeric_limits<int>::max() : rank(), code}, lowest{};
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&mine, &lowest, 1, MPI_2INT, MPI_MINLOC, verdicts(), &request), "MPI_Iallreduce");
  const auto start = std::chrono::steady_clock::now();
  for (int done = 0; !done;) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) break;
    usleep(1000);
    if (code == 0 || std::chrono::steady_clock::now() - start < patience) continue;
    last_words();
    usleep(300000);  // mpiexec passes them on before it stops everything
    MPI_Abort(PETSC_COMM_WORLD, code);
  }
  return {lowest.rank == std::numeric_limits<int>::max() ? 0 : lowest.rank, lowest.code};
}

}  // namespace quadrille::petsc
