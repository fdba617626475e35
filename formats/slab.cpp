#include "formats/slab.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "formats/format.hpp"

namespace quadrille {
namespace {

std::int64_t along(const NodeOffset& o, int axis) {
  return std::array<std::int64_t, 3>{o.x, o.y, o.z}[axis];
}

// Of the block diagonals, those that stay within the slab from some node.
std::vector<std::int64_t> kept_diagonals(const Slab& slab) {
  std::vector<std::int64_t> kept;
  for (std::int64_t d = 0; d < slab.structure.diagonals(); ++d)
    if (std::abs(along(slab.structure.offsets[d], slab.axis)) < slab.planes) kept.push_back(d);
  return kept;
}

struct Entry {
  std::int32_t row = 0;     // from 0 in the slab
  std::int64_t column = 0;  // of the whole grid
  double value = 0;
};

// Moves the couplings of one plane that leave the slab out of its values.
void take_couplings(Slab& slab, std::int64_t plane, std::vector<Entry>& entries) {
  const BlockStructure& s = slab.structure;
  const std::int64_t b = s.dof, rows = slab.nodes() * b, plane_nodes = slab.plane_nodes(),
                     n = s.extents[slab.axis];
  for (std::int64_t d = 0; d < s.diagonals(); ++d) {
    const std::int64_t to_plane = plane + along(s.offsets[d], slab.axis);
    if (to_plane >= 0 && to_plane < slab.planes) continue;
    for (std::int64_t i = 0; i < plane_nodes; ++i) {
      const std::int64_t node = plane * plane_nodes + i, global = slab.first_node() + node,
                         line = global / s.extents[0];
      const std::int64_t to =
          s.neighbour(global % s.extents[0], line % s.extents[1], line / s.extents[1], s.offsets[d]);
      if (to < 0) continue;
      const std::int64_t from_slab = to / plane_nodes - slab.first_plane;
      if (from_slab >= 0 && from_slab < slab.planes)
        throw FormatError("a slab of " + std::to_string(slab.planes) + " of " + std::to_string(n) +
                          " periodic planes couples to itself around the end of the grid");
      for (std::int64_t c = 0; c < b; ++c)
        for (std::int64_t r = 0; r < b; ++r) {
          double& value = slab.values[(d * b + c) * rows + node * b + r];
          if (value != 0) entries.push_back({static_cast<std::int32_t>(node * b + r), to * b + c, value});
          value = 0;
        }
    }
  }
}

GhostPart ghost_part(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  GhostPart ghosts;
  for (const Entry& e : entries) ghosts.columns.push_back(e.column);
  std::sort(ghosts.columns.begin(), ghosts.columns.end());
  ghosts.columns.erase(std::unique(ghosts.columns.begin(), ghosts.columns.end()), ghosts.columns.end());
  std::vector<std::int32_t> begin;
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (k == 0 || entries[k].row != entries[k - 1].row) {
      ghosts.boundary_rows.push_back(entries[k].row);
      begin.push_back(static_cast<std::int32_t>(k));
    }
  begin.push_back(to_index32(static_cast<std::int64_t>(entries.size()), "couplings to other ranks"));
  Csr<double>& csr = ghosts.values;
  csr.rows = static_cast<std::int64_t>(ghosts.boundary_rows.size());
  csr.columns = static_cast<std::int64_t>(ghosts.columns.size());
  csr.row_ptr = Array<std::int32_t>(csr.rows + 1);
  csr.column = Array<std::int32_t>(begin.back());
  csr.value = Array<double>(begin.back());
  std::copy(begin.begin(), begin.end(), csr.row_ptr.data());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto at = std::lower_bound(ghosts.columns.begin(), ghosts.columns.end(), entries[k].column);
    csr.column[k] = static_cast<std::int32_t>(at - ghosts.columns.begin());
    csr.value[k] = entries[k].value;
  }
  return ghosts;
}

}  // namespace

SplitSlab split(Slab slab) {
  const BlockStructure& s = slab.structure;
  const std::int64_t b = s.dof, rows = slab.nodes() * b;
  to_index32(rows, "rows of a slab");
  if (slab.values.size() != s.diagonals() * b * rows)
    throw FormatError("a slab of " + std::to_string(rows) + " rows holds " +
                      std::to_string(slab.values.size()) + " values, not " +
                      std::to_string(s.diagonals() * b * rows));
  SplitSlab result;
  static_cast<BlockStructure&>(result.own) = s;
  const bool whole = slab.planes == s.extents[slab.axis];
  std::vector<Entry> entries;
  std::int64_t reach = 0;
  for (const NodeOffset& o : s.offsets) reach = std::max(reach, std::abs(along(o, slab.axis)));
  for (std::int64_t plane = 0; plane < slab.planes && !whole; ++plane)
    if (plane < reach || plane + reach >= slab.planes) take_couplings(slab, plane, entries);
  result.ghosts = ghost_part(std::move(entries));
  if (whole) {
    result.own.values = std::move(slab.values);
    return result;
  }
  result.own.extents[slab.axis] = slab.planes;
  result.own.periodic[slab.axis] = false;
  const std::vector<std::int64_t> kept = kept_diagonals(slab);
  if (static_cast<std::int64_t>(kept.size()) == s.diagonals()) {
    result.own.values = std::move(slab.values);
    return result;
  }
  result.own.offsets.clear();
  result.own.values = Array<double>(static_cast<std::int64_t>(kept.size()) * b * rows);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    result.own.offsets.push_back(s.offsets[kept[k]]);
    std::copy_n(slab.values.data() + kept[k] * b * rows, b * rows,
                result.own.values.data() + static_cast<std::int64_t>(k) * b * rows);
  }
  return result;
}

JoinedRows joined_rows(const Csr<double>& own, const GhostPart& ghosts, std::int64_t first_row,
                       std::int64_t all_columns) {
  const std::int64_t entries = own.nnz() + ghosts.values.nnz();
  JoinedRows all{own.rows, all_columns, Array<std::int32_t>(own.rows + 1),
                 Array<std::int64_t>(to_index32(entries, "non-zeros")), Array<double>(entries)};
  std::int32_t place = all.row_ptr[0] = 0;
  std::size_t boundary = 0;
  const auto add = [&](std::int64_t column, double value) {
    all.column[place] = column;
    all.value[place++] = value;
  };
  for (std::int64_t row = 0; row < own.rows; ++row) {
    std::int32_t k = 0, end = 0;
    if (boundary < ghosts.boundary_rows.size() && ghosts.boundary_rows[boundary] == row) {
      k = ghosts.values.row_ptr[boundary], end = ghosts.values.row_ptr[boundary + 1];
      ++boundary;
    }
    const auto ghost_column = [&] { return ghosts.columns[ghosts.values.column[k]]; };
    for (; k < end && ghost_column() < first_row; ++k) add(ghost_column(), ghosts.values.value[k]);
    for (std::int32_t i = own.row_ptr[row]; i < own.row_ptr[row + 1]; ++i)
      add(first_row + own.column[i], own.value[i]);
    for (; k < end; ++k) add(ghost_column(), ghosts.values.value[k]);
    all.row_ptr[row + 1] = place;
  }
  return all;
}

}  // namespace quadrille
