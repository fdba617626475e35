#include "assembly/pde/coefficient_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "formats/format.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr std::int32_t no_region = -1, not_seen = -2;

// Regions are the same for all unknowns.
void check_alike(const Grid& grid, const Boundary& boundary, const std::string& name) {
  for (const Faces& faces : boundary.of_unknown)
    for (int face = 0; face < 2 * grid.dimension; ++face)
      if (fixes_unknown(faces[face]) != fixes_unknown(boundary.of(0)[face]))
        throw InputError(name +
                         " lets nothing through in some nodes; then a face fixes a value of all unknowns " +
                         "or of none, and boundary '" + to_string(boundary, grid.dimension) + "' does not");
}

// Returns whether some are 0.
bool checked(const Grid& grid, const Array<double>& a, const std::string& name) {
  if (a.size() != grid.nodes())
    throw InputError(name + " has " + std::to_string(a.size()) + " numbers, the grid " + to_string(grid) +
                     " " + std::to_string(grid.nodes()) + " nodes");
  // Squares of them and of their inverses are added up.
  constexpr double least = 1e-100, most = 1e100;
  std::int64_t bad = a.size(), outside = a.size(), positive = 0;
#pragma omp parallel for schedule(static) reduction(min : bad, outside) reduction(+ : positive)
  for (std::int64_t i = 0; i < a.size(); ++i) {
    if (!(a[i] >= 0) || !std::isfinite(a[i])) bad = std::min(bad, i);
    if (a[i] > most || (a[i] > 0 && a[i] < least)) outside = std::min(outside, i);
    positive += a[i] > 0;
  }
  if (bad < a.size()) {
    const Position p = node_position(grid, bad);
    throw InputError(name + " is " + std::to_string(a[bad]) + " at node (" + std::to_string(p.x) + ", " +
                     std::to_string(p.y) + ", " + std::to_string(p.z) +
                     "), counted from 0 along x, y and z; a coefficient is positive, or 0 for no flow");
  }
  if (positive == 0) throw InputError(name + " is 0 everywhere: nothing flows");
  if (outside < a.size()) {
    char number[32];
    std::snprintf(number, sizeof number, "%g", a[outside]);
    throw InputError(name + " is " + number + " at a node; coefficients are from 1e-100 to 1e100, or 0");
  }
  return positive < a.size();
}

// Floods regions of cells, one after the other.
class Flood {
 public:
  Flood(const Grid& grid, const Boundary& boundary, CoefficientField& field)
      : grid_(grid), boundary_(boundary), field_(field) {
    field_.region.assign(static_cast<std::size_t>(grid.nodes()), not_seen);
  }

  void operator()() {
    field_.has_open_region = false;
    for (std::int64_t node = 0; node < grid_.nodes(); ++node)
      if (field_.a[node] == 0)
        field_.region[node] = no_region;
      else if (field_.region[node] == not_seen && touches_fixed_face(node_position(grid_, node)))
        fill_from(node, no_region), field_.has_open_region = true;
    for (std::int64_t node = 0; node < grid_.nodes(); ++node) {
      if (field_.region[node] != not_seen) continue;
      field_.held.push_back(node);
      fill_from(node, to_index32(static_cast<std::int64_t>(field_.held.size()) - 1, "closed regions"));
    }
  }

 private:
  static std::int64_t coordinate(const Position& p, int axis) {
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
  }

  bool touches_fixed_face(const Position& p) const {
    for (int axis = 0; axis < grid_.dimension; ++axis) {
      const std::int64_t at = coordinate(p, axis);
      if ((at == 0 && fixes_unknown(boundary_.of(0)[2 * axis])) ||
          (at == grid_.extents[axis] - 1 && fixes_unknown(boundary_.of(0)[2 * axis + 1])))
        return true;
    }
    return false;
  }

  void fill_from(std::int64_t start, std::int32_t region) {
    field_.region[start] = region;
    rest_.assign(1, start);
    while (!rest_.empty()) {
      const std::int64_t node = rest_.back();
      rest_.pop_back();
      if (region >= 0 && field_.a[node] < field_.a[field_.held[region]]) field_.held[region] = node;
      std::int64_t stride = 1;
      for (int axis = 0; axis < grid_.dimension; stride *= grid_.extents[axis++]) {
        const std::int64_t n = grid_.extents[axis], at = coordinate(node_position(grid_, node), axis);
        for (const std::int64_t step : {-1, 1}) {
          std::int64_t to = at + step;
          if (boundary_.periodic(axis)) to = (to + n) % n;
          if (to >= 0 && to < n) visit(node + (to - at) * stride, region);
        }
      }
    }
  }

  void visit(std::int64_t node, std::int32_t region) {
    if (field_.region[node] != not_seen || field_.a[node] == 0) return;
    field_.region[node] = region;
    rest_.push_back(node);
  }

  const Grid& grid_;
  const Boundary& boundary_;
  CoefficientField& field_;
  std::vector<std::int64_t> rest_;
};

}  // namespace

CoefficientField coefficient_field(const Grid& grid, const Boundary& boundary, Array<double> a,
                                   const std::string& name) {
  CoefficientField field;
  field.has_barriers = checked(grid, a, name);
  field.a = std::move(a);
  if (!field.has_barriers) return field;
  check_alike(grid, boundary, name);
  Flood(grid, boundary, field)();
  return field;
}

void balance(const CoefficientField& field, Array<double>& values) {
  if (!field.has_barriers) return;
  std::vector<double> sum(field.held.size(), 0.0), count(field.held.size(), 0.0);
  for (std::int64_t node = 0; node < values.size(); ++node)
    if (const std::int32_t region = field.region[node]; region >= 0)
      sum[region] += values[node], ++count[region];
  for (std::int64_t node = 0; node < values.size(); ++node) {
    const std::int32_t region = field.region[node];
    if (field.a[node] == 0)
      values[node] = 0;
    else if (region >= 0)
      values[node] -= sum[region] / count[region];
  }
}

}  // namespace quadrille
