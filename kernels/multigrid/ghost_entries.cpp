#include "kernels/multigrid/ghost_entries.hpp"

#include <algorithm>

#include "formats/threads.hpp"

namespace quadrille::multigrid {
namespace {

// use(diagonal, column, row of the node, value) of the entries of one row.
template <class Use>
void for_row(const GhostEntries& ghosts, const GhostValues& values, std::int64_t i, int dof, const Use& use) {
  const Csr<double>& g = ghosts.rows;
  for (std::int32_t k = g.row_ptr[i]; k < g.row_ptr[i + 1]; ++k)
    use(values.diagonal[k], ghosts.columns[g.column[k]] % dof, ghosts.boundary_rows[i] % dof,
        values.value[k]);
}

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

void add_first_rows(const OwnNodes& of, const GhostEntries& ghosts, const GhostValues& values,
                    std::vector<double>& all) {
  const std::int64_t rows = ghosts.rows.rows, stored_rows = of.stored_rows();
#pragma omp parallel for schedule(static) if (rows > rows_worth_threads)
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::array<int, 3> at = node_of_row(ghosts, i, of);
    const int node = of.stored_node(at);
    std::array<int, 3> first{};
    if (!of.has(node, first) || first != at) continue;
    for_row(ghosts, values, i, of.dof, [&](std::int64_t d, std::int64_t c, std::int64_t r, double value) {
      all[(d * of.dof + c) * stored_rows + std::int64_t{node} * of.dof + r] += value;
    });
  }
}

bool has_entries_of(const std::vector<double>& all, const std::vector<NodeOffset>& offsets,
                    const OwnNodes& of, const GhostEntries& ghosts, const GhostValues& values) {
  const int dof = of.dof;
  const std::int64_t stored_rows = of.stored_rows(), diagonals = std::ssize(offsets);
  const auto value = [&](std::int64_t d, std::int64_t c, int stored_node, std::int64_t r) {
    return all[(d * dof + c) * stored_rows + std::int64_t{stored_node} * dof + r];
  };
  std::vector<std::int64_t> entries(static_cast<std::size_t>(of.stored.nodes() * diagonals),
                                    0);  // of a block
  for (int node = 0; node < of.stored.nodes(); ++node)
    for (std::int64_t d = 0; d < diagonals; ++d)
      for (int c = 0; c < dof; ++c)
        for (int r = 0; r < dof; ++r) entries[node * diagonals + d] += value(d, c, node, r) != 0 ? 1 : 0;

  std::int64_t wanted = 0, there = 0, others = 0;
  const int lines = of.size[1] * of.size[2];
#pragma omp parallel for schedule(static) reduction(+ : wanted) if (lines > rows_worth_threads)
  for (int line = 0; line < lines; ++line) {  // nodes on the surface of the box
    const int y = line % of.size[1], z = line / of.size[1];
    const bool inside = z > 0 && z < of.size[2] - 1 && y > 0 && y < of.size[1] - 1;
    for (int x = 0; x < of.size[0]; x += inside ? std::max(1, of.size[0] - 1) : 1) {
      const std::int64_t* const of_node = entries.data() + of.stored_node({x, y, z}) * diagonals;
      for (std::int64_t d = 0; d < diagonals; ++d)
        if (of_node[d] > 0 && of.leads_away({x, y, z}, offsets[d])) wanted += of_node[d];
    }
  }
  const std::int64_t rows = ghosts.rows.rows;
#pragma omp parallel for schedule(static) reduction(+ : there, others) if (rows > rows_worth_threads)
  for (std::int64_t i = 0; i < rows; ++i) {
    const int stored_node = of.stored_node(node_of_row(ghosts, i, of));
    for_row(ghosts, values, i, dof, [&](std::int64_t d, std::int64_t c, std::int64_t r, double entry) {
      others += entry != value(d, c, stored_node, r) ? 1 : 0;
      there += entry != 0 ? 1 : 0;
    });
  }
  return others == 0 && wanted == there;
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
