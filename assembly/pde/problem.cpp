#include "assembly/pde/problem.hpp"

#include <algorithm>
#include <cmath>

#include "grid/error.hpp"

namespace quadrille {

double PdeInput::value_of(const PdeParameter& parameter) const {
  for (const auto& [name, value] : parameters)
    if (name == parameter.name) return value;
  return parameter.usual;
}

const Array<double>* PdeInput::field_of(const PdeParameter& parameter) const {
  for (const auto& [name, field] : fields)
    if (name == parameter.name) return field.get();
  return nullptr;
}

const std::vector<BoundaryKind>& every_face() {
  static const std::vector<BoundaryKind> all{
      BoundaryKind::value,   BoundaryKind::drop, BoundaryKind::periodic, BoundaryKind::clamp,
      BoundaryKind::outflow, BoundaryKind::flux, BoundaryKind::robin};
  return all;
}

bool fixes_no_value(const Grid& grid, const Boundary& boundary) {
  int fixed = 0;
  const int unknowns = std::max(1, static_cast<int>(boundary.of_unknown.size()));
  for (int r = 0; r < unknowns; ++r) {
    const auto faces = boundary.of(r).begin();
    fixed += std::any_of(faces, faces + 2 * grid.dimension, fixes_unknown);
  }
  if (fixed > 0 && fixed < unknowns)
    throw InputError(
        "boundary '" + to_string(boundary, grid.dimension) +
        "': no face fixes a value of some unknowns, and one fixes those of others; give every unknown " +
        "a face of value, drop or robin with A != 0, or none of them");
  return fixed == 0;
}

void require_fine_enough(const Grid& grid, const Boundary& boundary, const std::string& who,
                         const std::function<double(int axis, int unknown)>& least_a) {
  for (int r = 0; r < grid.dof; ++r)
    for (int face = 0; face < 2 * grid.dimension; ++face) {
      const FaceBoundary& here = boundary.of(r)[face];
      if (here.kind != BoundaryKind::robin || here.a * here.b >= 0) continue;
      const double a = least_a(face / 2, r);
      if (std::abs(here.a) * grid.spacing_m[face / 2] >= 2 * std::abs(here.b) * a)
        throw InputError(
            who + ": robin with A and B of different signs needs |A| h < 2 |B| a everywhere, and a is " +
            std::to_string(a) + " somewhere; refine the grid, or choose other numbers");
    }
}

double usual_source(const Grid& grid, const PdeInput& input, bool singular, std::int64_t node, int unknown) {
  if (!input.source_everywhere.empty()) return input.source_everywhere[unknown];
  if (input.source) {
    const bool alike = input.source->size() == grid.nodes();
    return (*input.source)[alike ? node : node * grid.dof + unknown];
  }
  return singular && 2 * node_position(grid, node).x >= grid.extents[0] ? -1.0 : 1.0;
}

void add_usual_source(const Grid& grid, const NodeBox& box, const PdeInput& input, PdePart& problem) {
  std::vector<double>& rhs = problem.system.rhs;
  if (rhs.empty() && !input.source && (!problem.singular || !input.source_everywhere.empty())) {
    for (int r = 0; r < grid.dof; ++r)
      problem.rhs_everywhere.push_back(usual_source(grid, input, problem.singular, 0, r));
    return;
  }
  add_source(grid, box, rhs, [&](const Position& p, int r) {
    return usual_source(grid, input, problem.singular, node_index(grid, p), r);
  });
}

}  // namespace quadrille
