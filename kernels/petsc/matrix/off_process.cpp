#include "kernels/petsc/matrix/off_process.hpp"

#include <algorithm>
#include <cstddef>

#include "formats/format.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/petsc_error.hpp"

namespace quadrille::petsc {
namespace {

void check_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw PetscError(std::string("MPI: ") + call + " failed with code " + std::to_string(code));
}

// Bytes of so many entries, as MPI counts them.
PetscMPIInt bytes_of(std::size_t entries) {
  return to_index32(static_cast<std::int64_t>(entries * sizeof(Entry)), "bytes sent to one rank");
}

}  // namespace

std::vector<Entry> exchange(Mat layout, std::vector<Entry> entries, InsertMode& mode) {
  MPI_Comm comm = MPI_COMM_NULL;
  QUADRILLE_PETSC(PetscObjectGetComm(reinterpret_cast<PetscObject>(layout), &comm));
  // Insertions count 1 and additions 2, so that the union of what the ranks do is seen at once.
  int mine = entries.empty() ? 0 : mode == INSERT_VALUES ? 1 : 2, all = 0;
  check_mpi(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, comm), "MPI_Allreduce");
  if (all == 0) return {};
  if (all == 3) throw PetscError("some ranks insert values into rows of others and some add them");
  mode = all == 1 ? INSERT_VALUES : ADD_VALUES;

  const PetscInt* first_rows = nullptr;
  int size = 1, tag = 0;
  QUADRILLE_PETSC(MatGetOwnershipRanges(layout, &first_rows));
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.row < b.row; });
  std::vector<PetscMPIInt> to;
  std::vector<PetscInt> counts;
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < entries.size();) {
    const auto rank = std::upper_bound(first_rows, first_rows + size + 1, entries[i].row) - first_rows - 1;
    const std::size_t begin = i;
    while (i < entries.size() && entries[i].row < first_rows[rank + 1]) ++i;
    to.push_back(static_cast<PetscMPIInt>(rank));
    counts.push_back(static_cast<PetscInt>(i - begin));
    begins.push_back(begin);
  }

  PetscMPIInt senders = 0, *from = nullptr;
  PetscInt* incoming = nullptr;
  QUADRILLE_PETSC(PetscCommBuildTwoSided(comm, 1, MPIU_INT, static_cast<PetscMPIInt>(to.size()), to.data(),
                                         counts.data(), &senders, &from, &incoming));
  const std::vector<PetscMPIInt> from_rank(from, from + senders);
  const std::vector<PetscInt> from_count(incoming, incoming + senders);
  QUADRILLE_PETSC(PetscFree(from));
  QUADRILLE_PETSC(PetscFree(incoming));
  std::size_t total = 0;
  for (const PetscInt count : from_count) total += static_cast<std::size_t>(count);

  QUADRILLE_PETSC(PetscObjectGetNewTag(reinterpret_cast<PetscObject>(layout), &tag));
  std::vector<Entry> received(total);
  std::vector<MPI_Request> requests;
  std::size_t place = 0;
  for (std::size_t i = 0; i < from_rank.size(); ++i) {
    requests.emplace_back();
    check_mpi(MPI_Irecv(received.data() + place, bytes_of(static_cast<std::size_t>(from_count[i])), MPI_BYTE,
                        from_rank[i], tag, comm, &requests.back()),
              "MPI_Irecv");
    place += static_cast<std::size_t>(from_count[i]);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    requests.emplace_back();
    check_mpi(MPI_Isend(entries.data() + begins[i], bytes_of(static_cast<std::size_t>(counts[i])), MPI_BYTE,
                        to[i], tag, comm, &requests.back()),
              "MPI_Isend");
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  return received;
}

}  // namespace quadrille::petsc
