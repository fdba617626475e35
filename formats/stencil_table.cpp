#include "formats/stencil_table.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace quadrille {
namespace {

// The stencil of a node, [diagonal][row][column].
template <class T>
void gather(const BlockDiagonals<T>& hub, std::int64_t node, std::vector<T>& stencil) {
  const int b = hub.dof;
  stencil.resize(static_cast<std::size_t>(hub.diagonals() * b * b));
  for (std::int64_t d = 0; d < hub.diagonals(); ++d)
    for (int r = 0; r < b; ++r)
      for (int c = 0; c < b; ++c)
        stencil[(d * b + r) * b + c] = hub.values[(d * b + c) * hub.rows() + node * b + r];
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
std::uint64_t hash(const std::vector<T>& values) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (const T value : values) {
    h = (h ^ std::bit_cast<Bits>(value)) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return h;
}

// Different stencils, numbered as they come, each by a node that has it.
template <class T>
class Dictionary {
 public:
  explicit Dictionary(const BlockDiagonals<T>& hub) : hub_(&hub) {}

  // The number of `stencil`, which is that of `node`.
  std::int32_t number_of(const std::vector<T>& stencil, std::int64_t node) {
    const std::uint64_t key = hash(stencil);
    const auto [first, last] = by_hash_.equal_range(key);
    for (auto it = first; it != last; ++it) {
      gather(*hub_, nodes_[it->second], other_);
      if (same_bits(other_, stencil)) return it->second;
    }
    by_hash_.emplace(key, static_cast<std::int32_t>(count()));
    nodes_.push_back(node);
    return static_cast<std::int32_t>(count() - 1);
  }
  std::int64_t count() const { return static_cast<std::int64_t>(nodes_.size()); }
  const std::vector<std::int64_t>& nodes() const { return nodes_; }

 private:
  const BlockDiagonals<T>* hub_;
  std::unordered_multimap<std::uint64_t, std::int32_t> by_hash_;
  std::vector<std::int64_t> nodes_;
  std::vector<T> other_;
};

// What each thread found in its share of the nodes, in their order.
template <class T>
struct Found {
  std::vector<Dictionary<T>> of_thread;
  std::vector<std::int32_t> number;      // [node], in its thread's dictionary, where it was asked for
  std::vector<std::int64_t> first_node;  // [thread + 1]
  bool too_many = false;
};

template <class T>
Found<T> find_stencils(const BlockDiagonals<T>& hub, bool with_numbers) {
  const std::int64_t nodes = hub.nodes();
  Found<T> found;
  const int threads = std::max(1, omp_get_max_threads());
  found.of_thread.assign(static_cast<std::size_t>(threads), Dictionary<T>(hub));
  if (with_numbers) found.number.resize(static_cast<std::size_t>(nodes));
  for (int t = 0; t <= threads; ++t) found.first_node.push_back(nodes * t / threads);
  std::atomic<bool> too_many = false;
#pragma omp parallel for schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    std::vector<T> stencil, before;
    std::int32_t number = -1;
    for (std::int64_t i = found.first_node[t]; i < found.first_node[t + 1] && !too_many; ++i) {
      gather(hub, i, stencil);
      if (number < 0 || !same_bits(stencil, before)) {
        number = found.of_thread[t].number_of(stencil, i);
        if (found.of_thread[t].count() > most_stencils) too_many = true;
        std::swap(before, stencil);
      }
      if (with_numbers) found.number[i] = number;
    }
  }
  found.too_many = too_many;
  return found;
}

// Of all threads, in the order of the nodes: [thread][its number] the number among all.
template <class T>
std::vector<std::vector<std::int32_t>> merge(const BlockDiagonals<T>& hub, const Found<T>& found,
                                             Dictionary<T>& all) {
  std::vector<std::vector<std::int32_t>> renamed;
  std::vector<T> stencil;
  for (const Dictionary<T>& own : found.of_thread) {
    std::vector<std::int32_t>& names = renamed.emplace_back();
    for (const std::int64_t node : own.nodes()) {
      gather(hub, node, stencil);
      names.push_back(all.number_of(stencil, node));
    }
  }
  return renamed;
}

template <class Number>
void write_numbers(const std::vector<std::vector<std::int32_t>>& renamed,
                   const std::vector<std::int64_t>& first_node, const std::vector<std::int32_t>& number,
                   Array<Number>& to) {
  to = Array<Number>(static_cast<std::int64_t>(number.size()));
#pragma omp parallel for schedule(static, 1)
  for (std::size_t t = 0; t < renamed.size(); ++t)
    for (std::int64_t i = first_node[t]; i < first_node[t + 1]; ++i)
      to[i] = static_cast<Number>(renamed[t][number[i]]);
}

std::int64_t number_bytes(std::int64_t stencils) {
  return stencils <= 256 ? 1 : 2;
}

template <class T>
std::int64_t number_of(const StencilTable<T>& a, std::int64_t node) {
  return a.bytes.size() > 0 ? a.bytes[node] : a.words[node];
}

}  // namespace

template <class T>
std::int64_t count_stencils(const BlockDiagonals<T>& hub) {
  const Found<T> found = find_stencils(hub, false);
  if (found.too_many) return most_stencils + 1;
  Dictionary<T> all(hub);
  merge(hub, found, all);
  return all.count();
}

std::string too_many_stencils(std::int64_t stencils) {
  if (stencils <= most_stencils) return "";
  return "stencil_table: the operator has more than " + std::to_string(most_stencils) + " different stencils";
}

template <class T>
StencilTable<T> stencil_table_from_hub(const BlockDiagonals<T>& hub) {
  StencilTable<T> a;
  static_cast<BlockStructure&>(a) = hub;
  memory::require_host(checked_product(hub.nodes(), 6, "stencil_table"));
  const Found<T> found = find_stencils(hub, true);
  Dictionary<T> all(hub);
  std::vector<std::vector<std::int32_t>> renamed;
  if (!found.too_many) renamed = merge(hub, found, all);
  a.stencils = found.too_many ? most_stencils + 1 : all.count();
  if (const std::string refusal = too_many_stencils(a.stencils); !refusal.empty()) throw FormatError(refusal);
  if (number_bytes(a.stencils) == 1)
    write_numbers(renamed, found.first_node, found.number, a.bytes);
  else
    write_numbers(renamed, found.first_node, found.number, a.words);
  a.table = Array<T>(checked_product(a.stencils, a.stencil_size(), "stencil_table"));
  T* next = a.table.data();
  std::vector<T> stencil;
  for (const std::int64_t node : all.nodes()) {
    gather(hub, node, stencil);
    next = std::copy(stencil.begin(), stencil.end(), next);
  }
  return a;
}

template <class T>
BlockDiagonals<T> to_hub(const StencilTable<T>& a) {
  BlockDiagonals<T> hub;
  static_cast<BlockStructure&>(hub) = a;
  hub.values = Array<T>(value_bytes(a, sizeof(T)) / static_cast<std::int64_t>(sizeof(T)), T(0));
  const int b = a.dof;
  const std::int64_t rows = a.rows();
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < a.nodes(); ++node) {
    const T* const stencil = a.table.data() + number_of(a, node) * a.stencil_size();
    for (std::int64_t d = 0; d < a.diagonals(); ++d)
      for (int r = 0; r < b; ++r)
        for (int c = 0; c < b; ++c)
          hub.values[(d * b + c) * rows + node * b + r] = stencil[(d * b + r) * b + c];
  }
  return hub;
}

template <class T>
Csr<T> to_csr(const StencilTable<T>& a) {
  return to_csr(to_hub(a));
}

template <class T>
void validate(const StencilTable<T>& a) {
  if (a.stencils < 0 || a.stencils > most_stencils || a.table.size() != a.stencils * a.stencil_size())
    throw FormatError("stencil_table: " + std::to_string(a.stencils) + " stencils of " +
                      std::to_string(a.stencil_size()) + " values do not have " +
                      std::to_string(a.table.size()));
  const bool small = number_bytes(a.stencils) == 1;
  if (a.bytes.size() != (small ? a.nodes() : 0) || a.words.size() != (small ? 0 : a.nodes()))
    throw FormatError("stencil_table: " + std::to_string(a.nodes()) + " nodes need as many numbers, of " +
                      std::to_string(number_bytes(a.stencils)) + " bytes");
  for (std::int64_t node = 0; node < a.nodes(); ++node)
    if (number_of(a, node) >= a.stencils)
      throw FormatError("stencil_table: node " + std::to_string(node) + " has stencil " +
                        std::to_string(number_of(a, node)) + " of " + std::to_string(a.stencils));
  validate(to_hub(a));
}

Traffic stencil_table_traffic(const BlockStructure& s, std::int64_t stencils, std::int64_t value_bytes) {
  const std::int64_t table =
      checked_product(checked_product(stencils, s.diagonals() * s.dof * s.dof, "stencil_table"), value_bytes,
                      "stencil_table");
  return whole_traffic(s.nodes() * number_bytes(stencils) + table, s.rows(), s.rows(), value_bytes);
}

template <class T, class Space>
Traffic traffic(const StencilTable<T, Space>& a) {
  return stencil_table_traffic(a, a.stencils, sizeof(T));
}

#define QUADRILLE_INSTANTIATE(T)                                             \
  template std::int64_t count_stencils(const BlockDiagonals<T>&);            \
  template StencilTable<T> stencil_table_from_hub(const BlockDiagonals<T>&); \
  template BlockDiagonals<T> to_hub(const StencilTable<T>&);                 \
  template Csr<T> to_csr(const StencilTable<T>&);                            \
  template void validate(const StencilTable<T>&);                            \
  template Traffic traffic(const StencilTable<T, Host>&);                    \
  template Traffic traffic(const StencilTable<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
