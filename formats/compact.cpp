#include "formats/compact.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "formats/intervals.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t run = 2048;  // nodes that are compared at once

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class T>
BitsOf<T> bits(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}

// v[i*step] and w[i*w_step] are the same bits for all i below count.
template <class T>
bool same(const T* v, std::int64_t step, const T* w, std::int64_t w_step, std::int64_t count) {
  BitsOf<T> differs = 0;
  for (std::int64_t i = 0; i < count; ++i) differs |= bits(v[i * step]) ^ bits(w[i * w_step]);
  return differs == 0;
}

// Raised by any thread, and never lowered.
class Flags {
 public:
  explicit Flags(std::size_t count) : flags_(count, 0) {}
  bool operator[](std::int64_t i) const {
    return std::atomic_ref(const_cast<std::uint8_t&>(flags_[i])).load(std::memory_order_relaxed) != 0;
  }
  void raise(std::int64_t i) { std::atomic_ref(flags_[i]).store(1, std::memory_order_relaxed); }
  std::vector<std::uint8_t> all() && { return std::move(flags_); }

 private:
  std::vector<std::uint8_t> flags_;
};

template <class T>
const T* column_of(const BlockDiagonals<T>& hub, std::int64_t d, int r, int c) {
  return hub.values.data() + (d * hub.dof + c) * hub.rows() + r;
}

// Raises, for entries [diagonal][row][column], `varies` and, of those that may be mirrors, `differs`.
template <class T>
void compare(const BlockDiagonals<T>& hub, const std::vector<T>& first, Flags& varies, Flags& differs) {
  const int b = hub.dof;
  std::vector<std::int64_t> back;
  for (std::int64_t d = 0; d < hub.diagonals(); ++d) back.push_back(opposite(hub, d));
#pragma omp parallel for schedule(static) if (hub.nodes() > run)
  for (std::int64_t begin = 0; begin < hub.nodes(); begin += run)
    for (std::int64_t d = 0; d < hub.diagonals(); ++d)
      for_each_interval(hub, hub.offsets[d], begin, std::min(hub.nodes(), begin + run),
                        [&](std::int64_t from, std::int64_t count, std::int64_t to) {
                          for (int r = 0; r < b; ++r)
                            for (int c = 0; c < b; ++c) {
                              const std::int64_t e = (d * b + r) * b + c;
                              if (!may_couple(hub, e)) continue;
                              const T* const v = column_of(hub, d, r, c) + from * b;
                              if (!varies[e] && !same(v, b, &first[e], 0, count)) varies.raise(e);
                              if (may_be_mirror(hub, d, back[d], r, c) && !differs[e] &&
                                  !same(v, b, column_of(hub, back[d], c, r) + to * b, b, count))
                                differs.raise(e);
                            }
                        });
}

// Of a column, at nodes that have a neighbour at `offset`; at all nodes where that is 0.
template <class T>
std::int64_t non_zeros(const Compact<T>& a, std::int64_t column, const NodeOffset& offset = {}) {
  return a.with_values([&](const auto& values) {
    std::int64_t count = 0;
    const auto* const v = values.data() + column * a.nodes();
    for_each_interval(a, offset, 0, a.nodes(), [&](std::int64_t node, std::int64_t nodes, std::int64_t) {
      count += std::count_if(v + node, v + node + nodes, [](auto each) { return static_cast<T>(each) != 0; });
    });
    return count;
  });
}

}  // namespace

std::int64_t first_node_with(const BlockStructure& s, const NodeOffset& o) {
  const std::array<std::int64_t, 3> step{o.x, o.y, o.z};
  std::array<std::int64_t, 3> first{};
  for (int axis = 0; axis < 3; ++axis) {
    if (s.periodic[axis]) continue;
    first[axis] = std::max<std::int64_t>(0, -step[axis]);
    if (first[axis] + std::max<std::int64_t>(0, step[axis]) >= s.extents[axis]) return -1;
  }
  return (first[2] * s.extents[1] + first[1]) * s.extents[0] + first[0];
}

bool may_be_mirror(const BlockStructure& s, std::int64_t d, std::int64_t back, int r, int c) {
  if (back < 0) return false;
  if (back == d) return r > c;
  const NodeOffset &o = s.offsets[d], &p = s.offsets[back];
  return std::tie(o.z, o.y, o.x) < std::tie(p.z, p.y, p.x);
}

std::int64_t opposite(const BlockStructure& s, std::int64_t d) {
  const auto along = [&](std::int64_t step, int axis) {
    return s.periodic[axis] ? (step % s.extents[axis] + s.extents[axis]) % s.extents[axis] : step;
  };
  const NodeOffset& o = s.offsets[d];
  for (std::int64_t i = 0; i < s.diagonals(); ++i) {
    const NodeOffset& p = s.offsets[i];
    if (along(p.x, 0) == along(-o.x, 0) && along(p.y, 1) == along(-o.y, 1) && along(p.z, 2) == along(-o.z, 2))
      return i;
  }
  return -1;
}

template <class T>
std::vector<CompactEntry<T>> compact_entries(const BlockStructure& s, const CompactFacts<T>& facts) {
  const int b = s.dof;
  std::vector<CompactEntry<T>> entries(facts.first.size());
  std::int32_t columns = 0;
  const auto is_mirror = [&](std::int64_t e, std::int64_t d, int r, int c) {
    return facts.differs[e] == 0 && may_be_mirror(s, d, opposite(s, d), r, c);
  };
  const auto for_each_entry = [&](const auto& body) {
    std::int64_t e = 0;
    for (std::int64_t d = 0; d < s.diagonals(); ++d)
      for (int r = 0; r < b; ++r)
        for (int c = 0; c < b; ++c) body(e++, d, r, c);
  };
  for_each_entry([&](std::int64_t e, std::int64_t d, int r, int c) {
    if (facts.varies[e] == 0)
      entries[e] = {bits(facts.first[e]) == 0 ? Stored::nothing : Stored::constant, 0, facts.first[e]};
    else if (!is_mirror(e, d, r, c))
      entries[e] = {Stored::column, columns++, 0};
  });
  for_each_entry([&](std::int64_t e, std::int64_t d, int r, int c) {
    if (facts.varies[e] != 0 && is_mirror(e, d, r, c))
      entries[e] = {Stored::mirror, entries[(opposite(s, d) * b + c) * b + r].column, 0};
  });
  return entries;
}

template <class T>
std::vector<CompactEntry<T>> compact_entries(const BlockDiagonals<T>& hub) {
  CompactFacts<T> facts;
  for (std::int64_t d = 0; d < hub.diagonals(); ++d) {
    const std::int64_t node = first_node_with(hub, hub.offsets[d]);
    for (int r = 0; r < hub.dof; ++r)
      for (int c = 0; c < hub.dof; ++c)
        facts.first.push_back(node < 0 || !may_couple(hub, std::ssize(facts.first))
                                  ? T(0)
                                  : column_of(hub, d, r, c)[node * hub.dof]);
  }
  Flags varies(facts.first.size()), differs(facts.first.size());
  compare(hub, facts.first, varies, differs);
  facts.varies = std::move(varies).all();
  facts.differs = std::move(differs).all();
  return compact_entries(hub, facts);
}

template <class T>
std::int32_t columns_of(const std::vector<CompactEntry<T>>& entries) {
  return static_cast<std::int32_t>(std::count_if(entries.begin(), entries.end(),
                                                 [](const auto& e) { return e.stored == Stored::column; }));
}

template <class T>
std::vector<CompactEntry<T>> all_columns(const BlockStructure& s) {
  std::vector<CompactEntry<T>> entries(static_cast<std::size_t>(s.diagonals() * s.dof * s.dof));
  for (std::size_t e = 0; e < entries.size(); ++e)
    entries[e] = {Stored::column, static_cast<std::int32_t>(e), 0};
  return entries;
}

bool may_couple(const BlockStructure& s, std::int64_t e) {
  const std::int64_t block = std::int64_t{s.dof} * s.dof;
  const std::uint8_t* const couples = s.fill_of(e / block);
  return couples == nullptr || couples[e % block] != 0;
}

template <class T>
std::vector<CompactEntry<T>> columns_of_fill(const BlockStructure& s) {
  std::vector<CompactEntry<T>> entries = all_columns<T>(s);
  std::int32_t columns = 0;
  for (std::int64_t e = 0; e < std::ssize(entries); ++e) {
    if (may_couple(s, e))
      entries[e].column = columns++;
    else
      entries[e] = {};
  }
  return entries;
}

void throw_not_stored(ValuePrecision precision) {
  throw FormatError(std::string("this operator has values that ") + to_string(precision) +
                    " cannot hold: sizes from 1.2e-38 to 3.4e38 and 0");
}

namespace {

// The columns of `a`, whose entries are there; whether each value could be stored.
template <class T, class V>
bool take_columns(const BlockDiagonals<T>& hub, const Compact<T>& a, V* values) {
  const std::int64_t nodes = hub.nodes();
  bool well = true;
#pragma omp parallel for schedule(static) reduction(&& : well)
  for (std::int64_t begin = 0; begin < nodes; begin += run)
    for (std::int64_t d = 0; d < a.diagonals(); ++d)
      for (int r = 0; r < a.dof; ++r)
        for (int c = 0; c < a.dof; ++c) {
          if (a.at(d, r, c).stored != Stored::column) continue;
          const T* const from = column_of(hub, d, r, c);
          V* const to = values + a.at(d, r, c).column * nodes;
          for (std::int64_t i = begin; i < std::min(nodes, begin + run); ++i) {
            to[i] = rounded<V>(from[i * a.dof]);
            well = well && rounds_well<V>(from[i * a.dof]);
          }
        }
  return well;
}

}  // namespace

template <class T>
Compact<T> compact_from_hub(const BlockDiagonals<T>& hub) {
  return compact_from_hub(hub, compact_entries(hub), ValuePrecision::own);
}

template <class T>
bool is_symmetric(const BlockStructure& s, const std::vector<CompactEntry<T>>& entries) {
  const auto at = [&](std::int64_t d, int r, int c) { return entries[(d * s.dof + r) * s.dof + c]; };
  const auto is_opposite = [&](const CompactEntry<T>& e, const CompactEntry<T>& of) {
    if (e.stored == Stored::nothing) return of.stored == Stored::nothing;
    if (e.stored == Stored::constant)
      return of.stored == Stored::constant && bits(e.constant) == bits(of.constant);
    return of.stored == (e.stored == Stored::column ? Stored::mirror : Stored::column) &&
           e.column == of.column;
  };
  for (std::int64_t d = 0; d < s.diagonals(); ++d) {
    const std::int64_t back = opposite(s, d);
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c) {
        if (back == d && r == c && s.offsets[d] == NodeOffset{}) continue;
        if (back < 0 ? at(d, r, c).stored != Stored::nothing : !is_opposite(at(d, r, c), at(back, c, r)))
          return false;
      }
  }
  return true;
}

template <class T>
bool has_constants_by_kind(const BlockStructure& s, const std::vector<CompactEntry<T>>& entries) {
  bool has_centre = false;
  std::size_t e = 0;
  for (const NodeOffset& offset : s.offsets) {
    const bool centre = offset == NodeOffset{};
    has_centre = has_centre || centre;
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c, ++e) {
        const Stored stored = entries[e].stored;
        if (stored != Stored::nothing && (stored != Stored::constant || (!centre && r != c))) return false;
      }
  }
  return has_centre;
}

template <class T>
Compact<T> compact_from_hub(const BlockDiagonals<T>& hub, std::vector<CompactEntry<T>> entries,
                            ValuePrecision precision) {
  Compact<T> a;
  static_cast<BlockStructure&>(a) = hub;
  a.entry = std::move(entries);
  a.precision = precision;
  const std::int64_t size = checked_product(columns_of(a.entry), hub.nodes(), "compact");
  memory::require_host(checked_product(size, bytes_of(precision, sizeof(T)), "compact"));
  const bool well = a.with_values([&]<class V>(Array<V>& values) {
    values = Array<V>(size);
    return take_columns(hub, a, values.data());
  });
  if (!well) throw_not_stored(precision);
  return a;
}

std::vector<CompactEntry<double>> compact_entries(const FewRows& rows) {
  return compact_entries(on_small_grid(rows));
}

Array<double> few_of_columns(const FewRows& rows, const std::vector<CompactEntry<double>>& entries) {
  const std::int64_t nodes = rows.stored_nodes(), dof = rows.a.dof;
  Array<double> few(columns_of(entries) * nodes);
  for (std::int64_t e = 0; e < std::ssize(entries); ++e) {
    if (entries[e].stored != Stored::column) continue;
    const std::int64_t c = e % dof, r = e / dof % dof, d = e / dof / dof;
    const double* const from = rows.a.values.data() + (d * dof + c) * nodes * dof + r;
    for (std::int64_t i = 0; i < nodes; ++i) few[entries[e].column * nodes + i] = from[i * dof];
  }
  return few;
}

Compact<double> compact_from_few_rows(const FewRows& rows, std::vector<CompactEntry<double>> entries) {
  Compact<double> a;
  static_cast<BlockStructure&>(a) = rows.a;
  a.entry = std::move(entries);
  const std::int64_t columns = columns_of(a.entry), size = checked_product(columns, a.nodes(), "compact");
  memory::require_host(checked_product(size, sizeof(double), "compact"));
  a.values = Array<double>(size);
  repeat_nodes(rows, few_of_columns(rows, a.entry).data(), columns, 1, a.values.data());
  return a;
}

template <class T>
BlockDiagonals<T> to_hub(const Compact<T>& a) {
  BlockDiagonals<T> hub;
  static_cast<BlockStructure&>(hub) = a;
  const std::int64_t rows = a.rows(), nodes = a.nodes();
  hub.values = Array<T>(value_bytes(a, sizeof(T)) / static_cast<std::int64_t>(sizeof(T)), T(0));
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < nodes; begin += run)
    for (std::int64_t d = 0; d < a.diagonals(); ++d)
      for (int r = 0; r < a.dof; ++r)
        for (int c = 0; c < a.dof; ++c) {
          const CompactEntry<T>& e = a.at(d, r, c);
          if (e.stored == Stored::nothing) continue;
          T* const to = hub.values.data() + (d * a.dof + c) * rows + r;
          const auto fill = [&](std::int64_t node, std::int64_t count, std::int64_t neighbour) {
            a.with_values([&](const auto& values) {
              const auto* const v =
                  values.data() + e.column * nodes + (e.stored == Stored::mirror ? neighbour : node);
              for (std::int64_t i = 0; i < count; ++i)
                to[(node + i) * a.dof] = e.stored == Stored::constant ? e.constant : static_cast<T>(v[i]);
            });
          };
          for_each_interval(a, a.offsets[d], begin, std::min(nodes, begin + run), fill);
        }
  return hub;
}

template <class T>
Csr<T> to_csr(const Compact<T>& a) {
  return to_csr(to_hub(a));
}

template <class T, class Space>
Array<T> diagonal_blocks(const Compact<T, Space>& a, int size) {
  if (size < 1 || a.dof % size != 0 || a.precision != ValuePrecision::own)
    throw FormatError("compact has no blocks of " + std::to_string(size) + " on its diagonal");
  Array<T> blocks(a.rows() * size, T(0));
  const auto centre = std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{});
  if (centre == a.offsets.end()) return blocks;
  const std::int64_t nodes = a.nodes(), of_node = std::int64_t{a.dof} * size;
  Array<T> copy;
  for (int r = 0; r < a.dof; ++r)
    for (int c = r / size * size; c < (r / size + 1) * size; ++c) {
      const CompactEntry<T>& e = a.at(centre - a.offsets.begin(), r, c);
      T* const to = blocks.data() + (r / size * size + c % size) * size + r % size;
      if (e.stored == Stored::nothing) continue;
      const T* column = nullptr;  // of a node itself, which a mirror is of as well
      if (e.stored != Stored::constant) column = a.values.data() + e.column * nodes;
      if constexpr (std::is_same_v<Space, Device>)
        if (column != nullptr) {
          if (copy.size() == 0) copy = Array<T>(nodes);
          memory::copy_to_host(copy.data(), column, copy.bytes());
          column = copy.data();
        }
#pragma omp parallel for schedule(static)
      for (std::int64_t node = 0; node < nodes; ++node)
        to[node * of_node] = column == nullptr ? e.constant : column[node];
    }
  return blocks;
}

template <class T>
void validate(const Compact<T>& a) {
  if (static_cast<std::int64_t>(a.entry.size()) != a.diagonals() * a.dof * a.dof)
    throw FormatError("compact: " + std::to_string(a.entry.size()) + " entries do not describe " +
                      std::to_string(a.diagonals()) + " blocks of " + std::to_string(a.dof));
  const std::int32_t columns = columns_of(a.entry);
  const std::int64_t values = a.with_values([](const auto& array) { return array.size(); });
  if (values != columns * a.nodes())
    throw FormatError("compact: " + std::to_string(columns) + " columns of " + std::to_string(a.nodes()) +
                      " nodes need as many values, not " + std::to_string(values));
  for (std::int64_t d = 0; d < a.diagonals(); ++d)
    for (int r = 0; r < a.dof; ++r)
      for (int c = 0; c < a.dof; ++c) {
        const CompactEntry<T>& e = a.at(d, r, c);
        const std::string name = "compact: the entry of diagonal " + std::to_string(d) + ", row " +
                                 std::to_string(r) + ", column " + std::to_string(c);
        const bool in_values = e.stored == Stored::column || e.stored == Stored::mirror;
        if (in_values && (e.column < 0 || e.column >= columns)) throw FormatError(name + " has no column");
        if (e.stored == Stored::column && non_zeros(a, e.column) != non_zeros(a, e.column, a.offsets[d]))
          throw FormatError(name + " has values where there is no neighbour");
        if (e.stored != Stored::mirror) continue;
        const std::int64_t back = opposite(a, d);
        if (back < 0 || a.at(back, c, r).stored != Stored::column || a.at(back, c, r).column != e.column)
          throw FormatError(name + " is a mirror of nothing");
      }
  validate_fill(a);
}

Traffic compact_traffic(const BlockStructure& s, std::int64_t columns, std::int64_t number_bytes,
                        ValuePrecision precision) {
  const std::int64_t values = checked_product(checked_product(columns, s.nodes(), "compact"),
                                              bytes_of(precision, number_bytes), "compact");
  return whole_traffic(values + s.diagonals() * s.dof * s.dof * (8 + number_bytes), s.rows(), s.rows(),
                       number_bytes);
}

template <class T, class Space>
Traffic traffic(const Compact<T, Space>& a) {
  return compact_traffic(a, columns_of(a.entry), sizeof(T), a.precision);
}

#define QUADRILLE_INSTANTIATE(T)                                                                        \
  template std::vector<CompactEntry<T>> compact_entries(const BlockStructure&, const CompactFacts<T>&); \
  template std::vector<CompactEntry<T>> compact_entries(const BlockDiagonals<T>&);                      \
  template std::int32_t columns_of(const std::vector<CompactEntry<T>>&);                                \
  template bool is_symmetric(const BlockStructure&, const std::vector<CompactEntry<T>>&);               \
  template bool has_constants_by_kind(const BlockStructure&, const std::vector<CompactEntry<T>>&);      \
  template std::vector<CompactEntry<T>> all_columns(const BlockStructure&);                             \
  template std::vector<CompactEntry<T>> columns_of_fill(const BlockStructure&);                         \
  template Compact<T> compact_from_hub(const BlockDiagonals<T>&);                                       \
  template Compact<T> compact_from_hub(const BlockDiagonals<T>&, std::vector<CompactEntry<T>>,          \
                                       ValuePrecision);                                                 \
  template BlockDiagonals<T> to_hub(const Compact<T>&);                                                 \
  template Csr<T> to_csr(const Compact<T>&);                                                            \
  template Array<T> diagonal_blocks(const Compact<T, Host>&, int);                                      \
  template Array<T> diagonal_blocks(const Compact<T, Device>&, int);                                    \
  template void validate(const Compact<T>&);                                                            \
  template Traffic traffic(const Compact<T, Host>&);                                                    \
  template Traffic traffic(const Compact<T, Device>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
