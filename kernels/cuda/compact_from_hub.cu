// A thread compares the values of one diagonal at a row of a few nodes, with those of the first node that has
// this neighbour and with the opposite ones, and leaves alone what is decided already. Blocks that follow one
// another have the same nodes of all diagonals, so that what one reads as its own and another as the opposite
// comes from memory once.
#include "kernels/cuda/compact_from_hub.hpp"

#include <type_traits>

#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {
namespace {

constexpr int together = 8;  // nodes of a thread

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

// Of some diagonals, by their number.
template <int Capacity>
struct Pairs {
  std::int64_t first;  // the number of the first one
  struct Pair {
    std::int32_t back;        // the opposite diagonal of all, or -1
    bool second;              // all entries may be mirrors; else, of the centre, those below its diagonal
    std::int32_t first_node;  // that has this neighbour, or -1
  } of[Capacity];
};

// What is found, [diagonal][row][column].
template <class T>
struct Found {
  T* first;
  std::uint8_t *varies, *differs;
};

// Nodes whose rows a block of threads reads side by side.
constexpr int nodes_beside(int dof) {
  return dof < threads_per_block ? threads_per_block / dof : 1;
}

// What is open yet of the entries of a diagonal in some columns: whether the values differ among nodes, and
// from the opposite ones. A block reads it once, for all blocks read the same few words.
struct Open {
  static constexpr int most = 2048;  // entries
  std::uint8_t compares[most], mirrors[most];
};

// What a node's place says takes longer than to compare its value: it is asked where that may matter alone.
template <int Capacity>
__device__ bool has_neighbour(const CdsStructure<Capacity>& s, std::int64_t node, int d) {
  return node < s.nodes && neighbour(s, static_cast<int>(node), d) >= 0;
}
// The node at diagonal d, or -1. Values are 0 where there is none: one that is not, of a grid that does not
// wrap, has it at the usual distance.
template <int Capacity>
__device__ std::int64_t mirror_of(const CdsStructure<Capacity>& s, std::int64_t node, int d,
                                  std::int64_t distance, bool couples) {
  if (node >= s.nodes) return -1;
  if (!couples || s.wraps_x || s.wraps_y || s.wraps_z) return neighbour(s, static_cast<int>(node), d);
  const std::int64_t to = node + distance;
  return to < s.nodes ? to : -1;
}

template <class T, int Capacity>
__global__ void __launch_bounds__(threads_per_block, 4)
    compare_kernel(const __grid_constant__ CdsStructure<Capacity> s,
                   const __grid_constant__ Pairs<Capacity> pairs, const T* __restrict__ values,
                   const Found<T> found) {
  using Bits = BitsOf<T>;
  __shared__ Open open;
  const Bits* const bits = reinterpret_cast<const Bits*>(values);
  const int b = s.dof, beside = nodes_beside(b), part = blockIdx.x / s.diagonals,
            which = blockIdx.x - part * s.diagonals, columns = max(1, Open::most / b);
  const auto& pair = pairs.of[which];
  const std::int64_t d = pairs.first + which, distance = s.step[which] / b;
  const std::int64_t begin = std::int64_t{part} * together * beside;
  for (int first_column = 0; first_column < b; first_column += columns) {
    const int some = min(columns, b - first_column);
    bool any = false;
    __syncthreads();  // the columns before may still be read
    for (int i = threadIdx.x; i < some * b; i += threads_per_block) {
      const int in = i / b, r = i - in * b, c = first_column + in;
      const std::int64_t e = (d * b + r) * b + c;
      const bool may_mirror = pair.second || (pair.back == d && r > c);
      open.compares[i] = found.varies[e] == 0;
      open.mirrors[i] = may_mirror && found.differs[e] == 0;
      any = any || open.compares[i] || open.mirrors[i];
      if (part == 0) {
        const Bits* const column = bits + (d * b + c) * s.rows + r;
        reinterpret_cast<Bits*>(found.first)[e] =
            pair.first_node < 0 ? 0 : column[std::int64_t{pair.first_node} * b];
      }
    }
    if (!__syncthreads_or(any)) continue;
    for (int i = threadIdx.x; i < beside * b; i += threads_per_block) {
      const int in = i / b, r = i - in * b;
      for (int column_of_some = 0; column_of_some < some; ++column_of_some) {
        const bool compares = open.compares[column_of_some * b + r],
                   mirrors = open.mirrors[column_of_some * b + r];
        if (!compares && !mirrors) continue;
        const int c = first_column + column_of_some;
        const std::int64_t e = (d * b + r) * b + c;
        const Bits* const column = bits + (d * b + c) * s.rows + r;
        const Bits first = pair.first_node < 0 ? 0 : __ldg(column + std::int64_t{pair.first_node} * b);
        Bits own[together];
        bool another = false;
#pragma unroll
        for (int k = 0; k < together; ++k) {
          const std::int64_t node = begin + k * beside + in;
          own[k] = node < s.nodes ? __ldg(column + node * b) : first;
        }
#pragma unroll
        for (int k = 0; k < together; ++k)
          another = another || (own[k] != first && has_neighbour(s, begin + k * beside + in, which));
        if (compares && another) found.varies[e] = 1;
        if (!mirrors) continue;
        const Bits* const opposite = bits + (std::int64_t{pair.back} * b + r) * s.rows + c;
        bool different = false;
        Bits other[together];
#pragma unroll
        for (int k = 0; k < together; ++k) {
          const std::int64_t to = mirror_of(s, begin + k * beside + in, which, distance, own[k] != 0);
          other[k] = to >= 0 ? __ldg(opposite + to * b) : own[k];
        }
#pragma unroll
        for (int k = 0; k < together; ++k) different = different || own[k] != other[k];
        if (different) found.differs[e] = 1;
      }
    }
  }
}

// In launches of at most Capacity diagonals.
template <int Capacity, class T>
void compare(const BlockDiagonals<T, Device>& hub, const Found<T>& found) {
  const std::int64_t of_block = std::int64_t{together} * nodes_beside(hub.dof),
                     parts = (hub.nodes() + of_block - 1) / of_block;
  for (std::int64_t first = 0; first < hub.diagonals(); first += Capacity) {
    const auto s = structure_of<Capacity>(hub, first, false);
    Pairs<Capacity> pairs{first, {}};
    for (int i = 0; i < s.diagonals; ++i) {
      const std::int64_t d = first + i, back = opposite(hub, d);
      pairs.of[i] = {static_cast<std::int32_t>(back), back != d && may_be_mirror(hub, d, back, 0, 0),
                     static_cast<std::int32_t>(first_node_with(hub, hub.offsets[d]))};
    }
    compare_kernel<T, Capacity>
        <<<blocks_for(parts * s.diagonals, 1), threads_per_block>>>(s, pairs, hub.values.data(), found);
    QUADRILLE_CUDA_LAUNCHED("comparing values");
  }
}

// An entry's numbers from the hub, at [node * dof], to its column, at [node].
struct Move {
  std::int64_t from, to;
};
constexpr int moves_of_thread = 8;

// A thread owns a node and moves a few entries, those of a column of the hub one after the other: they stand
// side by side there. `badly` becomes 1 where a value cannot be stored as a V.
template <class T, class V>
__global__ void __launch_bounds__(threads_per_block)
    gather_kernel(const T* __restrict__ values, std::int64_t nodes, int dof, const Move* __restrict__ moves,
                  int count, V* __restrict__ to, std::uint8_t* badly) {
  const std::int64_t node = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (node >= nodes) return;
  const int first = static_cast<int>(blockIdx.y) * moves_of_thread;
  T value[moves_of_thread] = {};
#pragma unroll
  for (int i = 0; i < moves_of_thread; ++i)
    if (first + i < count) value[i] = __ldg(values + moves[first + i].from + node * dof);
#pragma unroll
  for (int i = 0; i < moves_of_thread; ++i) {
    if (first + i >= count) continue;
    to[moves[first + i].to + node] = rounded<V>(value[i]);
    if (!rounds_well<V>(value[i])) *badly = 1;
  }
}

template <class T, class V>
void take_columns(const BlockDiagonals<T, Device>& hub, const Compact<T, Device>& a, V* values) {
  const int b = hub.dof;
  std::vector<Move> moves;
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (int c = 0; c < b; ++c)
      for (int r = 0; r < b; ++r)
        if (const CompactEntry<T>& e = a.at(d, r, c); e.stored == Stored::column)
          moves.push_back({(d * b + c) * hub.rows() + r, e.column * hub.nodes()});
  if (hub.nodes() == 0 || moves.empty()) return;
  const auto count = static_cast<std::int64_t>(moves.size());
  Array<Move, Device> there(count);
  memory::copy_to_device(there.data(), moves.data(), there.bytes());
  Array<std::uint8_t, Device> badly(1);
  zero_memory({}, badly.data(), badly.bytes());
  constexpr std::int64_t most = 65535 * std::int64_t{moves_of_thread};  // of a launch
  for (std::int64_t first = 0; first < count; first += most) {
    const int some = static_cast<int>(std::min(most, count - first));
    const dim3 blocks(blocks_for(hub.nodes(), threads_per_block),
                      static_cast<unsigned>((some + moves_of_thread - 1) / moves_of_thread));
    gather_kernel<<<blocks, threads_per_block>>>(hub.values.data(), hub.nodes(), b, there.data() + first,
                                                 some, values, badly.data());
    QUADRILLE_CUDA_LAUNCHED("gathering columns");
  }
  if (copy_to<Host>(badly)[0] != 0) throw_not_stored(a.precision);
}

}  // namespace

template <class T>
std::vector<CompactEntry<T>> compact_entries(const BlockDiagonals<T, Device>& hub) {
  const int b = hub.dof;
  const std::int64_t count = hub.diagonals() * b * b;
  CompactFacts<T> facts{std::vector<T>(static_cast<std::size_t>(count)),
                        std::vector<std::uint8_t>(static_cast<std::size_t>(count)),
                        std::vector<std::uint8_t>(static_cast<std::size_t>(count))};
  if (hub.rows() == 0 || count == 0) return quadrille::compact_entries(hub, facts);
  if (b > Open::most) return quadrille::compact_entries(copy_to<Host>(hub));
  Array<T, Device> first(count);
  Array<std::uint8_t> decided(2 * count);  // what does not couple is not looked at
  for (std::int64_t e = 0; e < count; ++e) decided[e] = decided[count + e] = may_couple(hub, e) ? 0 : 1;
  Array<std::uint8_t, Device> flags = copy_to<Device>(decided);
  const Found<T> found{first.data(), flags.data(), flags.data() + count};
  if (hub.diagonals() <= few_diagonals)
    compare<few_diagonals>(hub, found);
  else
    compare<max_diagonals>(hub, found);
  memory::copy_to_host(facts.first.data(), first.data(), first.bytes());
  memory::copy_to_host(facts.varies.data(), found.varies, count);
  memory::copy_to_host(facts.differs.data(), found.differs, count);
  for (std::int64_t e = 0; e < count; ++e)
    if (!may_couple(hub, e)) facts.first[e] = facts.varies[e] = 0;
  return quadrille::compact_entries(hub, facts);
}

template <class T>
Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>& hub) {
  return compact_from_hub(hub, compact_entries(hub), ValuePrecision::own);
}

template <class T>
Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>& hub,
                                    std::vector<CompactEntry<T>> entries, ValuePrecision precision) {
  Compact<T, Device> a;
  static_cast<BlockStructure&>(a) = hub;
  a.entry = std::move(entries);
  a.precision = precision;
  const std::int64_t size = checked_product(columns_of(a.entry), hub.nodes(), "compact");
  a.with_values([&]<class V>(Array<V, Device>& values) {
    values = Array<V, Device>(size);
    take_columns(hub, a, values.data());
  });
  return a;
}

#define QUADRILLE_INSTANTIATE(T)                                                           \
  template std::vector<CompactEntry<T>> compact_entries(const BlockDiagonals<T, Device>&); \
  template Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>&);          \
  template Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>&,           \
                                               std::vector<CompactEntry<T>>, ValuePrecision);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
