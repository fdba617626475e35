#include "kernels/cuda/peer_exchange.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/stream.hpp"

namespace quadrille::cuda {
namespace {

constexpr int chunks = 32;  // of what a process has for another; a block each

// What one process has for another and gets from it. Its buffers there and here are two, in turn: what comes
// in an exchange is read before the other process ends it, which this one waits for in the next exchange
// before it writes there again.
struct Trade {
  const std::int64_t *send_places, *receive_places;
  std::int64_t sent, received;              // units
  std::uint32_t *there, *here;              // buffers; null where the process trades with itself
  std::int64_t there_apart, here_apart;     // words from one of the two buffers to the other
  std::uint32_t *flags_there, *flags_here;  // [chunk] the number of the exchange that it is there of
};

__device__ void raise(std::uint32_t* flag, std::uint32_t number) {
  __threadfence_system();
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(number) : "memory");
}
__device__ void wait_for_flag(const std::uint32_t* flag, std::uint32_t number) {
  std::uint32_t now = 0;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(now) : "l"(flag) : "memory");
  } while (static_cast<std::int32_t>(now - number) < 0);
}

// body(word of the message, that of the array) for the chunk of this block.
template <class Body>
__device__ void for_words(const std::int64_t* places, std::int64_t units, int words, const Body& body) {
  const std::int64_t chunk = blockIdx.x % chunks, first = units * chunk / chunks * words,
                     end = units * (chunk + 1) / chunks * words;
  for (std::int64_t i = first + threadIdx.x; i < end; i += blockDim.x) {
    const std::int64_t unit = i / words;
    body(i, places[unit] * words + (i - unit * words));
  }
}

// counts: exchanges that are done, and blocks that are done with this one.
__global__ void exchange_kernel(const Trade* __restrict__ trades, const std::uint32_t* from,
                                std::uint32_t* to, int words, std::uint32_t* counts) {
  const Trade t = trades[blockIdx.x / chunks];
  const int chunk = static_cast<int>(blockIdx.x % chunks);
  const std::uint32_t number = *static_cast<volatile std::uint32_t*>(counts) + 1;
  if (t.there == nullptr) {
    for_words(t.send_places, t.sent, words, [&](std::int64_t i, std::int64_t at) {
      const std::int64_t unit = i / words;
      to[t.receive_places[unit] * words + (i - unit * words)] = from[at];
    });
  } else {
    std::uint32_t* const there = t.there + (number % 2) * t.there_apart;
    std::uint32_t* const here = t.here + (number % 2) * t.here_apart;
    for_words(t.send_places, t.sent, words, [&](std::int64_t i, std::int64_t at) { there[i] = from[at]; });
    __syncthreads();
    if (threadIdx.x == 0) {
      raise(t.flags_there + chunk, number);
      wait_for_flag(t.flags_here + chunk, number);
    }
    __syncthreads();
    for_words(t.receive_places, t.received, words,
              [&](std::int64_t i, std::int64_t at) { to[at] = __ldcg(here + i); });
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(counts + 1, 1) + 1 < gridDim.x) return;
  counts[1] = 0;
  counts[0] = number;
}

__global__ void places_kernel(const __grid_constant__ BoxWithin box, std::int64_t* __restrict__ places) {
  const std::int64_t node = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (node < box.nodes()) places[node] = box.place(node);
}

// Lines of a box: a block for each, in the second dimension of the grid, or for some of them.
__global__ void copy_box_kernel(const std::uint32_t* __restrict__ from,
                                const __grid_constant__ BoxWithin here, std::uint32_t* __restrict__ to,
                                const __grid_constant__ BoxWithin there, int words) {
  const std::int64_t lines = here.size[1] * here.size[2], width = here.size[0] * words;
  for (std::int64_t line = blockIdx.y; line < lines; line += gridDim.y) {
    const std::int64_t node = line * here.size[0], get = here.place(node) * words,
                       put = there.place(node) * words;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < width;
         i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
      to[put + i] = from[get + i];
  }
}

// A part of the memory that others may write to.
struct Range {
  int segment = -1;
  std::int64_t first = 0, bytes = 0;
};

}  // namespace

std::string bus_id() {
  char text[32] = {};
  if (device_count() == 0) return "";
  QUADRILLE_CUDA(cudaDeviceGetPCIBusId(text, sizeof(text), current_device()));
  return text;
}

// Memory is given to others in large segments, for that takes long, and exchanges have ranges of them.
struct Peers {
  static constexpr std::int64_t least_segment = 16 << 20, alignment = 256;
  int ranks, rank;
  AllGather gather;
  struct Segment {
    std::vector<char*> of;                      // [rank] where it is for this process
    std::map<std::int64_t, std::int64_t> free;  // own bytes from a place on
  };
  std::vector<Segment> segments;

  Peers(int ranks, int rank, AllGather gather) : ranks(ranks), rank(rank), gather(std::move(gather)) {}
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers() {
    for (Segment& segment : segments)
      for (int i = 0; i < std::ssize(segment.of); ++i)
        if (segment.of[i] != nullptr)
          (void)(i == rank ? cudaFree(segment.of[i]) : cudaIpcCloseMemHandle(segment.of[i]));
    (void)cudaGetLastError();
  }

  template <class T>
  std::vector<T> gathered(const T& mine) const {
    std::vector<T> all(static_cast<std::size_t>(ranks));
    gather(&mine, all.data(), sizeof(T));
    return all;
  }
  bool all(bool mine) const {
    const std::vector<char> of_all = gathered(static_cast<char>(mine ? 1 : 0));
    return std::find(of_all.begin(), of_all.end(), 0) == of_all.end();
  }

  // Collective; false, for all, where some could not.
  bool add_segment(std::int64_t bytes) {
    std::int64_t size = least_segment;
    for (const std::int64_t each : gathered(bytes)) size = std::max(size, each);
    struct Offer {
      cudaIpcMemHandle_t handle;
      bool made;
    };
    void* memory = nullptr;
    Offer mine{};
    mine.made = cudaMalloc(&memory, static_cast<std::size_t>(size)) == cudaSuccess &&
                cudaIpcGetMemHandle(&mine.handle, memory) == cudaSuccess;
    segments.emplace_back();
    Segment& segment = segments.back();
    segment.of.assign(static_cast<std::size_t>(ranks), nullptr);
    segment.of[rank] = static_cast<char*>(memory);
    segment.free[0] = size;
    const std::vector<Offer> offers = gathered(mine);
    bool opened = true;
    for (int i = 0; i < ranks; ++i) {
      void* theirs = nullptr;
      if (i == rank || !opened) continue;
      opened = offers[i].made &&
               cudaIpcOpenMemHandle(&theirs, offers[i].handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess;
      segment.of[i] = static_cast<char*>(theirs);
    }
    (void)cudaGetLastError();
    return all(mine.made && opened);
  }

  Range take(std::int64_t bytes) {
    bytes = (bytes + alignment - 1) / alignment * alignment;
    for (int s = 0; s < std::ssize(segments); ++s)
      for (auto& [first, size] : segments[s].free) {
        if (size < bytes) continue;
        const Range range{s, first, bytes};
        const std::int64_t rest = size - bytes;
        segments[s].free.erase(range.first);
        if (rest > 0) segments[s].free[range.first + bytes] = rest;
        return range;
      }
    return {};
  }
  void give_back(const Range& range) {
    auto& free = segments[range.segment].free;
    auto at = free.emplace(range.first, range.bytes).first;
    if (const auto next = std::next(at); next != free.end() && at->first + at->second == next->first) {
      at->second += next->second;
      free.erase(next);
    }
    if (at != free.begin())
      if (const auto last = std::prev(at); last->first + last->second == at->first) {
        last->second += at->second;
        free.erase(at);
      }
  }
  // Collective.
  Range take_for_all(std::int64_t bytes) {
    Range range = take(bytes);
    if (all(range.segment >= 0)) return range;
    if (!add_segment(bytes)) throw CudaError("the memory of other processes' GPUs cannot be reached");
    return range.segment >= 0 ? range : take(bytes);
  }
};

Array<std::int64_t, Device> places_of(const std::vector<BoxWithin>& boxes) {
  std::int64_t count = 0;
  for (const BoxWithin& box : boxes) count += box.nodes();
  Array<std::int64_t, Device> places(count);
  std::int64_t* to = places.data();
  for (const BoxWithin& box : boxes) {
    const std::int64_t nodes = box.nodes();
    if (nodes == 0) continue;
    places_kernel<<<static_cast<unsigned>((nodes + 255) / 256), 256, 0, stream_of({})>>>(box, to);
    QUADRILLE_CUDA(cudaGetLastError());
    to += nodes;
  }
  return places;
}

void copy_box(const void* from, const BoxWithin& of_from, void* to, const BoxWithin& of_to, int words,
              Queue queue) {
  if (of_from.nodes() == 0) return;
  const auto in_grid = [](std::int64_t count, std::int64_t most) {
    return static_cast<unsigned>(count < most ? count : most);
  };
  const dim3 blocks(in_grid((of_from.size[0] * words + 255) / 256, 1024),
                    in_grid(of_from.size[1] * of_from.size[2], 1 << 14));
  copy_box_kernel<<<blocks, 256, 0, stream_of(queue)>>>(static_cast<const std::uint32_t*>(from), of_from,
                                                        static_cast<std::uint32_t*>(to), of_to, words);
  QUADRILLE_CUDA(cudaGetLastError());
}

std::shared_ptr<Peers> reach_peers(int ranks, int rank, AllGather gather) {
  auto peers = std::make_shared<Peers>(ranks, rank, std::move(gather));
  return peers->add_segment(0) ? peers : nullptr;
}

namespace {

class Direct final : public PeerExchange {
 public:
  Direct(std::shared_ptr<Peers> peers, std::vector<PeerUnits> sent, std::vector<PeerUnits> received,
         std::int64_t most_unit_bytes)
      : peers_(std::move(peers)), sent_(std::move(sent)), received_(std::move(received)), counts_(2) {
    zero_memory({}, counts_.data(), counts_.bytes());
    const int ranks = peers_->ranks, rank = peers_->rank;
    std::vector<const Array<std::int64_t, Device>*> out(ranks), in(ranks);
    for (const PeerUnits& each : sent_)
      if (each.places.size() > 0) out[each.rank] = &each.places;
    for (const PeerUnits& each : received_)
      if (each.places.size() > 0) in[each.rank] = &each.places;

    // Of others in this process's memory: their flags, and what comes from them, twice.
    std::vector<Inlet> inlets(ranks);
    std::int64_t bytes = 0;
    const auto size = [](const auto* places) { return places == nullptr ? 0 : places->size(); };
    const auto data = [](const auto* places) { return places == nullptr ? nullptr : places->data(); };
    for (int i = 0; i < ranks; ++i) {
      if (i == rank || (out[i] == nullptr && in[i] == nullptr)) continue;
      inlets[i].flags = bytes;
      bytes += chunks * static_cast<std::int64_t>(sizeof(std::uint32_t));
    }
    const std::int64_t flags = bytes;
    for (int i = 0; i < ranks; ++i) {
      if (i == rank) continue;
      inlets[i].apart = (size(in[i]) * most_unit_bytes + 15) / 16 * 16;
      inlets[i].buffer = bytes;
      bytes += 2 * inlets[i].apart;
    }
    range_ = peers_->take_for_all(bytes);
    for (Inlet& inlet : inlets) inlet.range = range_;
    char* const own = memory_of(range_, rank);
    zero_memory({}, own, flags);
    synchronize();  // before others raise them
    std::vector<Inlet> all(static_cast<std::size_t>(ranks) * ranks);
    peers_->gather(inlets.data(), all.data(), static_cast<std::int64_t>(ranks * sizeof(Inlet)));

    Array<Trade> trades(std::count_if(out.begin(), out.end(), [](auto* p) { return p != nullptr; }) +
                        std::count_if(in.begin(), in.end(), [](auto* p) { return p != nullptr; }));
    for (int i = 0; i < ranks; ++i) {
      if (out[i] == nullptr && in[i] == nullptr) continue;
      Trade& t = trades[count_++];
      t = {data(out[i]), data(in[i]), size(out[i]), size(in[i])};
      if (i == rank) continue;
      const Inlet &here = inlets[i], &there = all[static_cast<std::size_t>(i) * ranks + rank];
      char* const other = memory_of(there.range, i);
      t.there = reinterpret_cast<std::uint32_t*>(other + there.buffer);
      t.here = reinterpret_cast<std::uint32_t*>(own + here.buffer);
      t.there_apart = there.apart / 4;
      t.here_apart = here.apart / 4;
      t.flags_there = reinterpret_cast<std::uint32_t*>(other + there.flags);
      t.flags_here = reinterpret_cast<std::uint32_t*>(own + here.flags);
    }
    trades_ = copy_to<Device>(trades);
    synchronize();  // runs may be in a queue that does not wait for these copies
  }
  ~Direct() override { peers_->give_back(range_); }

  void run(const void* from, void* to, std::int64_t unit_bytes, Queue queue) override {
    if (count_ == 0) return;
    exchange_kernel<<<static_cast<unsigned>(count_ * chunks), 512, 0, stream_of(queue)>>>(
        trades_.data(), static_cast<const std::uint32_t*>(from), static_cast<std::uint32_t*>(to),
        static_cast<int>(unit_bytes / 4), counts_.data());
    QUADRILLE_CUDA(cudaGetLastError());
  }

 private:
  // Where another process writes to, in this one's range.
  struct Inlet {
    Range range;
    std::int64_t flags = 0, buffer = 0, apart = 0;
  };
  char* memory_of(const Range& range, int rank) const {
    return peers_->segments[range.segment].of[rank] + range.first;
  }

  std::shared_ptr<Peers> peers_;
  const std::vector<PeerUnits> sent_, received_;
  Range range_;
  Array<Trade, Device> trades_;
  std::int64_t count_ = 0;
  Array<std::uint32_t, Device> counts_;
};

}  // namespace

std::unique_ptr<PeerExchange> make_peer_exchange(std::shared_ptr<Peers> peers, std::vector<PeerUnits> sent,
                                                 std::vector<PeerUnits> received,
                                                 std::int64_t most_unit_bytes) {
  return std::make_unique<Direct>(std::move(peers), std::move(sent), std::move(received), most_unit_bytes);
}

}  // namespace quadrille::cuda
