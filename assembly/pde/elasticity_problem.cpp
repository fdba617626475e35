// Linear elasticity  -(mu lap u + (lambda + mu) grad div u) = f  of a homogeneous body, or of one whose
// moduli are fields, -div(lambda div u + mu (grad u + grad u^T)) = f, with the operators of
// assembly/pde/elasticity.hpp: u is the displacement in m, one unknown per axis, f in N/m^3.
//
// Faces hold values, which may differ between the components of u, are periodic, or stand half a spacing
// beyond the last node:
//
//   - surfaces with a traction, flux:T of each component in N/m^2, of which flux:0 is a free one. u there is
//     1.5 times what it is at the last node less half of what it is at the node before; so T enters the rows
//     of both.
//   - planes of symmetry, where robin:1,0,C holds u along the normal, or all components but that one, and the
//     others have flux, of mu du/dn (or (lambda + 2 mu) du/dn): the traction where C is the same along the
//     face. u beyond is that of the last node mirrored, so that rows are those of the body with its image.
//     All components held, or springs (B other than 0), would not leave the operator symmetric.
//
// Manufactured, each component of u is as in assembly/pde/manufactured.hpp.
#include "assembly/pde/elasticity.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "assembly/pde/all.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/parameter_fields.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

// Why the components of u do not go together at a face, in a sentence; empty where they do.
std::string why_not_at(const Grid& grid, const Boundary& boundary, int face) {
  int tractions = 0, half_way = 0, held = 0;
  for (int r = 0; r < grid.dimension; ++r) {
    const FaceBoundary& here = boundary.of(r)[face];
    if (here.kind == BoundaryKind::robin && here.b != 0) return "robin of elasticity holds u: robin:1,0,C";
    tractions += here.kind == BoundaryKind::flux;
    half_way += continues(here);
    held += here.kind == BoundaryKind::robin;
  }
  if (half_way == 0 || tractions == grid.dimension) return "";
  if (half_way < grid.dimension)
    return "value and drop hold one spacing beyond the last node, flux and robin stand half a spacing beyond "
           "it: a face of elasticity has the former for all displacements, or the latter";
  const bool normal = boundary.of(face / 2)[face].kind == BoundaryKind::robin;
  if (held == (normal ? 1 : grid.dimension - 1)) return "";
  return "where robin:1,0,C holds displacements at a face of elasticity, it holds the one along the normal, "
         "or all others; value holds all of them";
}

// Whether the body may turn in the plane of two axes: no face holds what that would move along the face.
bool may_turn(const Grid& grid, const Boundary& boundary, int a, int b) {
  if (boundary.periodic(a) || boundary.periodic(b)) return false;
  for (int face = 0; face < 2 * grid.dimension; ++face)
    for (const auto& [moved, along] : {std::pair{a, b}, std::pair{b, a}})
      if (along != face / 2 && fixes_unknown(boundary.of(moved)[face])) return false;
  return true;
}

// Where the body ends by itself. Throws InputError where the kinds of a face do not go together, or the body
// may turn.
std::array<bool, 6> free_faces(const Grid& grid, const Boundary& boundary) {
  std::array<bool, 6> free{};
  std::array<bool, 3> held{};
  const auto refuse = [&](const std::string& reason) {
    throw InputError("boundary '" + to_string(boundary, grid.dimension) + "': " + reason);
  };
  for (int face = 0; face < 2 * grid.dimension; ++face) {
    if (const std::string reason = why_not_at(grid, boundary, face); !reason.empty()) refuse(reason);
    free[face] = true;
    for (int r = 0; r < grid.dimension; ++r) {
      free[face] = free[face] && boundary.of(r)[face].kind == BoundaryKind::flux;
      held[r] = held[r] || fixes_unknown(boundary.of(r)[face]);
    }
  }
  const bool any = held[0] || held[1] || held[2];
  if (!any && std::find(free.begin(), free.end(), true) != free.end())
    refuse("no face holds the body, which may move; give one value, drop or robin");
  for (int r = 0; r < grid.dimension; ++r)
    if (any && !held[r])
      refuse("no face holds the displacement along " + std::string(1, "xyz"[r]) +
             "; give one value, drop or robin");
  for (int b = 1; b < grid.dimension; ++b)
    for (int a = 0; a < b; ++a)
      if (any && may_turn(grid, boundary, a, b))
        refuse("no face keeps the body from turning in the plane of " + std::string(1, "xyz"[a]) + " and " +
               std::string(1, "xyz"[b]) + "; hold more of it");
  return free;
}

// What tractions add to the right side.
void add_tractions(const Grid& grid, const Boundary& boundary, const std::array<bool, 6>& free,
                   const NodeBox& box, std::vector<double>& rhs) {
  add_source(grid, box, rhs, [&](const Position& p, int r) {
    const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
    double sum = 0;
    for (int face = 0; face < 2 * grid.dimension; ++face) {
      if (!free[face]) continue;
      const int axis = face / 2;
      const std::int64_t n = grid.extents[axis], inwards = face % 2 == 0 ? at[axis] : n - 1 - at[axis];
      if (inwards > 1) continue;
      std::array<std::int64_t, 3> beyond = at;
      beyond[axis] = face % 2 == 0 ? -1 : n;
      const double share = n == 1 ? 1 : inwards == 0 ? 1.5 : -0.5;
      sum +=
          share / grid.spacing_m[axis] * ghost::datum(boundary, face, {beyond[0], beyond[1], beyond[2]}, r);
    }
    return sum;
  });
}

template <bool with_free>
ElasticForcesOfFields<with_free> forces_of(const Grid& grid, const std::array<bool, 6>& free) {
  ElasticForcesOfFields<with_free> forces;
  for (int axis = 0; axis < 3; ++axis) forces.per_h[axis] = 1 / grid.spacing_m[axis];
  forces.free = free;
  return forces;
}

template <bool with_free>
AssembledBox<double> system_of_fields(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                      const PdeInput& input, const NodeBox& box,
                                      const ParameterFields<2>& fields, const std::array<bool, 6>& free) {
  require_lame("elasticity", fields.field(0), fields.field(1));
  auto forces = forces_of<with_free>(grid, free);
  forces.lambda_pa = {fields.field(0).data()}, forces.mu_pa = {fields.field(1).data()};
  forces.window = window_around(grid, box);
  return assemble_system(grid, stencil, boundary, input, forces, box);
}

AssembledBox<double> system_of_numbers(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                       const PdeInput& input, const NodeBox& box,
                                       const std::array<bool, 6>& free, bool any_free) {
  const double lambda_pa = input.value_of(lame_lambda_pa), mu_pa = input.value_of(lame_mu_pa);
  const auto held = [&](const Grid& of) { return elasticity(of, stencil, lambda_pa, mu_pa); };
  if (!any_free) return assemble_uniform_system(grid, stencil, boundary, input, held, box);
  const auto with_free = [&](const Grid& of) {
    auto forces = forces_of<true>(of, free);
    forces.lambda_pa.number = lambda_pa, forces.mu_pa.number = mu_pa;
    return forces;
  };
  return assemble_uniform_system(grid, stencil, boundary, input, with_free, box);
}

AssembledBox<double> system_of(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                               const PdeInput& input, const NodeBox& box, const std::array<bool, 6>& free) {
  const bool any_free = std::find(free.begin(), free.end(), true) != free.end();
  const auto fields = parameter_fields(grid, box, input, std::array{lame_lambda_pa, lame_mu_pa});
  AssembledBox<double> system =
      !fields    ? system_of_numbers(grid, stencil, boundary, input, box, free, any_free)
      : any_free ? system_of_fields<true>(grid, stencil, boundary, input, box, *fields, free)
                 : system_of_fields<false>(grid, stencil, boundary, input, box, *fields, free);
  if (any_free && has_data(boundary, grid.dimension)) add_tractions(grid, boundary, free, box, system.rhs);
  return system;
}

// Of u, by Hooke's law.
double traction(const std::function<Manufactured::Jet(int)>& at, double lambda_pa, double mu_pa,
                int dimension, int normal, int r) {
  double t = mu_pa * (at(r).slope[normal] + at(normal).slope[r]);
  for (int c = 0; c < dimension && r == normal; ++c) t += lambda_pa * at(c).slope[c];
  return t;
}

PdePart assembled(const Grid& grid, const Stencil& stencil, const Boundary& boundary, const PdeInput& input,
                  const NodeBox& box) {
  PdePart problem;
  const std::array<bool, 6> free = free_faces(grid, boundary);  // says what a body lacks
  problem.singular = fixes_no_value(grid, boundary);
  if (!input.manufactured) {
    problem.system = system_of(grid, stencil, boundary, input, box, free);
    add_usual_source(grid, box, input, problem);
    return problem;
  }
  const double lambda_pa = input.value_of(lame_lambda_pa), mu_pa = input.value_of(lame_mu_pa);
  const Manufactured solution(grid, boundary);
  const Boundary with_tractions =
      solution.with_fluxes([&](const auto& at, const auto&, int normal, int outwards, int r) {
        if (free[2 * normal + (outwards > 0 ? 1 : 0)])
          return outwards * traction(at, lambda_pa, mu_pa, grid.dimension, normal, r);
        return outwards * (r == normal ? lambda_pa + 2 * mu_pa : mu_pa) * at(r).slope[normal];
      });
  problem.system = system_of(grid, stencil, with_tractions, input, box, free);
  add_source(grid, box, problem.system.rhs, [&](const Position& p, int r) {
    double grad_div = 0;
    for (int c = 0; c < grid.dimension; ++c) {
      const Manufactured::Jet u = solution.at(p, c);
      grad_div += c == r ? u.curvature[r] : u.mixed[3 - r - c];
    }
    return -(mu_pa * solution.at(p, r).laplacian() + (lambda_pa + mu_pa) * grad_div);
  });
  problem.exact = solution.values(box);
  return problem;
}

std::string refuses(const PdeInput& input) {
  return why_not_lame(input.value_of(lame_lambda_pa), input.value_of(lame_mu_pa));
}

}  // namespace

Pde elasticity_pde() {
  return {.name = "elasticity",
          .equation = "-(mu lap u + (lambda + mu) grad div u) = f",
          .about = "of a body, small strains",
          .source_units = "N/m3",
          .solution_units = "m",
          .discretisation = elasticity_stencils,
          .faces = {BoundaryKind::value, BoundaryKind::drop, BoundaryKind::periodic, BoundaryKind::flux,
                    BoundaryKind::robin},
          .parameters = {lame_lambda_pa, lame_mu_pa},
          .refuses = refuses,
          .assemble = assembled,
          .uniform = true};
}

}  // namespace quadrille
