#include "formats/block_diagonals.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace quadrille {
namespace {

// The index at distance d from i on an axis of n nodes, or -1.
std::int64_t shifted(std::int64_t i, std::int64_t d, std::int64_t n, bool periodic) {
  const std::int64_t j = i + d;
  if (periodic) return ((j % n) + n) % n;
  return 0 <= j && j < n ? j : -1;
}

// The diagonals that exist at one node, in ascending order of the node they lead to.
struct NodeBlocks {
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // {neighbour node, diagonal}

  void find(const BlockStructure& s, std::int64_t node) {
    const std::int64_t line = node / s.extents[0];
    const std::int64_t x = node % s.extents[0], y = line % s.extents[1], z = line / s.extents[1];
    blocks.clear();
    for (std::int64_t d = 0; d < s.diagonals(); ++d) {
      const std::int64_t neighbour = s.neighbour(x, y, z, s.offsets[d]);
      if (neighbour >= 0) blocks.emplace_back(neighbour, d);
    }
    std::sort(blocks.begin(), blocks.end());
  }
};

// Which entries of a row CSR keeps: those that the fill has, or all but exact zeros.
struct KeptEntries {
  const std::uint8_t* couples;  // [column], or null

  template <class T>
  bool operator()(std::int64_t c, T value) const {
    return value != T(0) || (couples != nullptr && couples[c] != 0);  // NaN is kept
  }
};
KeptEntries kept_of(const BlockStructure& s, std::int64_t d, std::int64_t r) {
  const std::uint8_t* const block = s.fill_of(d);
  return {block == nullptr ? nullptr : block + r * s.dof};
}

// Pairs of nodes that one block diagonal couples.
std::int64_t pairs_of(const BlockStructure& s, const NodeOffset& o, const std::string& what) {
  const std::array<std::int64_t, 3> step{o.x, o.y, o.z};
  std::int64_t nodes = 1;
  for (int axis = 0; axis < 3; ++axis)
    nodes = checked_product(
        nodes, s.periodic[axis] ? s.extents[axis] : s.extents[axis] - std::abs(step[axis]), what);
  return nodes;
}

// Sum over the block diagonals of their pairs, times of_block(d).
template <class OfBlock>
std::int64_t sum_over_pairs(const BlockStructure& s, const std::string& what, const OfBlock& of_block) {
  std::int64_t sum = 0;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    if (__builtin_add_overflow(sum, checked_product(pairs_of(s, s.offsets[d], what), of_block(d), what),
                               &sum))
      throw FormatError(what + " overflow 64 bits");
  return sum;
}

}  // namespace

void validate_fill(const BlockStructure& s) {
  const auto size = static_cast<std::size_t>(s.dof) * static_cast<std::size_t>(s.dof);
  if (!s.fill.said() && s.fill.beside.empty()) return;
  if (s.fill.centre.size() != size || s.fill.beside.size() != size)
    throw FormatError("block diagonals: the fill of " + std::to_string(s.dof) + " x " +
                      std::to_string(s.dof) + " blocks has " + std::to_string(s.fill.centre.size()) +
                      " entries in the centre and " + std::to_string(s.fill.beside.size()) + " beside it");
  for (int r = 0; r < s.dof; ++r)
    if (s.fill.centre[static_cast<std::size_t>(r) * s.dof + r] == 0)
      throw FormatError("block diagonals: the fill leaves out the diagonal of unknown " + std::to_string(r));
}

BlockFill diagonal_fill(int dof) {
  struct Diagonal {
    bool couples(bool, int r, int c) const { return r == c; }
  };
  return fill_of(Diagonal{}, dof);
}

BlockStructure with_unknowns(const BlockStructure& all, const UnknownsOfBlocks& unknowns) {
  constexpr int none = UnknownsOfBlocks::no_unknown;
  BlockStructure some = all;
  some.dof = unknowns.dof();
  some.fill.symmetric = all.fill.symmetric && unknowns.rows == unknowns.columns;
  some.fill.centre.clear();
  some.fill.beside.clear();
  const bool is_full =
      std::find(unknowns.rows.begin(), unknowns.rows.end(), none) == unknowns.rows.end() &&
      std::find(unknowns.columns.begin(), unknowns.columns.end(), none) == unknowns.columns.end();
  if (is_full && !all.fill.said()) return some;
  const auto couples = [&](const std::vector<std::uint8_t>& fill, int r, int c) {
    const int row = unknowns.rows[r], column = unknowns.columns[c];
    if (row == none || column == none) return false;
    return fill.empty() || fill[static_cast<std::size_t>(row * all.dof + column)] != 0;
  };
  for (int r = 0; r < some.dof; ++r)
    for (int c = 0; c < some.dof; ++c) {
      some.fill.centre.push_back(r == c || couples(all.fill.centre, r, c));
      some.fill.beside.push_back(couples(all.fill.beside, r, c));
    }
  return some;
}

BlockFill with_beside_in_centre(BlockFill fill) {
  for (std::size_t i = 0; i < fill.centre.size(); ++i)
    fill.centre[i] = fill.centre[i] != 0 || fill.beside[i] != 0;
  return fill;
}

std::int64_t BlockStructure::neighbour(std::int64_t x, std::int64_t y, std::int64_t z,
                                       const NodeOffset& offset) const {
  const std::int64_t i = shifted(x, offset.x, extents[0], periodic[0]);
  const std::int64_t j = shifted(y, offset.y, extents[1], periodic[1]);
  const std::int64_t k = shifted(z, offset.z, extents[2], periodic[2]);
  return i < 0 || j < 0 || k < 0 ? -1 : (k * extents[1] + j) * extents[0] + i;
}

std::int64_t value_bytes(const BlockStructure& s, std::int64_t bytes_per_value) {
  std::string nodes = std::to_string(s.extents[0]);  // not their product, which may overflow
  for (const int axis : {1, 2}) nodes += "x" + std::to_string(s.extents[axis]);
  const std::string what = "the values of " + std::to_string(s.diagonals()) + " block diagonals on " + nodes +
                           " nodes with " + std::to_string(s.dof) + " DoF";
  std::int64_t bytes = checked_product(s.diagonals(), s.dof, what);
  for (const std::int64_t factor :
       {s.extents[0], s.extents[1], s.extents[2], std::int64_t{s.dof}, bytes_per_value})
    bytes = checked_product(bytes, factor, what);
  return bytes;
}

template <class T>
void validate(const BlockDiagonals<T>& hub) {
  for (const std::int64_t extent : hub.extents)
    if (extent < 1 || hub.dof < 1) throw FormatError("block diagonals: extents and DoF must be at least 1");
  if (hub.values.bytes() != value_bytes(hub, sizeof(T)))
    throw FormatError("block diagonals: " + std::to_string(hub.values.size()) + " values for " +
                      std::to_string(hub.diagonals()) + " diagonals of " + std::to_string(hub.rows()) +
                      " rows with " + std::to_string(hub.dof) + " DoF");
  std::set<std::array<std::int64_t, 3>> reduced;
  for (const NodeOffset& o : hub.offsets) {
    std::array<std::int64_t, 3> r{o.x, o.y, o.z};
    for (int axis = 0; axis < 3; ++axis)
      if (hub.periodic[axis]) r[axis] = shifted(0, r[axis], hub.extents[axis], true);
    if (!reduced.insert(r).second)
      throw FormatError("block diagonals: offset (" + std::to_string(o.x) + ", " + std::to_string(o.y) +
                        ", " + std::to_string(o.z) + ") leads to the same nodes as another one");
  }
  validate_fill(hub);
  const std::int64_t rows = hub.rows();
  std::int64_t broken = -1, outside = -1;
#pragma omp parallel for schedule(static) reduction(max : broken, outside)
  for (std::int64_t node = 0; node < hub.nodes(); ++node) {
    const std::int64_t line = node / hub.extents[0];
    for (std::int64_t d = 0; d < hub.diagonals(); ++d) {
      const bool there = hub.neighbour(node % hub.extents[0], line % hub.extents[1], line / hub.extents[1],
                                       hub.offsets[d]) >= 0;
      const std::uint8_t* const couples = hub.fill_of(d);
      if (there && couples == nullptr) continue;
      for (std::int64_t c = 0; c < hub.dof; ++c)
        for (std::int64_t r = 0; r < hub.dof; ++r) {
          const std::int64_t row = node * hub.dof + r;
          if (hub.values[(d * hub.dof + c) * rows + row] == T(0)) continue;
          if (!there) broken = std::max(broken, row);
          if (couples != nullptr && couples[r * hub.dof + c] == 0) outside = std::max(outside, row);
        }
    }
  }
  if (broken >= 0)
    throw FormatError("block diagonals: row " + std::to_string(broken) +
                      " couples to a node outside the grid");
  if (outside >= 0)
    throw FormatError("block diagonals: row " + std::to_string(outside) +
                      " has a value where the fill says that nothing couples");
}

std::int64_t most_non_zeros(const BlockStructure& s) {
  const std::int64_t of_block = std::int64_t{s.dof} * s.dof;
  return sum_over_pairs(s, "the non-zeros of the operator", [&](std::int64_t d) {
    const std::uint8_t* const couples = s.fill_of(d);
    return couples == nullptr ? of_block : of_block - std::count(couples, couples + of_block, 0);
  });
}

std::int64_t coupled_pairs(const BlockStructure& s) {
  return sum_over_pairs(s, "the blocks of the operator", [](std::int64_t) { return std::int64_t{1}; });
}

template <class T>
Csr<T> to_csr_rows(const BlockStructure& hub, const Array<T>& values, std::int64_t first_node,
                   std::int64_t nodes) {
  const std::int64_t b = hub.dof, rows = nodes * b;
  const std::int64_t columns = to_index32(hub.rows(), "rows");
  Array<std::int64_t> length(rows + 1);
  length[0] = 0;
#pragma omp parallel
  {
    NodeBlocks at;
#pragma omp for schedule(static)
    for (std::int64_t node = 0; node < nodes; ++node) {
      at.find(hub, first_node + node);
      for (std::int64_t row = node * b; row < (node + 1) * b; ++row) {
        std::int64_t count = 0;
        for (const auto& [neighbour, d] : at.blocks) {
          const KeptEntries kept = kept_of(hub, d, row % b);
          for (std::int64_t c = 0; c < b; ++c) count += kept(c, values[(d * b + c) * rows + row]);
        }
        length[row + 1] = count;
      }
    }
  }
  for (std::int64_t row = 0; row < rows; ++row) length[row + 1] += length[row];
  const std::int64_t nnz = to_index32(length[rows], "non-zeros");
  memory::require_host(csr_bytes(rows, nnz, sizeof(T)));
  Csr<T> csr{rows, columns, Array<std::int32_t>(rows + 1), Array<std::int32_t>(nnz), Array<T>(nnz)};
  csr.row_ptr[0] = 0;
#pragma omp parallel
  {
    NodeBlocks at;
#pragma omp for schedule(static)
    for (std::int64_t node = 0; node < nodes; ++node) {
      at.find(hub, first_node + node);
      for (std::int64_t row = node * b; row < (node + 1) * b; ++row) {
        std::int64_t k = length[row];
        for (const auto& [neighbour, d] : at.blocks) {
          const KeptEntries kept = kept_of(hub, d, row % b);
          for (std::int64_t c = 0; c < b; ++c) {
            const T value = values[(d * b + c) * rows + row];
            if (!kept(c, value)) continue;
            csr.column[k] = static_cast<std::int32_t>(neighbour * b + c);
            csr.value[k++] = value;
          }
        }
        csr.row_ptr[row + 1] = static_cast<std::int32_t>(length[row + 1]);
      }
    }
  }
  return csr;
}

template <class T>
Csr<T> to_csr(const BlockDiagonals<T>& hub) {
  return to_csr_rows(hub, hub.values, 0, hub.nodes());
}

template <class T>
BlockDiagonals<T> block_diagonals_from_csr(const Csr<T>& csr, int dof) {
  if (csr.rows != csr.columns)
    throw FormatError("block diagonals need a square matrix, not " + std::to_string(csr.rows) + " x " +
                      std::to_string(csr.columns));
  if (dof < 1 || csr.rows % dof != 0)
    throw FormatError("blocks of " + std::to_string(dof) + " do not divide " + std::to_string(csr.rows) +
                      " rows");
  std::map<std::int64_t, std::int64_t> diagonal_of;  // node offset -> diagonal
  const std::int64_t csr_size = csr_bytes(csr.rows, csr.nnz(), sizeof(T));
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
      if (diagonal_of.try_emplace(csr.column[k] / dof - i / dof, 0).second)
        refuse_absurd_fill(
            "cds",
            checked_product(static_cast<std::int64_t>(diagonal_of.size()) * dof * sizeof(T), csr.rows, "cds"),
            csr_size);

  BlockDiagonals<T> hub;
  hub.extents = {csr.rows / dof, 1, 1};
  hub.dof = dof;
  for (auto& [offset, d] : diagonal_of) {
    d = hub.diagonals();
    hub.offsets.push_back({static_cast<std::int32_t>(offset), 0, 0});
  }
  hub.values = Array<T>(value_bytes(hub, sizeof(T)) / sizeof(T), T(0));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      const std::int64_t d = diagonal_of.find(csr.column[k] / dof - i / dof)->second;
      hub.values[(d * dof + csr.column[k] % dof) * csr.rows + i] = csr.value[k];
    }
  return hub;
}

template <class To, class From>
BlockDiagonals<To> cast(const BlockDiagonals<From>& hub) {
  BlockDiagonals<To> result;
  static_cast<BlockStructure&>(result) = hub;
  result.values = Array<To>(hub.values.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < hub.values.size(); ++i) result.values[i] = static_cast<To>(hub.values[i]);
  return result;
}

#define QUADRILLE_INSTANTIATE(T)                                                                   \
  template void validate(const BlockDiagonals<T>&);                                                \
  template Csr<T> to_csr(const BlockDiagonals<T>&);                                                \
  template Csr<T> to_csr_rows(const BlockStructure&, const Array<T>&, std::int64_t, std::int64_t); \
  template BlockDiagonals<T> block_diagonals_from_csr(const Csr<T>&, int);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE
template BlockDiagonals<float> cast<float>(const BlockDiagonals<double>&);
template BlockDiagonals<double> cast<double>(const BlockDiagonals<float>&);

}  // namespace quadrille
