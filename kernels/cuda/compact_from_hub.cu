// A thread compares the values of one diagonal's block at a few nodes, with those of the first node that has
// this neighbour and with the opposite ones; the threads of a block leave alone what is decided already.
#include "kernels/cuda/compact_from_hub.hpp"

#include <type_traits>

#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {
namespace {

constexpr int nodes_of_a_thread = 16;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

// Of one diagonal.
struct DiagonalPair {
  std::int64_t d, back;  // `back` is -1 without an opposite
  bool second;           // all entries may be mirrors; else, with back == d, those below the block's diagonal
  std::int64_t first_node;
};

template <class T>
__global__ void first_kernel(DiagonalPair pair, const T* __restrict__ values, std::int64_t rows, int dof,
                             T* __restrict__ first) {
  const int e = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x), r = e / dof, c = e % dof;
  if (e < dof * dof)
    first[pair.d * dof * dof + e] =
        pair.first_node < 0 ? T(0) : values[(pair.d * dof + c) * rows + pair.first_node * dof + r];
}

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    compare_kernel(const __grid_constant__ CdsStructure<1> s, DiagonalPair pair, const T* __restrict__ values,
                   const T* __restrict__ first, volatile std::uint8_t* varies,
                   volatile std::uint8_t* differs) {
  const int b = s.dof;
  const auto bits_at = [&](std::int64_t d, int r, int c, std::int64_t node) {
    return __ldg(reinterpret_cast<const BitsOf<T>*>(values) + (d * b + c) * s.rows + node * b + r);
  };
  for (int i = 0; i < nodes_of_a_thread; ++i) {
    const std::int64_t node =
        (static_cast<std::int64_t>(blockIdx.x) * nodes_of_a_thread + i) * threads_per_block + threadIdx.x;
    const std::int64_t to = node < s.nodes ? neighbour(s, static_cast<int>(node), 0) : -1;
    for (int r = 0; r < b; ++r)
      for (int c = 0; c < b; ++c) {
        const std::int64_t e = (pair.d * b + r) * b + c;
        const bool may_mirror = pair.second || (pair.back == pair.d && r > c);
        const bool compares = varies[e] == 0, mirrors = may_mirror && differs[e] == 0;
        if (to < 0 || (!compares && !mirrors)) continue;
        const BitsOf<T> own = bits_at(pair.d, r, c, node);
        if (compares && own != __ldg(reinterpret_cast<const BitsOf<T>*>(first) + e)) varies[e] = 1;
        if (mirrors && own != bits_at(pair.back, c, r, to)) differs[e] = 1;
      }
  }
}

// `badly` becomes 1 where a value cannot be stored as a V.
template <class T, class V>
__global__ void __launch_bounds__(threads_per_block)
    gather_kernel(const T* __restrict__ column, std::int64_t nodes, int dof, V* __restrict__ to,
                  std::uint8_t* badly) {
  const std::int64_t node = global_thread();
  if (node >= nodes) return;
  const T value = __ldcs(column + node * dof);
  to[node] = rounded<V>(value);
  if (!rounds_well<V>(value)) *badly = 1;
}

template <class T, class V>
void take_columns(const BlockDiagonals<T, Device>& hub, const Compact<T, Device>& a, V* values) {
  if (hub.nodes() == 0) return;
  Array<std::uint8_t, Device> badly(1);
  zero_memory({}, badly.data(), badly.bytes());
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (int r = 0; r < hub.dof; ++r)
      for (int c = 0; c < hub.dof; ++c) {
        const CompactEntry<T>& e = a.at(d, r, c);
        if (e.stored != Stored::column) continue;
        gather_kernel<<<blocks_for(hub.nodes()), threads_per_block>>>(
            hub.values.data() + (d * hub.dof + c) * hub.rows() + r, hub.nodes(), hub.dof,
            values + e.column * hub.nodes(), badly.data());
        QUADRILLE_CUDA_LAUNCHED("gathering a column");
      }
  if (copy_to<Host>(badly)[0] != 0) throw_not_stored(a.precision);
}

std::vector<DiagonalPair> pairs_of(const BlockStructure& s) {
  std::vector<DiagonalPair> pairs;
  for (std::int64_t d = 0; d < s.diagonals(); ++d) {
    const std::int64_t back = opposite(s, d);
    pairs.push_back(
        {d, back, back != d && may_be_mirror(s, d, back, 0, 0), first_node_with(s, s.offsets[d])});
  }
  return pairs;
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
  Array<T, Device> first(count);
  Array<std::uint8_t, Device> varies(count), differs(count);
  zero_memory({}, varies.data(), varies.bytes());
  zero_memory({}, differs.data(), differs.bytes());
  for (const DiagonalPair& pair : pairs_of(hub)) {
    first_kernel<<<blocks_for(b * b), threads_per_block>>>(pair, hub.values.data(), hub.rows(), b,
                                                           first.data());
    QUADRILLE_CUDA_LAUNCHED("the first values of a diagonal");
    const auto s = structure_of<1>(hub, pair.d, false);
    compare_kernel<<<blocks_for((hub.nodes() + nodes_of_a_thread - 1) / nodes_of_a_thread),
                     threads_per_block>>>(s, pair, hub.values.data(), first.data(), varies.data(),
                                          differs.data());
    QUADRILLE_CUDA_LAUNCHED("comparing values");
  }
  memory::copy_to_host(facts.first.data(), first.data(), first.bytes());
  memory::copy_to_host(facts.varies.data(), varies.data(), varies.bytes());
  memory::copy_to_host(facts.differs.data(), differs.data(), differs.bytes());
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
