#include "assembly/stencil_operator.hpp"

#include <map>
#include <set>
#include <tuple>

#include "grid/error.hpp"

namespace quadrille {
namespace {

std::array<int, 3> components(const Offset& o) {
  return {o.x, o.y, o.z};
}

// The components along one axis that point component d can resolve to, seen from all nodes of the axis.
std::vector<int> reachable(int d, int axis, const Grid& grid, const Boundary& boundary) {
  const std::int64_t n = grid.extents[axis];
  if (boundary.periodic(axis)) return {static_cast<int>(stencil_detail::reduced(d % n, n))};
  std::vector<int> result;
  const int sign = d < 0 ? -1 : 1, length = d < 0 ? -d : d;
  if (d != 0 && boundary.faces[2 * axis + (d < 0 ? 0 : 1)].kind == BoundaryKind::clamp)
    for (int shorter = 0; shorter < length && shorter < n; ++shorter) result.push_back(sign * shorter);
  if (length < n) result.push_back(d);
  return result;
}

}  // namespace

std::string describe(const Stencil& stencil) {
  if (stencil.name != "star" && stencil.name != "box") return stencil.name;
  return stencil.name + " radius " + std::to_string(stencil.radius);
}

void validate(const Stencil& stencil, const Grid& grid) {
  if (stencil.offsets.empty())
    throw InputError("stencil '" + stencil.name + "' has no points; give it at least one");
  std::set<Offset> seen;
  for (const Offset& o : stencil.offsets) {
    const std::string text = std::to_string(o.x) + " " + std::to_string(o.y) + " " + std::to_string(o.z);
    if (grid.dimension == 2 && o.z != 0)
      throw InputError("stencil '" + stencil.name + "': point " + text + " leaves the plane of the 2D grid " +
                       to_string(grid) + "; use a 2D stencil or a 3D grid");
    for (const int component : components(o))
      if (component < -max_stencil_radius || component > max_stencil_radius)
        throw InputError("stencil '" + stencil.name + "': point " + text + " is further than " +
                         std::to_string(max_stencil_radius) + " nodes from the centre");
    if (!seen.insert(o).second)
      throw InputError("stencil '" + stencil.name + "': point " + text + " stands twice; remove one of them");
  }
}

BlockStructure block_structure(const Grid& grid, const Stencil& stencil, const Boundary& boundary) {
  validate(grid);
  validate(boundary, grid.dimension);
  validate(stencil, grid);
  std::set<std::tuple<int, int, int>> zyx;
  for (const Offset& o : stencil.offsets)
    for (const int z : reachable(o.z, 2, grid, boundary))
      for (const int y : reachable(o.y, 1, grid, boundary))
        for (const int x : reachable(o.x, 0, grid, boundary)) zyx.insert({z, y, x});
  BlockStructure structure;
  structure.extents = grid.extents;
  structure.dof = grid.dof;
  for (int axis = 0; axis < grid.dimension; ++axis) structure.periodic[axis] = boundary.periodic(axis);
  for (const auto& [z, y, x] : zyx) structure.offsets.push_back({x, y, z});
  return structure;
}

namespace stencil_detail {

std::vector<std::vector<int>> points_of_diagonals(const Grid& grid, const Stencil& stencil,
                                                  const Boundary& boundary, const BlockStructure& structure) {
  std::map<std::tuple<int, int, int>, int> diagonal_of;
  for (int d = 0; d < structure.diagonals(); ++d) {
    const NodeOffset& o = structure.offsets[d];
    diagonal_of[{o.x, o.y, o.z}] = d;
  }
  std::vector<std::vector<int>> points(structure.offsets.size());
  for (int p = 0; p < static_cast<int>(stencil.offsets.size()); ++p) {
    const Offset& o = stencil.offsets[p];
    for (const int z : reachable(o.z, 2, grid, boundary))
      for (const int y : reachable(o.y, 1, grid, boundary))
        for (const int x : reachable(o.x, 0, grid, boundary)) points[diagonal_of.at({x, y, z})].push_back(p);
  }
  return points;
}

Resolver::Resolver(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                   const BlockStructure& structure)
    : grid_(grid),
      boundary_(boundary),
      points_(stencil.offsets),
      periodic_(structure.periodic),
      diagonals_(static_cast<int>(structure.diagonals())) {
  diagonal_of_.fill(-1);
  for (int d = 0; d < diagonals_; ++d) {
    const NodeOffset& o = structure.offsets[d];
    diagonal_of_[slot(o.x, o.y, o.z)] = d;
  }
  std::int64_t lowest = 0, highest = 0;
  for (const Offset& o : points_) {
    lowest = std::min<std::int64_t>(lowest, o.x);
    highest = std::max<std::int64_t>(highest, o.x);
  }
  x_begin_ = std::min(-lowest, grid.extents[0]);
  x_end_ = std::max(x_begin_, grid.extents[0] - highest);
}

Landing Resolver::make_landing() const {
  Landing landing;
  landing.neighbour.resize(points_.size());
  landing.next.resize(points_.size());
  landing.first.resize(diagonals_);
  return landing;
}

int Resolver::diagonal(const Position& from, const Position& to) const {
  std::array<std::int64_t, 3> d{to.x - from.x, to.y - from.y, to.z - from.z};
  for (int axis = 0; axis < 3; ++axis)
    if (periodic_[axis]) d[axis] = reduced(d[axis], grid_.extents[axis]);
  return diagonal_of_[slot(d[0], d[1], d[2])];
}

// Back to front, so that putting each point at the head of its list leaves the lists in stencil order.
void Resolver::resolve(const StencilNode& node, Landing& landing) const {
  std::fill(landing.first.begin(), landing.first.end(), -1);
  landing.first_constant = -1;
  for (int p = static_cast<int>(points_.size()) - 1; p >= 0; --p) {
    StencilNeighbour& neighbour = landing.neighbour[p];
    neighbour = {p, points_[p], resolve_neighbour(grid_, boundary_, node.position, points_[p]), -1};
    if (neighbour.resolved.kind == Neighbour::Kind::nothing) continue;
    int* head = &landing.first_constant;
    if (neighbour.resolved.kind == Neighbour::Kind::node) {
      neighbour.index = node_index(grid_, neighbour.resolved.position);
      head = &landing.first[diagonal(node.position, neighbour.resolved.position)];
    }
    landing.next[p] = *head;
    *head = p;
  }
}

}  // namespace stencil_detail
}  // namespace quadrille
