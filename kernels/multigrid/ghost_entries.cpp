#include "kernels/multigrid/ghost_entries.hpp"

#include <algorithm>

#include "formats/threads.hpp"

namespace quadrille::multigrid {
namespace {

std::array<int, 3> node_of_row(const GhostEntries& ghosts, std::int64_t i, const OwnNodes& of) {
  const std::int64_t node = ghosts.boundary_rows[i] / of.dof, line = node / of.size[0];
  return {static_cast<int>(node % of.size[0]), static_cast<int>(line % of.size[1]),
          static_cast<int>(line / of.size[1])};
}

constexpr std::int64_t rows_worth_threads = worth_threads / 16;  // a row has several entries

}  // namespace

OwnNodes own_nodes(const Partition& p, const StoredNodes& stored, int dof) {
  const NodeBox own = own_box(p);
  OwnNodes of{stored, {}, {}, {}, {}, {}, dof};
  for (int axis = 0; axis < 3; ++axis) {
    of.first[axis] = static_cast<int>(own.first[axis]);
    of.size[axis] = static_cast<int>(own.size[axis]);
    of.whole[axis] = static_cast<int>(p.extents[axis]);
    of.wraps[axis] = p.periodic[axis] && p.extents[axis] > 1;
    of.alone[axis] = p.ranks_along(axis) == 1;
  }
  return of;
}

std::vector<NodeOffset> ghost_offsets(const Partition& p, int dof, const GhostEntries& ghosts) {
  const NodeBox own = own_box(p);
  const Csr<double>& g = ghosts.rows;
  const std::int64_t rows = g.rows, columns = std::ssize(ghosts.columns);
  const bool worth = g.nnz() > worth_threads;
  std::vector<NodePosition> position(ghosts.columns.size());
#pragma omp parallel for schedule(static) if (worth)
  for (std::int64_t i = 0; i < columns; ++i) position[i] = position_of(p, ghosts.columns[i] / dof);
  std::vector<NodeOffset> offsets(static_cast<std::size_t>(g.nnz()));
#pragma omp parallel for schedule(static) if (worth)
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t node = ghosts.boundary_rows[i] / dof;
    const NodePosition from{own.first[0] + node % own.size[0],
                            own.first[1] + node / own.size[0] % own.size[1],
                            own.first[2] + node / own.size[0] / own.size[1]};
    for (std::int32_t k = g.row_ptr[i]; k < g.row_ptr[i + 1]; ++k) {
      const NodePosition& to = position[g.column[k]];
      std::array<std::int64_t, 3> d{};
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t n = p.extents[axis];
        d[axis] = to[axis] - from[axis];
        if (p.periodic[axis] && d[axis] > n / 2) d[axis] -= n;
        if (p.periodic[axis] && d[axis] < -(n / 2)) d[axis] += n;
      }
      offsets[k] = {static_cast<std::int32_t>(d[0]), static_cast<std::int32_t>(d[1]),
                    static_cast<std::int32_t>(d[2])};
    }
  }
  return offsets;
}

std::vector<std::int32_t> OffsetPlaces::of(const std::vector<NodeOffset>& all) const {
  std::vector<std::int32_t> places(all.size());
  const auto count = std::ssize(all);
#pragma omp parallel for schedule(static) if (count > worth_threads)
  for (std::int64_t i = 0; i < count; ++i) places[i] = (*this)(all[i]);
  return places;
}

StoredPlaces stored_places(const OwnNodes& of, const GhostEntries& ghosts,
                           const std::vector<std::int32_t>& diagonal) {
  const Csr<double>& g = ghosts.rows;
  const std::int64_t rows = g.rows, dof = of.dof;
  StoredPlaces places{std::vector<std::int32_t>(static_cast<std::size_t>(g.nnz())), {}};
#pragma omp parallel for schedule(static) if (rows > rows_worth_threads)
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = of.stored_node(node_of_row(ghosts, i, of)) * dof + ghosts.boundary_rows[i] % dof;
    for (std::int32_t k = g.row_ptr[i]; k < g.row_ptr[i + 1]; ++k)
      places.of_entry[k] = static_cast<std::int32_t>(
          (diagonal[k] * dof + ghosts.columns[g.column[k]] % dof) * of.stored_rows() + row);
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::array<int, 3> at = node_of_row(ghosts, i, of);
    std::array<int, 3> first{};
    if (!of.has(of.stored_node(at), first) || first != at) continue;
    for (std::int32_t k = g.row_ptr[i]; k < g.row_ptr[i + 1]; ++k) places.first.push_back(k);
  }
  return places;
}

namespace {

// Along an axis, of own nodes by their stored one: those from which an offset leads to a node that is there,
// and to one of this rank.
struct LeadsTo {
  std::vector<std::int64_t> any, own;
};
LeadsTo along(int axis, int offset, const OwnNodes& of) {
  const auto count = static_cast<std::size_t>(of.stored.n[axis]);
  LeadsTo leads{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
  for (int i = 0; i < of.size[axis]; ++i) {
    const int stored = of.stored.along(axis, of.first[axis] + i), to = i + offset,
              in_whole = of.first[axis] + to;
    const bool inside = to >= 0 && to < of.size[axis];
    if (!inside && !of.wraps[axis] && (in_whole < 0 || in_whole >= of.whole[axis])) continue;
    ++leads.any[stored];
    leads.own[stored] += inside || of.alone[axis] ? 1 : 0;
  }
  return leads;
}

// How many entries of the rows `all` lead from a rank's nodes to those of others.
std::int64_t entries_away(const std::vector<double>& all, const std::vector<NodeOffset>& offsets,
                          const OwnNodes& of) {
  const StoredNodes& stored = of.stored;
  std::int64_t away = 0;
  for (std::size_t d = 0; d < offsets.size(); ++d) {
    const LeadsTo leads[3] = {along(0, offsets[d].x, of), along(1, offsets[d].y, of),
                              along(2, offsets[d].z, of)};
    for (int node = 0; node < stored.nodes(); ++node) {
      const int at[3] = {node % stored.n[0], node / stored.n[0] % stored.n[1],
                         node / stored.n[0] / stored.n[1]};
      std::int64_t any = 1, own = 1, entries = 0;
      for (int axis = 0; axis < 3; ++axis) {
        any *= leads[axis].any[at[axis]];
        own *= leads[axis].own[at[axis]];
      }
      for (int c = 0; c < of.dof && any > own; ++c)
        for (int r = 0; r < of.dof; ++r)
          entries += all[(static_cast<std::int64_t>(d) * of.dof + c) * of.stored_rows() +
                         std::int64_t{node} * of.dof + r] != 0
                         ? 1
                         : 0;
      away += (any - own) * entries;
    }
  }
  return away;
}

}  // namespace

bool has_entries_of(const std::vector<double>& all, const std::vector<NodeOffset>& offsets,
                    const OwnNodes& of, const StoredPlaces& places, const Array<double>& values) {
  std::int64_t there = 0, others = 0;
  const std::int64_t count = values.size();
#pragma omp parallel for schedule(static) reduction(+ : there, others) if (count > 64 * worth_threads)
  for (std::int64_t k = 0; k < count; ++k) {
    others += values[k] != all[places.of_entry[k]] ? 1 : 0;
    there += values[k] != 0 ? 1 : 0;
  }
  return others == 0 && there == entries_away(all, offsets, of);
}

Array<std::int64_t> places_in_box(const GhostEntries& ghosts, const std::vector<std::int32_t>& diagonal,
                                  const BoxRows& box) {
  const Csr<double>& g = ghosts.rows;
  const std::int64_t rows = g.rows, dof = box.dof;
  Array<std::int64_t> places(g.nnz());
#pragma omp parallel for schedule(static) if (rows > rows_worth_threads)
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int32_t k = g.row_ptr[i]; k < g.row_ptr[i + 1]; ++k)
      places[k] = (diagonal[k] * dof + ghosts.columns[g.column[k]] % dof) * box.rows() +
                  box.of_own(ghosts.boundary_rows[i]);
  return places;
}

}  // namespace quadrille::multigrid
