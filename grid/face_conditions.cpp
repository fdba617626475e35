#include "grid/face_conditions.hpp"

#include <algorithm>
#include <array>

#include "grid/error.hpp"

namespace quadrille {

FaceCondition each_unknown(std::vector<FaceCondition> conditions) {
  FaceCondition together;
  together.of_unknown.clear();
  bool any_data = false;
  for (const FaceCondition& condition : conditions) {
    if (condition.of_unknown.size() != 1)
      throw InputError("each_unknown(): give one condition for each unknown, which is not of several itself");
    together.of_unknown.push_back(condition.of_unknown.front());
    any_data = any_data || condition.data;
  }
  if (conditions.empty()) throw InputError("each_unknown(): give at least one condition");
  if (any_data)
    together.data = [conditions = std::move(conditions)](const Position& beyond, int unknown, double t_s) {
      const FaceCondition& condition = conditions[static_cast<std::size_t>(unknown)];
      return condition.data ? condition.data(beyond, unknown, t_s) : condition.of_unknown.front().value;
    };
  return together;
}

Boundary BoundaryConditions::boundary() const {
  const std::array<const FaceCondition*, 6> sides{&x_low, &x_high, &y_low, &y_high, &z_low, &z_high};
  std::size_t unknowns = 1;
  for (const FaceCondition* side : sides) unknowns = std::max(unknowns, side->of_unknown.size());
  Boundary boundary;
  for (std::size_t face = 0; face < sides.size(); ++face) {
    const std::size_t given = sides[face]->of_unknown.size();
    if (given != 1 && given != unknowns)
      throw InputError("one face has conditions for " + std::to_string(given) + " unknowns, another for " +
                       std::to_string(unknowns));
    boundary.faces[face] = sides[face]->of_unknown.front();
    boundary.data[face] = sides[face]->data;
  }
  if (unknowns == 1) return boundary;
  boundary.of_unknown.assign(unknowns, boundary.faces);
  for (std::size_t face = 0; face < sides.size(); ++face)
    for (std::size_t r = 0; r < unknowns; ++r)
      boundary.of_unknown[r][face] = sides[face]->of_unknown[sides[face]->of_unknown.size() == 1 ? 0 : r];
  return boundary;
}

}  // namespace quadrille
