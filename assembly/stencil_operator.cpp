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
std::vector<int> reachable(int d, int axis, const Grid& grid, const Faces& faces) {
  const std::int64_t n = grid.extents[axis];
  const FaceBoundary& face = faces[2 * axis + (d < 0 ? 0 : 1)];
  if (face.kind == BoundaryKind::periodic) return {static_cast<int>(stencil_detail::reduced(d % n, n))};
  std::vector<int> result;
  const int sign = d < 0 ? -1 : 1, length = d < 0 ? -d : d;
  if (d != 0 && continues(face))
    for (int shorter = 0; shorter < length && shorter < n; ++shorter) result.push_back(sign * shorter);
  if (length < n) result.push_back(d);
  return result;
}

// visit(z, y, x) for every offset to which a point can resolve for some unknown, more than once at will.
template <class Visit>
void for_each_reachable(const Offset& o, const Grid& grid, const Boundary& boundary, const Visit& visit) {
  for (std::size_t r = 0; r < std::max<std::size_t>(1, boundary.of_unknown.size()); ++r) {
    const Faces& faces = boundary.of(static_cast<int>(r));
    for (const int z : reachable(o.z, 2, grid, faces))
      for (const int y : reachable(o.y, 1, grid, faces))
        for (const int x : reachable(o.x, 0, grid, faces)) visit(z, y, x);
  }
}

}  // namespace

std::string describe(const Stencil& stencil) {
  if (stencil.name != "star" && stencil.name != "box") return stencil.name;
  return stencil.name + " radius " + std::to_string(stencil.radius);
}

std::vector<NodeBox> boxes_of(const Grid& grid, const LineRange& lines) {
  const std::int64_t nx = grid.extents[0], ny = grid.extents[1], end = lines.first + lines.count;
  std::vector<NodeBox> boxes;
  for (std::int64_t line = lines.first; line < end;) {
    const std::int64_t y = line % ny, z = line / ny, planes = y == 0 ? (end - line) / ny : 0;
    boxes.push_back(planes > 0 ? NodeBox{{0, 0, z}, {nx, ny, planes}}
                               : NodeBox{{0, y, z}, {nx, std::min(ny - y, end - line), 1}});
    line += boxes.back().lines();
  }
  return boxes;
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

BlockStructure block_structure(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                               BlockFill fill) {
  validate(grid);
  validate(boundary, grid);
  validate(stencil, grid);
  std::set<std::tuple<int, int, int>> zyx;
  bool neighbour_in_centre = false;
  for (const Offset& o : stencil.offsets)
    for_each_reachable(o, grid, boundary, [&](int z, int y, int x) {
      zyx.insert({z, y, x});
      neighbour_in_centre = neighbour_in_centre || (o != Offset{} && z == 0 && y == 0 && x == 0);
    });
  BlockStructure structure;
  structure.extents = grid.extents;
  structure.dof = grid.dof;
  for (int axis = 0; axis < grid.dimension; ++axis) structure.periodic[axis] = boundary.periodic(axis);
  for (const auto& [z, y, x] : zyx) structure.offsets.push_back({x, y, z});
  structure.fill = std::move(fill);
  validate_fill(structure);
  if (neighbour_in_centre) structure.fill = with_beside_in_centre(std::move(structure.fill));
  return structure;
}

namespace stencil_detail {

void throw_outside_fill(const BlockStructure& structure, const NodeBox& box, std::int64_t rows,
                        std::int64_t place, double value) {
  const std::int64_t dof = structure.dof, column = place / rows, row = place % rows, node = row / dof;
  const auto text = [](std::int64_t x, std::int64_t y, std::int64_t z) {
    return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
  };
  NodePosition at = box.first_of_line(node / box.size[0]);
  at[0] += node % box.size[0];
  const NodeOffset& to = structure.offsets[column / dof];
  throw InputError("node " + text(at[0], at[1], at[2]) + " couples to the node at " + text(to.x, to.y, to.z) +
                   " by " + std::to_string(value) + " in row " + std::to_string(row % dof) + ", column " +
                   std::to_string(column % dof) +
                   " of the block, where couples() of the coefficients has nothing; correct one of them");
}

std::vector<std::vector<int>> points_of_diagonals(const Grid& grid, const Stencil& stencil,
                                                  const Boundary& boundary, const BlockStructure& structure) {
  std::map<std::tuple<int, int, int>, int> diagonal_of;
  for (int d = 0; d < structure.diagonals(); ++d) {
    const NodeOffset& o = structure.offsets[d];
    diagonal_of[{o.x, o.y, o.z}] = d;
  }
  std::vector<std::vector<int>> points(structure.offsets.size());
  for (int p = 0; p < static_cast<int>(stencil.offsets.size()); ++p) {
    for_each_reachable(stencil.offsets[p], grid, boundary, [&](int z, int y, int x) {
      std::vector<int>& of_diagonal = points[diagonal_of.at({x, y, z})];
      if (of_diagonal.empty() || of_diagonal.back() != p) of_diagonal.push_back(p);
    });
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

Landings Resolver::make_landings() const {
  Landing landing;
  landing.neighbour.resize(points_.size());
  landing.next.resize(points_.size());
  landing.first.resize(diagonals_);
  landing.with_data.reserve(points_.size());
  return Landings(std::max<std::size_t>(1, boundary_.of_unknown.size()), landing);
}

int Resolver::diagonal(const Position& from, const Position& to) const {
  std::array<std::int64_t, 3> d{to.x - from.x, to.y - from.y, to.z - from.z};
  for (int axis = 0; axis < 3; ++axis)
    if (periodic_[axis]) d[axis] = reduced(d[axis], grid_.extents[axis]);
  return diagonal_of_[slot(d[0], d[1], d[2])];
}

// Whether the data of a face are anything but 0 there.
bool Resolver::has_data(const Neighbour& resolved, int unknown) const {
  const auto given = [&](int face) {
    return static_cast<bool>(boundary_.data[face]) || boundary_.of(unknown)[face].value != 0;
  };
  if (resolved.kind == Neighbour::Kind::constant) return given(resolved.face);
  bool any = false;
  for (int axis = 0; axis < 3; ++axis)
    if (resolved.beyond[axis] != 0) any = any || given(2 * axis + (resolved.beyond[axis] < 0 ? 0 : 1));
  return any;
}

// Back to front, so that putting each point at the head of its list leaves the lists in stencil order.
void Resolver::resolve(const StencilNode& node, int unknown, Landing& landing) const {
  std::fill(landing.first.begin(), landing.first.end(), -1);
  landing.with_data.clear();
  for (int p = static_cast<int>(points_.size()) - 1; p >= 0; --p) {
    StencilNeighbour& neighbour = landing.neighbour[p];
    neighbour = {p, points_[p], resolve_neighbour(grid_, boundary_.of(unknown), node.position, points_[p]),
                 -1};
    if (neighbour.resolved.kind == Neighbour::Kind::nothing) continue;
    if (has_data(neighbour.resolved, unknown)) landing.with_data.push_back(p);
    if (neighbour.resolved.kind == Neighbour::Kind::constant) continue;
    neighbour.index = node_index(grid_, neighbour.resolved.position);
    int& head = landing.first[diagonal(node.position, neighbour.resolved.position)];
    landing.next[p] = head;
    head = p;
  }
}

void Resolver::resolve(const StencilNode& node, Landings& landings) const {
  for (std::size_t r = 0; r < landings.size(); ++r) resolve(node, static_cast<int>(r), landings[r]);
}

}  // namespace stencil_detail
}  // namespace quadrille
