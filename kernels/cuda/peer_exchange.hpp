// Numbers from the memory of one process's GPU to that of others on the same machine, which it writes to
// itself: nothing waits on the host, and an exchange is one launch. No CUDA header is needed to include this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/array.hpp"
#include "grid/partition.hpp"
#include "kernels/queue.hpp"

namespace quadrille::cuda {

// The current GPU among those of its machine; empty without one.
std::string bus_id();

// all: `bytes` of each process in turn. Collective.
using AllGather = std::function<void(const void* mine, void* all, std::int64_t bytes)>;

// Processes of one machine, each with a GPU of its own, that can write to each other's memory; null, for all
// of them, where some cannot. Collective.
struct Peers;
std::shared_ptr<Peers> reach_peers(int ranks, int rank, AllGather gather);

// Units of an array for a process, or from it, by their places; both name them in the same order. One of
// each process.
struct PeerUnits {
  int rank = 0;
  Array<std::int64_t, Device> places;
};
// Those of boxes, one after the other.
Array<std::int64_t, Device> places_of(const std::vector<BoxWithin>& boxes);

// to[nodes of a box] = from[nodes of one of the same size], each of some words of four bytes, which do not
// overlap; queued.
void copy_box(const void* from, const BoxWithin& of_from, void* to, const BoxWithin& of_to, int words,
              Queue queue);

class PeerExchange {
 public:
  virtual ~PeerExchange() = default;
  // `to` gets at its places what others, and this process itself, have at theirs in `from`, which may be the
  // same array. A unit is a multiple of four bytes. Collective; it may be recorded in a CUDA graph.
  virtual void run(const void* from, void* to, std::int64_t unit_bytes, Queue queue) = 0;
};

// Collective. `most_unit_bytes`: of any run. Throws CudaError, MemoryError.
std::unique_ptr<PeerExchange> make_peer_exchange(std::shared_ptr<Peers> peers, std::vector<PeerUnits> sent,
                                                 std::vector<PeerUnits> received,
                                                 std::int64_t most_unit_bytes);

}  // namespace quadrille::cuda
