#include "kernels/petsc/matrix_type/structure.hpp"

#include <algorithm>

#include "kernels/petsc/check.hpp"

namespace quadrille::petsc {
namespace {

using Position = std::array<std::int64_t, 3>;

// The grid, and the boxes that this rank owns and sees.
struct Boxes {
  PetscInt dimension = 0, dof = 0, width = 0;
  DMDAStencilType shape = DMDA_STENCIL_STAR;
  std::array<PetscInt, 3> global{1, 1, 1}, ranks{1, 1, 1}, first{}, size{1, 1, 1}, seen_first{},
      seen_size{1, 1, 1};
  std::array<bool, 3> wraps{};  // periodic along an axis that is owned as a whole
};

Boxes boxes_of(DM da) {
  Boxes b;
  std::array<DMBoundaryType, 3> sides{};
  QUADRILLE_PETSC(DMDAGetInfo(da, &b.dimension, &b.global[0], &b.global[1], &b.global[2], &b.ranks[0],
                              &b.ranks[1], &b.ranks[2], &b.dof, &b.width, &sides[0], &sides[1], &sides[2],
                              &b.shape));
  QUADRILLE_PETSC(
      DMDAGetCorners(da, &b.first[0], &b.first[1], &b.first[2], &b.size[0], &b.size[1], &b.size[2]));
  QUADRILLE_PETSC(DMDAGetGhostCorners(da, &b.seen_first[0], &b.seen_first[1], &b.seen_first[2],
                                      &b.seen_size[0], &b.seen_size[1], &b.seen_size[2]));
  for (int axis = 0; axis < b.dimension; ++axis) {
    if (sides[axis] == DM_BOUNDARY_TWIST)
      throw FormatError("a DMDA with twisted sides has no block diagonals");
    b.wraps[axis] = sides[axis] == DM_BOUNDARY_PERIODIC && b.ranks[axis] == 1;
  }
  return b;
}

// A difference of positions on a periodic axis, as small as it can be.
std::int64_t wrapped(std::int64_t d, std::int64_t reach, std::int64_t n) {
  while (d > reach) d -= n;
  while (d < -reach) d += n;
  return d;
}

// The index of a node, or -1 outside `size`.
std::int64_t index_in(const std::array<PetscInt, 3>& size, const Position& p) {
  for (int axis = 0; axis < 3; ++axis)
    if (p[axis] < 0 || p[axis] >= size[axis]) return -1;
  return (p[2] * size[1] + p[1]) * size[0] + p[0];
}

template <class Body>
void for_stencil(const Boxes& b, const Body& body) {
  Position reach{};
  for (int axis = 0; axis < b.dimension; ++axis) reach[axis] = b.width;
  for (std::int64_t z = -reach[2]; z <= reach[2]; ++z)
    for (std::int64_t y = -reach[1]; y <= reach[1]; ++y)
      for (std::int64_t x = -reach[0]; x <= reach[0]; ++x)
        if (b.shape == DMDA_STENCIL_BOX || (x != 0) + (y != 0) + (z != 0) <= 1) body(Position{x, y, z});
}

// The offsets that lead anywhere, one for each neighbour, and the table that finds them.
void find_offsets(const Boxes& b, GridStructure& s) {
  for (int axis = 0; axis < b.dimension; ++axis) s.reach[axis] = b.width;
  const auto slot = [&](const Position& d) {
    return ((d[2] + s.reach[2]) * (2 * s.reach[1] + 1) + d[1] + s.reach[1]) * (2 * s.reach[0] + 1) + d[0] +
           s.reach[0];
  };
  s.diagonal_at.assign(static_cast<std::size_t>(slot(s.reach) + 1), -1);
  std::vector<Position> reduced;
  for_stencil(b, [&](const Position& d) {
    Position to = d;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t n = b.size[axis];
      if (b.wraps[axis]) {
        to[axis] = (d[axis] % n + n) % n;
        if (2 * to[axis] > n) to[axis] -= n;  // the short way round, so that a node is its own neighbour at 0
      } else if (std::abs(d[axis]) >= n)
        return;  // past the box from every node
    }
    const auto known = std::find(reduced.begin(), reduced.end(), to);
    s.diagonal_at[slot(d)] = static_cast<std::int32_t>(known - reduced.begin());
    if (known != reduced.end()) return;
    reduced.push_back(to);
    s.owned.offsets.push_back({static_cast<std::int32_t>(to[0]), static_cast<std::int32_t>(to[1]),
                               static_cast<std::int32_t>(to[2])});
  });
}

void find_inner_nodes(const Boxes& b, GridStructure& s) {
  s.inner.assign(static_cast<std::size_t>(s.owned.nodes()), false);
  Position low{0, 0, 0}, high{b.size[0], b.size[1], b.size[2]};
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] += s.reach[axis];
    high[axis] -= s.reach[axis];
    if (low[axis] >= high[axis]) return;
  }
  const auto number = [&](const Position& p) { return (p[2] * b.size[1] + p[1]) * b.size[0] + p[0]; };
  for (std::int64_t z = low[2]; z < high[2]; ++z)
    for (std::int64_t y = low[1]; y < high[1]; ++y)
      for (std::int64_t x = low[0]; x < high[0]; ++x) s.inner[number({x, y, z})] = true;
  s.furthest = number(s.reach);
  s.diagonal_by.assign(static_cast<std::size_t>(2 * s.furthest + 1), -1);
  for (std::int64_t d = 0; d < s.owned.diagonals(); ++d) {
    const NodeOffset& o = s.owned.offsets[d];
    s.diagonal_by[number({o.x, o.y, o.z}) + s.furthest] = static_cast<std::int32_t>(d);
  }
}

// Global numbers of the nodes in the box that this rank sees; -1 where there is none.
std::vector<PetscInt> numbers_of(DM da, const Boxes& b) {
  ISLocalToGlobalMapping mapping = nullptr;
  QUADRILLE_PETSC(DMGetLocalToGlobalMapping(da, &mapping));
  const PetscInt* numbers = nullptr;
  QUADRILLE_PETSC(ISLocalToGlobalMappingGetBlockIndices(mapping, &numbers));
  std::vector<PetscInt> result(numbers,
                               numbers + std::int64_t{b.seen_size[0]} * b.seen_size[1] * b.seen_size[2]);
  QUADRILLE_PETSC(ISLocalToGlobalMappingRestoreBlockIndices(mapping, &numbers));
  return result;
}

void find_ghosts(const Boxes& b, const std::vector<PetscInt>& numbers, GridStructure& s) {
  const std::int64_t nodes = s.owned.nodes();
  std::vector<std::vector<PetscInt>> neighbours;  // of each node of `boundary`
  s.boundary_of.assign(static_cast<std::size_t>(nodes), -1);
  for (std::int64_t node = 0; node < nodes; ++node) {
    const Position at{node % b.size[0], node / b.size[0] % b.size[1],
                      node / (std::int64_t{b.size[0]} * b.size[1])};
    bool inside = true;
    for (int axis = 0; axis < b.dimension; ++axis)
      inside = inside && at[axis] >= b.width && at[axis] + b.width < b.size[axis];
    if (inside) continue;
    std::vector<PetscInt> found;
    for_stencil(b, [&](const Position& d) {
      Position to{};
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t n = b.size[axis], p = at[axis] + d[axis];
        to[axis] = (b.wraps[axis] ? (p % n + n) % n : p) + b.first[axis] - b.seen_first[axis];
      }
      const std::int64_t place = index_in(b.seen_size, to);
      const PetscInt number = place < 0 ? -1 : numbers[place];
      if (number >= 0 && (number < s.first_node || number >= s.first_node + nodes)) found.push_back(number);
    });
    if (found.empty()) continue;
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    s.boundary_of[node] = static_cast<std::int32_t>(s.boundary.size());
    s.boundary.push_back(static_cast<PetscInt>(node));
    s.ghosts.insert(s.ghosts.end(), found.begin(), found.end());
    neighbours.push_back(std::move(found));
  }
  std::sort(s.ghosts.begin(), s.ghosts.end());
  s.ghosts.erase(std::unique(s.ghosts.begin(), s.ghosts.end()), s.ghosts.end());
  s.begin.push_back(0);
  for (const std::vector<PetscInt>& found : neighbours) {
    for (const PetscInt number : found)
      s.ghost.push_back(static_cast<PetscInt>(std::lower_bound(s.ghosts.begin(), s.ghosts.end(), number) -
                                              s.ghosts.begin()));
    s.begin.push_back(static_cast<PetscInt>(s.ghost.size()));
  }
}

}  // namespace

Partition partition_of(DM da) {
  const Boxes b = boxes_of(da);
  Partition p;
  std::array<DMBoundaryType, 3> sides{};
  std::array<const PetscInt*, 3> sizes{};
  QUADRILLE_PETSC(DMDAGetInfo(da, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                              nullptr, &sides[0], &sides[1], &sides[2], nullptr));
  QUADRILLE_PETSC(DMDAGetOwnershipRanges(da, &sizes[0], &sizes[1], &sizes[2]));
  for (int axis = 0; axis < b.dimension; ++axis) {
    p.extents[axis] = b.global[axis];
    p.periodic[axis] = sides[axis] == DM_BOUNDARY_PERIODIC;
    p.cuts[axis] = {0};
    for (PetscInt rank = 0; rank < b.ranks[axis]; ++rank)
      p.cuts[axis].push_back(p.cuts[axis].back() + sizes[axis][rank]);
  }
  MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(da)), &p.rank);
  return p;
}

bool GridStructure::same_as(const GridStructure& other) const {
  return this == &other || (owned.dof == other.owned.dof && owned.extents == other.owned.extents &&
                            owned.periodic == other.owned.periodic && owned.offsets == other.owned.offsets &&
                            ghosts == other.ghosts && boundary == other.boundary && begin == other.begin &&
                            ghost == other.ghost);
}

OwnNode GridStructure::own_node(std::int64_t number) const {
  OwnNode node{number, furthest >= 0 && inner[number]};
  if (node.inner) return node;
  const std::int64_t line = number / owned.extents[0], plane = line / owned.extents[1];
  node.position = {number - line * owned.extents[0], line - plane * owned.extents[1], plane};
  return node;
}

std::int64_t GridStructure::diagonal_at_side(const OwnNode& from, std::int64_t to, std::int64_t guess) const {
  const bool periodic = owned.periodic[0] || owned.periodic[1] || owned.periodic[2];
  if (guess >= 0) {  // at the end of a line the next number is that of another line's first node
    const NodeOffset& o = owned.offsets[guess];
    const Position at{from.position[0] + o.x, from.position[1] + o.y, from.position[2] + o.z};
    if (at[0] >= 0 && at[0] < owned.extents[0] && at[1] >= 0 && at[1] < owned.extents[1] && at[2] >= 0 &&
        at[2] < owned.extents[2])
      return guess;
  }
  return furthest >= 0 && !periodic ? -1 : diagonal_between(from.position, to);
}

std::int64_t GridStructure::diagonal_between(const Position& from, std::int64_t to) const {
  const std::array<std::int64_t, 3>& n = owned.extents;
  const std::int64_t line = to / n[0], plane = line / n[1];
  Position d{to - line * n[0] - from[0], line - plane * n[1] - from[1], plane - from[2]};
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(d[axis]) <= reach[axis]) continue;
    if (!owned.periodic[axis]) return -1;
    d[axis] = wrapped(d[axis], reach[axis], n[axis]);
    if (std::abs(d[axis]) > reach[axis]) return -1;
  }
  return diagonal_at[((d[2] + reach[2]) * (2 * reach[1] + 1) + d[1] + reach[1]) * (2 * reach[0] + 1) + d[0] +
                     reach[0]];
}

std::int64_t GridStructure::ghost_place(std::int64_t from, PetscInt to) const {
  const std::int32_t at = boundary_of[from];
  if (at < 0) return -1;
  const auto first = ghost.begin() + begin[at], last = ghost.begin() + begin[at + 1];
  const auto place =
      std::lower_bound(first, last, to, [this](PetscInt k, PetscInt number) { return ghosts[k] < number; });
  return place != last && ghosts[*place] == to ? place - ghost.begin() : -1;
}

GridStructure structure_of(DM da) {
  const Boxes b = boxes_of(da);
  GridStructure s;
  s.partition = partition_of(da);
  s.owned.dof = to_index32(b.dof, "unknowns of a node");
  for (int axis = 0; axis < 3; ++axis) {
    s.owned.extents[axis] = b.size[axis];
    s.owned.periodic[axis] = b.wraps[axis];
  }
  s.stencil = std::string("the ") + (b.shape == DMDA_STENCIL_BOX ? "box" : "star") + " stencil of width " +
              std::to_string(b.width);
  to_index32(s.owned.rows(), "rows of one rank");
  find_offsets(b, s);
  find_inner_nodes(b, s);
  const std::vector<PetscInt> numbers = numbers_of(da, b);
  Position corner{};
  for (int axis = 0; axis < 3; ++axis) corner[axis] = b.first[axis] - b.seen_first[axis];
  s.first_node = numbers[index_in(b.seen_size, corner)];
  find_ghosts(b, numbers, s);
  return s;
}

}  // namespace quadrille::petsc
