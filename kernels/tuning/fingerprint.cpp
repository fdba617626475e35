#include "kernels/tuning/fingerprint.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace quadrille {
namespace {

constexpr std::int64_t chunk = 1 << 16;  // numbers hashed one after the other

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t h) {
  h += 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

std::uint64_t joined_hash(std::uint64_t h, std::int64_t value) {
  return mixed(h ^ static_cast<std::uint64_t>(value));
}

// Chunks are hashed by themselves, in parallel, and then as a list.
std::uint64_t hash_of(const Array<std::int32_t>& numbers, std::uint64_t seed) {
  const std::int64_t chunks = (numbers.size() + chunk - 1) / chunk;
  std::vector<std::uint64_t> parts(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(static)
  for (std::int64_t c = 0; c < chunks; ++c) {
    std::uint64_t h = seed;
    for (std::int64_t i = c * chunk; i < std::min(numbers.size(), (c + 1) * chunk); ++i)
      h = joined_hash(h, numbers[i]);
    parts[c] = h;
  }
  std::uint64_t h = joined_hash(seed, numbers.size());
  for (const std::uint64_t part : parts) h = mixed(h ^ part);
  return h;
}

}  // namespace

template <class T>
std::uint64_t structure_hash(const Csr<T>& csr) {
  return joined_hash(hash_of(csr.column, hash_of(csr.row_ptr, 1)), csr.columns);
}

std::uint64_t structure_hash(const BlockStructure& structure) {
  std::uint64_t h = 2;
  for (int axis = 0; axis < 3; ++axis)
    h = joined_hash(joined_hash(h, structure.extents[axis]), structure.periodic[axis]);
  h = joined_hash(h, structure.dof);
  for (const NodeOffset& o : structure.offsets) h = joined_hash(joined_hash(joined_hash(h, o.x), o.y), o.z);
  return h;
}

template <class T>
std::string fingerprint(const FormatInput<T>& source, const Sparsity& s) {
  std::uint64_t h = 0;
  if (source.csr && !source.hub) {
    h = structure_hash(*source.csr);
  } else if (s.cds) {
    h = structure_hash(*s.cds);
    for (const std::int64_t count :
         {s.nnz, s.blocks, s.diagonals, s.lengths.longest, s.compact_columns, s.compact_entries, s.stencils})
      h = joined_hash(h, count);
  }
  char text[96];
  std::snprintf(text, sizeof text, "%lldx%lld:%lld:%016llx", static_cast<long long>(s.rows),
                static_cast<long long>(s.columns), static_cast<long long>(s.nnz),
                static_cast<unsigned long long>(h));
  return text;
}

#define QUADRILLE_INSTANTIATE(T)                        \
  template std::uint64_t structure_hash(const Csr<T>&); \
  template std::string fingerprint(const FormatInput<T>&, const Sparsity&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
