#include "kernels/petsc/matrix/structure.hpp"

#include <algorithm>

#include "formats/threads.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/matrix/box_sides.hpp"

namespace quadrille::petsc {
namespace {

using Position = NodePosition;

// A difference of positions on a periodic axis, as small as it can be.
std::int64_t wrapped(std::int64_t d, std::int64_t reach, std::int64_t n) {
  while (d > reach) d -= n;
  while (d < -reach) d += n;
  return d;
}

// The short way around an axis of n nodes, so that a node is its own neighbour at 0.
std::int64_t short_way(std::int64_t d, std::int64_t n) {
  d = (d % n + n) % n;
  return 2 * d > n ? d - n : d;
}

void add_once(std::vector<Position>& positions, const Position& p) {
  if (std::find(positions.begin(), positions.end(), p) == positions.end()) positions.push_back(p);
}

// The stencil's offsets that lead anywhere on the whole grid, one for each neighbour.
std::vector<Position> neighbours_of(const Partition& p, const std::vector<NodeOffset>& stencil) {
  std::vector<Position> found;
  for (const NodeOffset& o : stencil) {
    Position d{o.x, o.y, o.z};
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      if (p.periodic[axis]) d[axis] = short_way(d[axis], p.extents[axis]);
      inside = inside && std::abs(d[axis]) < p.extents[axis];
    }
    if (inside) add_once(found, d);
  }
  return found;
}

// Whether an offset leads around periodic axes to the node that it starts from.
bool is_own_neighbour(const Partition& p, const std::vector<NodeOffset>& stencil) {
  return std::any_of(stencil.begin(), stencil.end(), [&](const NodeOffset& o) {
    const Position d{o.x, o.y, o.z};
    bool back = o != NodeOffset{};
    for (int axis = 0; axis < 3; ++axis)
      back = back && (p.periodic[axis] ? d[axis] % p.extents[axis] : d[axis]) == 0;
    return back;
  });
}

// The differences of positions within the box that lead to a neighbour: where the box is part of a periodic
// axis, the long way around may lie within it as well as the short one. A box without nodes keeps the node
// itself, for a diagonal.
std::vector<Position> steps_in_box(const Partition& p, const NodeBox& box,
                                   const std::vector<Position>& neighbours) {
  std::vector<Position> steps;
  const auto ways = [&](std::int64_t d, int axis) {
    const std::int64_t n = p.extents[axis];
    std::vector<std::int64_t> found;
    for (const std::int64_t way : {d, d - n, d + n})
      if (std::abs(way) < std::max<std::int64_t>(box.size[axis], 1) &&
          (way == d || (p.periodic[axis] && box.size[axis] < n)))
        found.push_back(way);
    return found;
  };
  for (const Position& d : neighbours)
    for (const std::int64_t z : ways(d[2], 2))
      for (const std::int64_t y : ways(d[1], 1))
        for (const std::int64_t x : ways(d[0], 0)) add_once(steps, {x, y, z});
  return steps;
}

// The block diagonals, and the table that finds them.
void find_offsets(const NodeBox& box, const std::vector<Position>& neighbours, GridStructure& s) {
  const std::vector<Position> steps = steps_in_box(s.partition, box, neighbours);
  for (const auto* positions : {&neighbours, &steps})
    for (const Position& d : *positions)
      for (int axis = 0; axis < 3; ++axis) s.reach[axis] = std::max(s.reach[axis], std::abs(d[axis]));
  for (const Position& d : steps)
    s.owned.offsets.push_back(
        {static_cast<std::int32_t>(d[0]), static_cast<std::int32_t>(d[1]), static_cast<std::int32_t>(d[2])});
  const auto& [rx, ry, rz] = s.reach;
  for (std::int64_t z = -rz; z <= rz; ++z)
    for (std::int64_t y = -ry; y <= ry; ++y)
      for (std::int64_t x = -rx; x <= rx; ++x) {
        Position d{x, y, z};
        for (int axis = 0; axis < 3; ++axis)
          if (s.owned.periodic[axis]) d[axis] = short_way(d[axis], box.size[axis]);
        const auto at = std::find(steps.begin(), steps.end(), d);
        s.diagonal_at.push_back(at == steps.end() ? -1 : static_cast<std::int32_t>(at - steps.begin()));
      }
}

void find_distances(const NodeBox& box, GridStructure& s) {
  for (int axis = 0; axis < 3; ++axis)
    if (box.size[axis] <= 2 * s.reach[axis]) return;
  const auto number = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return (z * box.size[1] + y) * box.size[0] + x;
  };
  s.furthest = number(s.reach[0], s.reach[1], s.reach[2]);
  s.diagonal_by.assign(static_cast<std::size_t>(2 * s.furthest + 1), -1);
  for (std::int64_t d = 0; d < s.owned.diagonals(); ++d) {
    const NodeOffset& o = s.owned.offsets[d];
    s.diagonal_by[number(o.x, o.y, o.z) + s.furthest] = static_cast<std::int32_t>(d);
  }
}

// The numbers of the neighbours of a node of the box that other ranks own, ascending.
void find_ghosts_of(const Partition& p, const NodeBox& box, const Position& at,
                    const std::vector<Position>& neighbours, std::vector<PetscInt>& found) {
  found.clear();
  for (const Position& d : neighbours) {
    Position to{};
    bool inside = true, own = true;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t n = p.extents[axis];
      to[axis] = at[axis] + d[axis];
      if (p.periodic[axis]) to[axis] = (to[axis] % n + n) % n;
      inside = inside && to[axis] >= 0 && to[axis] < n;
      own = own && to[axis] >= box.first[axis] && to[axis] < box.first[axis] + box.size[axis];
    }
    if (inside && !own) found.push_back(static_cast<PetscInt>(number_of(p, to)));
  }
  std::sort(found.begin(), found.end());
}

void find_ghosts(const NodeBox& box, const std::vector<Position>& neighbours, GridStructure& s) {
  struct Part {
    std::vector<PetscInt> boundary, count, ghosts, of_node;  // ghosts by their numbers
  };
  const std::vector<NodePosition> sides = nodes_at_sides(s.partition, box, s.reach);
  const auto add = [&](Part& part, std::int64_t i) {
    const NodePosition& p = sides[i];
    const Position at{box.first[0] + p[0], box.first[1] + p[1], box.first[2] + p[2]};
    find_ghosts_of(s.partition, box, at, neighbours, part.of_node);
    if (part.of_node.empty()) return;
    part.boundary.push_back(static_cast<PetscInt>((p[2] * box.size[1] + p[1]) * box.size[0] + p[0]));
    part.count.push_back(static_cast<PetscInt>(part.of_node.size()));
    part.ghosts.insert(part.ghosts.end(), part.of_node.begin(), part.of_node.end());
  };
  std::vector<PetscInt> of_all;
  s.begin.push_back(0);
  for (const Part& part : in_parts<Part>(std::ssize(sides), add)) {
    s.boundary.insert(s.boundary.end(), part.boundary.begin(), part.boundary.end());
    of_all.insert(of_all.end(), part.ghosts.begin(), part.ghosts.end());
    for (const PetscInt count : part.count) s.begin.push_back(s.begin.back() + count);
  }
  s.ghosts = of_all;
  if (!std::is_sorted(s.ghosts.begin(), s.ghosts.end())) std::sort(s.ghosts.begin(), s.ghosts.end());
  s.ghosts.erase(std::unique(s.ghosts.begin(), s.ghosts.end()), s.ghosts.end());
  s.ghost.resize(of_all.size());
  const std::int64_t entries = std::ssize(of_all);
#pragma omp parallel for schedule(static) if (entries > worth_threads)
  for (std::int64_t i = 0; i < entries; ++i)
    s.ghost[i] = static_cast<PetscInt>(std::lower_bound(s.ghosts.begin(), s.ghosts.end(), of_all[i]) -
                                       s.ghosts.begin());
}

PackedFill packed_fill(const std::vector<std::uint8_t>& couples, int dof) {
  PackedFill packed{{0}, {}, {}};
  auto next = couples.begin();
  for (int r = 0; r < dof; ++r) {
    std::int32_t in_row = 0;
    for (int c = 0; c < dof; ++c) packed.index.push_back(*next++ != 0 ? in_row++ : in_row);
    packed.count.push_back(in_row);
    packed.before.push_back(packed.before.back() + in_row);
  }
  return packed;
}

}  // namespace

bool GridStructure::same_as(const GridStructure& other) const {
  return this == &other || (owned.dof == other.owned.dof && owned.extents == other.owned.extents &&
                            owned.periodic == other.owned.periodic && owned.offsets == other.owned.offsets &&
                            owned.fill == other.owned.fill && ghosts == other.ghosts &&
                            boundary == other.boundary && begin == other.begin && ghost == other.ghost);
}

std::int64_t GridStructure::boundary_index(std::int64_t node) const {
  const auto at = std::lower_bound(boundary.begin(), boundary.end(), node);
  return at != boundary.end() && *at == node ? at - boundary.begin() : -1;
}

OwnNode GridStructure::own_node(std::int64_t number) const {
  const std::int64_t line = number / owned.extents[0], plane = line / owned.extents[1];
  OwnNode node{number, {number - line * owned.extents[0], line - plane * owned.extents[1], plane}};
  node.inner = furthest >= 0;
  for (int axis = 0; axis < 3; ++axis)
    node.inner = node.inner && node.position[axis] >= reach[axis] &&
                 node.position[axis] < owned.extents[axis] - reach[axis];
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

std::int64_t GridStructure::ghost_place(std::int64_t at, PetscInt to) const {
  if (at < 0) return -1;
  const auto first = ghost.begin() + begin[at], last = ghost.begin() + begin[at + 1];
  const auto place =
      std::lower_bound(first, last, to, [this](PetscInt k, PetscInt number) { return ghosts[k] < number; });
  return place != last && ghosts[*place] == to ? place - ghost.begin() : -1;
}

GridStructure structure_of(Partition partition, int dof, const std::vector<NodeOffset>& stencil,
                           std::string name, BlockFill fill) {
  GridStructure s;
  s.partition = std::move(partition);
  s.stencil = std::move(name);
  const Partition& p = s.partition;
  const NodeBox box = own_box(p);
  s.owned.dof = dof;
  s.owned.extents = box.size;
  for (int axis = 0; axis < 3; ++axis)
    s.owned.periodic[axis] = p.periodic[axis] && box.size[axis] == p.extents[axis];
  to_index32(s.owned.rows(), "rows of one rank");
  to_petsc_int(first_number(p, p.ranks()) * dof, "rows of all ranks");
  s.first_node = static_cast<PetscInt>(first_number(p, p.rank));
  const std::vector<Position> neighbours = neighbours_of(p, stencil);
  s.owned.fill = is_own_neighbour(p, stencil) ? with_beside_in_centre(std::move(fill)) : std::move(fill);
  find_offsets(box, neighbours, s);
  find_distances(box, s);
  find_ghosts(box, neighbours, s);
  if (s.owned.fill.said()) s.packed = packed_fill(s.owned.fill.beside, dof);
  return s;
}

std::vector<std::uint8_t> sides_of_nodes(const GridStructure& s) {
  const std::array<std::int64_t, 3>& n = s.owned.extents;
  std::array<std::vector<std::int64_t>, 3> along;  // 0 in the middle of an axis, another one for each plane
  std::int64_t kinds = 1;
  for (int axis = 0; axis < 3; ++axis) {
    along[axis].assign(static_cast<std::size_t>(n[axis]), 0);
    for (std::int64_t i = 0; i < s.reach[axis]; ++i)
      along[axis][i] = (1 + 2 * i) * kinds, along[axis][n[axis] - 1 - i] = (2 + 2 * i) * kinds;
    kinds *= 2 * s.reach[axis] + 1;
  }
  std::vector<std::uint8_t> side(static_cast<std::size_t>(s.owned.nodes()));
  std::uint8_t* to = side.data();
  for (const std::int64_t z : along[2])
    for (const std::int64_t y : along[1])
      for (const std::int64_t x : along[0]) {
        const std::int64_t sum = z + y + x;
        *to++ = kinds <= some_side || sum == 0 ? static_cast<std::uint8_t>(sum) : some_side;
      }
  return side;
}

GridStructure with_unknowns(const GridStructure& all, const UnknownsOfBlocks& unknowns) {
  GridStructure some = all;
  some.owned = with_unknowns(all.owned, unknowns);
  some.packed = some.owned.fill.said() ? packed_fill(some.owned.fill.beside, some.owned.dof) : PackedFill{};
  return some;
}

}  // namespace quadrille::petsc
