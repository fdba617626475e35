// A thread looks at the stencil of one node and puts its hash into a table with open addresses, where the
// first node with that hash stands beside it. Stencils are numbered by their first nodes, as the host does;
// then each node is compared, value by value, with the stencil whose number it gets. Where two stencils have
// the same hash, which is not expected to be ever seen, the host makes the table.
#include "kernels/cuda/stencil_table_from_hub.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {
namespace {

constexpr unsigned places = 1u << 18;  // of the table; four times as many as stencils
constexpr unsigned most_tries = 4096;
constexpr unsigned no_node = ~0u;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

// The values of a hub as bits.
template <class T>
struct Values {
  const BitsOf<T>* bits;
  std::int64_t nodes;
  int dof, columns;  // columns: of all blocks of a row

  __device__ BitsOf<T> at(std::int64_t node, int column, int r) const {
    return __ldg(bits + (column * nodes + node) * dof + r);
  }
};
template <class T>
Values<T> values_of(const BlockDiagonals<T, Device>& hub) {
  return {reinterpret_cast<const BitsOf<T>*>(hub.values.data()), hub.nodes(), hub.dof,
          static_cast<int>(hub.diagonals() * hub.dof)};
}

struct Hashes {
  unsigned long long* key;  // [place], or 0
  unsigned* first;          // [place]: the first node
  unsigned* found;          // how many keys there are,
  unsigned* lost;           // and whether one had no place
};

// The place of a node's hash, or -1.
__device__ int put(const Hashes& hashes, unsigned long long key, unsigned node) {
  unsigned place = static_cast<unsigned>(key >> 40) & (places - 1);
  for (unsigned tries = 0; tries < most_tries; ++tries, place = (place + 1) & (places - 1)) {
    unsigned long long there = *static_cast<volatile unsigned long long*>(hashes.key + place);
    if (there == 0) {
      if (*static_cast<volatile unsigned*>(hashes.found) > most_stencils) return -1;
      there = atomicCAS(hashes.key + place, 0ull, key);
      if (there == 0) atomicAdd(hashes.found, 1u);
    }
    if (there != 0 && there != key) continue;
    if (node < *static_cast<volatile unsigned*>(hashes.first + place)) atomicMin(hashes.first + place, node);
    return static_cast<int>(place);
  }
  *hashes.lost = 1;
  return -1;
}

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    hash_kernel(const Values<T> values, const Hashes hashes, int* __restrict__ place_of) {
  const std::int64_t node = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (node >= values.nodes || *static_cast<volatile unsigned*>(hashes.found) > most_stencils) return;
  unsigned long long h = 0x9e3779b97f4a7c15u;
  for (int r = 0; r < values.dof; ++r)
#pragma unroll 8
    for (int column = 0; column < values.columns; ++column) {
      h = (h ^ values.at(node, column, r)) * 0xff51afd7ed558ccdu;
      h ^= h >> 32;
    }
  const int place = put(hashes, h == 0 ? 1 : h, static_cast<unsigned>(node));
  if (place_of != nullptr) place_of[node] = place;
}

// The first node and the place of each key, in any order.
__global__ void __launch_bounds__(threads_per_block)
    list_kernel(const Hashes hashes, unsigned* next, uint2* __restrict__ list) {
  const unsigned place = blockIdx.x * threads_per_block + threadIdx.x;
  if (place >= places || hashes.key[place] == 0) return;
  list[atomicAdd(next, 1u)] = {hashes.first[place], place};
}

// The table, [stencil][diagonal][row][column], of the first nodes: a number a thread.
template <class T>
__global__ void __launch_bounds__(threads_per_block)
    table_kernel(const Values<T> values, const unsigned* __restrict__ first, std::int64_t numbers,
                 BitsOf<T>* __restrict__ table) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (i >= numbers) return;
  const int b = values.dof, of_stencil = values.columns * b;
  const int e = static_cast<int>(i % of_stencil), d = e / (b * b), r = e / b % b, c = e % b;
  table[i] = values.at(first[i / of_stencil], d * b + c, r);
}

template <class T, class Number>
__global__ void __launch_bounds__(threads_per_block)
    number_kernel(const Values<T> values, const int* __restrict__ place_of, const int* __restrict__ number_of,
                  const BitsOf<T>* __restrict__ table, Number* __restrict__ to, unsigned* other) {
  const std::int64_t node = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (node >= values.nodes) return;
  const int number = number_of[place_of[node]], b = values.dof;
  const BitsOf<T>* const stencil = table + std::int64_t{number} * values.columns * b;
  bool same = true;
  for (int r = 0; r < b; ++r)
#pragma unroll 8
    for (int column = 0; column < values.columns; ++column)
      same = same && values.at(node, column, r) == __ldg(stencil + (column / b * b + r) * b + column % b);
  to[node] = static_cast<Number>(number);
  if (!same) *other = 1;
}

// What is found in a hub.
struct Found {
  Array<std::uint8_t, Device> memory;  // of the hashes
  Hashes hashes{};
  std::int64_t stencils = 0;  // more than most_stencils where there are more
  bool lost = false;
};

Found room_for_hashes() {
  Found found;
  constexpr std::int64_t key_bytes = std::int64_t{places} * 8, first_bytes = std::int64_t{places} * 4;
  found.memory = Array<std::uint8_t, Device>(key_bytes + first_bytes + 8);
  std::uint8_t* const bytes = found.memory.data();
  found.hashes = {reinterpret_cast<unsigned long long*>(bytes),
                  reinterpret_cast<unsigned*>(bytes + key_bytes),
                  reinterpret_cast<unsigned*>(bytes + key_bytes + first_bytes),
                  reinterpret_cast<unsigned*>(bytes + key_bytes + first_bytes + 4)};
  zero_memory({}, bytes, found.memory.bytes());
  QUADRILLE_CUDA(cudaMemsetAsync(found.hashes.first, 0xff, first_bytes));
  return found;
}

template <class T>
Found find_stencils(const BlockDiagonals<T, Device>& hub, int* place_of) {
  Found found = room_for_hashes();
  hash_kernel<<<blocks_for(hub.nodes()), threads_per_block>>>(values_of(hub), found.hashes, place_of);
  QUADRILLE_CUDA_LAUNCHED("looking for stencils");
  unsigned results[2];  // found and lost, which stand side by side
  memory::copy_to_host(results, found.hashes.found, sizeof results);
  found.stencils = std::min<std::int64_t>(results[0], most_stencils + 1);
  found.lost = results[1] != 0 && found.stencils <= most_stencils;
  return found;
}

// [stencil]: first node and place, in the order of the nodes.
std::vector<uint2> in_order(const Found& found) {
  Array<uint2, Device> list(found.stencils);
  Array<unsigned, Device> next(1);
  zero_memory({}, next.data(), next.bytes());
  list_kernel<<<blocks_for(places), threads_per_block>>>(found.hashes, next.data(), list.data());
  QUADRILLE_CUDA_LAUNCHED("listing stencils");
  std::vector<uint2> result(static_cast<std::size_t>(found.stencils));
  memory::copy_to_host(result.data(), list.data(), list.bytes());
  std::sort(result.begin(), result.end(), [](const uint2& a, const uint2& b) { return a.x < b.x; });
  return result;
}

// Whether every node has the stencil of its number.
template <class T, class Number>
bool write_numbers(const BlockDiagonals<T, Device>& hub, const std::vector<uint2>& stencils,
                   const Array<int, Device>& place_of, const Array<T, Device>& table,
                   Array<Number, Device>& to) {
  std::vector<int> number(places);
  for (std::size_t i = 0; i < stencils.size(); ++i) number[stencils[i].y] = static_cast<int>(i);
  Array<int, Device> number_of(places);
  memory::copy_to_device(number_of.data(), number.data(), number_of.bytes());
  Array<unsigned, Device> other(1);
  zero_memory({}, other.data(), other.bytes());
  to = Array<Number, Device>(hub.nodes());
  number_kernel<T, Number><<<blocks_for(hub.nodes()), threads_per_block>>>(
      values_of(hub), place_of.data(), number_of.data(), reinterpret_cast<const BitsOf<T>*>(table.data()),
      to.data(), other.data());
  QUADRILLE_CUDA_LAUNCHED("numbering stencils");
  return copy_to<Host>(other)[0] == 0;
}

// Nothing where hashes do not tell stencils apart.
template <class T>
std::optional<StencilTable<T, Device>> by_hashes(const BlockDiagonals<T, Device>& hub) {
  Array<int, Device> place_of(hub.nodes());
  const Found found = find_stencils(hub, place_of.data());
  if (found.lost) return {};
  if (const std::string refusal = too_many_stencils(found.stencils); !refusal.empty())
    throw FormatError(refusal);
  StencilTable<T, Device> a;
  static_cast<BlockStructure&>(a) = hub;
  a.stencils = found.stencils;
  const std::vector<uint2> stencils = in_order(found);
  std::vector<unsigned> first;
  for (const uint2& stencil : stencils) first.push_back(stencil.x);
  Array<unsigned, Device> first_nodes(a.stencils);
  memory::copy_to_device(first_nodes.data(), first.data(), first_nodes.bytes());
  a.table = Array<T, Device>(checked_product(a.stencils, a.stencil_size(), "stencil_table"));
  table_kernel<T><<<blocks_for(a.table.size()), threads_per_block>>>(
      values_of(hub), first_nodes.data(), a.table.size(), reinterpret_cast<BitsOf<T>*>(a.table.data()));
  QUADRILLE_CUDA_LAUNCHED("the table of stencils");
  const bool all = a.stencils <= 256 ? write_numbers(hub, stencils, place_of, a.table, a.bytes)
                                     : write_numbers(hub, stencils, place_of, a.table, a.words);
  return all ? std::optional(std::move(a)) : std::nullopt;
}

bool is_empty(const BlockStructure& structure) {
  return structure.nodes() == 0 || structure.diagonals() == 0;
}
bool has_numbers_of_32_bits(const BlockStructure& structure) {
  return structure.nodes() < no_node;
}

}  // namespace

template <class T>
std::int64_t count_stencils(const BlockDiagonals<T, Device>& hub) {
  if (!is_empty(hub) && has_numbers_of_32_bits(hub))
    if (const Found found = find_stencils(hub, nullptr); !found.lost) return found.stencils;
  return quadrille::count_stencils(copy_to<Host>(hub));
}

template <class T>
StencilTable<T, Device> stencil_table_from_hub(const BlockDiagonals<T, Device>& hub) {
  if (!is_empty(hub) && has_numbers_of_32_bits(hub))
    if (auto table = by_hashes(hub)) return std::move(*table);
  return copy_to<Device>(quadrille::stencil_table_from_hub(copy_to<Host>(hub)));
}

#define QUADRILLE_INSTANTIATE(T)                                                             \
  template StencilTable<T, Device> stencil_table_from_hub(const BlockDiagonals<T, Device>&); \
  template std::int64_t count_stencils(const BlockDiagonals<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
