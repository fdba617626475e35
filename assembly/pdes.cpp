#include "assembly/pdes.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "assembly/pde/all.hpp"
#include "assembly/pde/laplacian_order4.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"

namespace quadrille {
namespace {

// "a, b and c"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}
std::string listed(const std::vector<BoundaryKind>& kinds) {
  std::vector<std::string> words;
  for (const BoundaryKind kind : kinds) words.emplace_back(usage(kind));
  return listed(words);
}

const PdeParameter& known_parameter(const Pde& pde, const std::string& name) {
  if (const PdeParameter* const parameter = find_parameter(pde, name)) return *parameter;
  std::vector<std::string> known;
  for (const PdeParameter& parameter : pde.parameters) known.emplace_back(parameter.name);
  if (known.empty()) throw InputError(pde.name + " has no parameters");
  throw InputError(pde.name + " has no parameter '" + name + "'; it has " + listed(known) +
                   suggestion(name, known));
}

bool is_within(const PdeParameter& parameter, double value) {
  return (parameter.above_least ? value > parameter.least : value >= parameter.least) && std::isfinite(value);
}

void require_within(const Pde& pde, const PdeParameter& parameter, double value,
                    const std::string& where = "") {
  if (is_within(parameter, value)) return;
  std::ostringstream text;
  text << parameter.name << " of " << pde.name << " is " << value << where << ", and must be ";
  text << (std::isfinite(value) ? bound_text(parameter) : "finite");
  throw InputError(text.str());
}

}  // namespace

const std::vector<Pde>& pdes() {
#define QUADRILLE_DECLARED(name) name##_pde(),
  static const std::vector<Pde> all{QUADRILLE_PDES(QUADRILLE_DECLARED)};
#undef QUADRILLE_DECLARED
  return all;
}

const std::vector<Pde>& linear_pdes() {
  static const std::vector<Pde> linear = [] {
    std::vector<Pde> some;
    for (const Pde& pde : pdes())
      if (pde.assemble != nullptr) some.push_back(pde);
    return some;
  }();
  return linear;
}

std::vector<std::string> pde_names() {
  std::vector<std::string> names;
  for (const Pde& pde : pdes()) names.push_back(pde.name);
  return names;
}

const Pde& find_pde(const std::string& name) {
  std::string text;
  for (const Pde& pde : pdes()) {
    if (name == pde.name) return pde;
    text += (text.empty() ? "" : ", ") + pde.name;
  }
  throw InputError("PDE '" + name + "' is not known; choose one of " + text);
}

bool takes(const Pde& pde, BoundaryKind kind) {
  return std::find(pde.faces.begin(), pde.faces.end(), kind) != pde.faces.end();
}

std::string why_not(const Pde& pde, const Grid& grid, const Boundary& boundary) {
  for (int face = 0; face < 2 * grid.dimension; ++face)
    for (int r = 0; r < grid.dof; ++r) {
      if (takes(pde, boundary.of(r)[face].kind)) continue;
      std::vector<BoundaryKind> others;
      for (const BoundaryKind kind : every_face())
        if (!takes(pde, kind)) others.push_back(kind);
      return pde.name + " is solved with faces of " + listed(pde.faces) + ", not " + listed(others);
    }
  return "";
}

std::string why_not_wide(const Grid& grid, const Stencil& stencil, const Boundary& boundary) {
  if (closes_with_order4(grid, stencil, boundary)) return why_not_order4(grid, boundary);
  for (int face = 0; face < 2 * grid.dimension && stencil.radius > 1; ++face)
    for (int r = 0; r < grid.dof; ++r)
      if (continues(boundary.of(r)[face]))
        return "stars of radius 3 and 4 do not go with clamp, outflow, flux and robin: the operator would "
               "not "
               "be symmetric; use radius 1 or 2";
  return "";
}

std::vector<Unknown> unknowns_of(const Pde& pde, int dimension) {
  std::vector<Unknown> all;
  for (std::size_t i = 0; i < pde.unknowns.size(); ++i)
    if (!pde.discretisation.unknown_per_axis || dimension == 3 || i != 2)
      all.push_back({pde.unknowns[i], pde.units.empty() ? pde.solution_units : pde.units[i]});
  return all;
}

int order_of(const Pde& pde, const Grid& grid, const Stencil& stencil, const Boundary& boundary) {
  for (int axis = 0; axis < grid.dimension && pde.order > 0; ++axis)
    if (stencil.radius > 2 && !boundary.periodic(axis)) return 1;
  return pde.order * stencil.radius;
}

std::string bound_text(const PdeParameter& parameter) {
  if (!std::isfinite(parameter.least)) return "";
  std::ostringstream text;
  text << (parameter.above_least ? "above " : "at least ") << parameter.least;
  return text.str();
}

const PdeParameter* find_parameter(const Pde& pde, const std::string& name) {
  const auto at = std::find_if(pde.parameters.begin(), pde.parameters.end(),
                               [&](const PdeParameter& parameter) { return parameter.name == name; });
  return at == pde.parameters.end() ? nullptr : &*at;
}

ParameterValues parameters_of(const Pde& pde, const ParameterValues& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    (void)known_parameter(pde, given[i].first);
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (given[earlier].first == given[i].first) throw InputError(given[i].first + " is given twice");
  }
  PdeInput input;
  input.parameters = given;
  ParameterValues values;
  for (const PdeParameter& parameter : pde.parameters) {
    values.emplace_back(parameter.name, input.value_of(parameter));
    require_within(pde, parameter, values.back().second);
  }
  if (const std::string reason = pde.refuses ? pde.refuses(input) : ""; !reason.empty())
    throw InputError(pde.name + ": " + reason);
  return values;
}

namespace {

void require_fields(const Pde& pde, const Grid& grid, const PdeInput& input) {
  for (const auto& [name, field] : input.fields) {
    const PdeParameter& parameter = known_parameter(pde, name);
    if (!parameter.varies) throw InputError(name + " of " + pde.name + " is one number, and no field");
    if (input.manufactured)
      throw InputError(name + " is a field: the manufactured problem of " + pde.name + " is with numbers");
    if (field->size() != grid.nodes())
      throw InputError(name + " has " + std::to_string(field->size()) + " numbers, the grid " +
                       to_string(grid) + " " + std::to_string(grid.nodes()) + " nodes");
    std::int64_t first = field->size();
#pragma omp parallel for schedule(static) reduction(min : first)
    for (std::int64_t i = 0; i < field->size(); ++i)
      if (!is_within(parameter, (*field)[i])) first = std::min(first, i);
    if (first == field->size()) continue;
    const Position at = node_position(grid, first);
    require_within(pde, parameter, (*field)[first],
                   " at node (" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " +
                       std::to_string(at.z) + ")");
  }
}

void require_taken(const Pde& pde, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                   const PdeInput& input) {
  validate(grid);
  validate(boundary, grid);
  require(pde.discretisation, pde.name, grid, stencil);
  if (const std::string reason = why_not(pde, grid, boundary); !reason.empty())
    throw InputError("boundary '" + to_string(boundary, grid.dimension) + "': " + reason);
  if (const std::string reason = why_not_wide(grid, stencil, boundary); !reason.empty())
    throw InputError("boundary '" + to_string(boundary, grid.dimension) + "': " + reason);
  if (input.manufactured && pde.order == 0) throw InputError(pde.name + " has no manufactured solution");
  if (input.coefficient && !pde.takes_coefficient) throw InputError(pde.name + " takes no coefficient");
  if (!input.reaction.empty() && pde.rate == nullptr) throw InputError(pde.name + " takes no reaction");
  if (!input.reaction.empty() && std::ssize(input.reaction) != std::int64_t{grid.dof} * grid.dof)
    throw InputError("a reaction of " + std::to_string(grid.dof) +
                     " unknowns has as many rows and columns, not " + std::to_string(input.reaction.size()) +
                     " numbers");
  parameters_of(pde, input.parameters);
  require_fields(pde, grid, input);
}

// What a PDE that is named is with this input.
const Pde& with(const PdeInput& input, const Pde& named) {
  if (!input.tensor) return named;
  if (named.with_tensor == nullptr) throw InputError(named.name + " takes no tensor");
  return named.with_tensor();
}

}  // namespace

PdePart assemble_pde(const std::string& name, const Grid& grid, const Stencil& stencil,
                     const Boundary& boundary, const PdeInput& input, const NodeBox& box) {
  const Pde& pde = with(input, find_pde(name));
  require_taken(pde, grid, stencil, boundary, input);
  if (pde.assemble == nullptr) throw InputError(pde.name + " is nonlinear or changes in time");
  return pde.assemble(grid, stencil, boundary, input, box);
}

ResidualProblem residual_of_pde(const Pde& named, const Grid& grid, const Stencil& stencil,
                                const Boundary& boundary, const PdeInput& input, const NodeBox& box) {
  const Pde& pde = with(input, named);
  require_taken(pde, grid, stencil, boundary, input);
  ResidualProblem problem = pde.residual(grid, boundary, input, box);
  // What each says of itself is tested in tests/assembly/residual_pdes_test.cpp.
  for (AnyResidual* each : {&problem.residual, &problem.near, &problem.at_first, &problem.near_at_first})
    each->tested = true;
  return problem;
}

}  // namespace quadrille
