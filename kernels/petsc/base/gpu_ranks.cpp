#include "kernels/petsc/base/gpu_ranks.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <string>
#include <vector>

#include "kernels/petsc/base/check.hpp"

namespace quadrille::petsc {
namespace {

#if defined(PETSC_HAVE_CUDA)

// Which GPU a rank has.
struct GpuName {
  std::array<char, MPI_MAX_PROCESSOR_NAME> machine{};
  std::array<char, 32> place{};
  auto operator<=>(const GpuName&) const = default;
};

// On one machine, each with a GPU of its own.
bool may_reach(MPI_Comm comm, int ranks) {
  PetscBool wanted = PETSC_TRUE;
  QUADRILLE_PETSC(PetscOptionsGetBool(nullptr, nullptr, "-quadrille_direct_halo", &wanted, nullptr));
  GpuName mine{};
  int length = 0;
  MPI_Get_processor_name(mine.machine.data(), &length);
  const std::string place = wanted ? cuda::bus_id() : "";
  std::copy_n(place.data(), std::min(place.size(), mine.place.size()), mine.place.data());
  std::vector<GpuName> all(static_cast<std::size_t>(ranks));
  constexpr int bytes = sizeof(GpuName);
  MPI_Allgather(&mine, bytes, MPI_CHAR, all.data(), bytes, MPI_CHAR, comm);
  std::sort(all.begin(), all.end());
  return all.front().machine == all.back().machine && all.front().place[0] != 0 &&
         std::adjacent_find(all.begin(), all.end()) == all.end();
}

std::shared_ptr<cuda::Peers> reached(MPI_Comm comm) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  if (!may_reach(comm, ranks)) return nullptr;
  return cuda::reach_peers(ranks, rank, [comm](const void* mine, void* all, std::int64_t bytes) {
    MPI_Allgather(mine, static_cast<int>(bytes), MPI_CHAR, all, static_cast<int>(bytes), MPI_CHAR, comm);
  });
}

// Kept with the communicator, as long as that lives; null is kept, too.
std::shared_ptr<cuda::Peers> ranks_of(MPI_Comm comm) {
  using Kept = std::shared_ptr<cuda::Peers>;
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    const auto forget = [](MPI_Comm, int, void* kept, void*) -> int {
      delete static_cast<Kept*>(kept);
      return MPI_SUCCESS;
    };
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr);
    return made;
  }();
  void* kept = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, &kept, &found);
  if (found == 0) {
    kept = new Kept(reached(comm));
    MPI_Comm_set_attr(comm, key, kept);
  }
  return *static_cast<Kept*>(kept);
}

std::vector<cuda::PeerUnits> peers(PetscMPIInt count, const PetscMPIInt* ranks, const PetscInt* first,
                                   const PetscInt* places) {
  std::vector<cuda::PeerUnits> found;
  for (PetscMPIInt i = 0; i < count; ++i) {
    Array<std::int64_t> of_rank(first[i + 1] - first[i]);
    std::copy(places + first[i], places + first[i + 1], of_rank.data());
    found.push_back({ranks[i], copy_to<Device>(of_rank)});
  }
  return found;
}

#endif

}  // namespace

std::shared_ptr<cuda::Peers> gpu_ranks([[maybe_unused]] MPI_Comm comm) {
#if defined(PETSC_HAVE_CUDA)
  MPI_Comm inner = MPI_COMM_NULL;  // that of PETSc's objects
  PetscMPIInt tag = 0;
  QUADRILLE_PETSC(PetscCommDuplicate(comm, &inner, &tag));
  std::shared_ptr<cuda::Peers> ranks = ranks_of(inner);
  QUADRILLE_PETSC(PetscCommDestroy(&inner));
  return ranks;
#else
  return nullptr;
#endif
}

std::unique_ptr<cuda::PeerExchange> gpu_exchange([[maybe_unused]] PetscSF forest,
                                                 [[maybe_unused]] std::int64_t most_unit_bytes) {
#if defined(PETSC_HAVE_CUDA)
  std::shared_ptr<cuda::Peers> ranks = gpu_ranks(PetscObjectComm(reinterpret_cast<PetscObject>(forest)));
  if (ranks == nullptr) return nullptr;
  PetscMPIInt count = 0;
  const PetscMPIInt* of = nullptr;
  const PetscInt *first = nullptr, *places = nullptr, *theirs = nullptr;
  QUADRILLE_PETSC(PetscSFGetLeafRanks(forest, &count, &of, &first, &places));
  std::vector<cuda::PeerUnits> sent = peers(count, of, first, places);
  QUADRILLE_PETSC(PetscSFGetRootRanks(forest, &count, &of, &first, &places, &theirs));
  return cuda::make_peer_exchange(std::move(ranks), std::move(sent), peers(count, of, first, places),
                                  most_unit_bytes);
#else
  return nullptr;
#endif
}

}  // namespace quadrille::petsc
