// A porous body full of a fluid, which it takes time to press out (Biot, J. Appl. Phys. 12, 1941), at rest
// but for that; small strains, plane strain in 2D:
//
//   -(mu lap u + (lambda + mu) grad div u) + alpha grad p = 0       balance of forces, in N/m^3
//   zeta_t - K lap p = q                                            of the fluid, in 1/s
//   zeta = S p + alpha div u                                        the fluid that came in, of volume
//
// u is the displacement in m, p the pressure of the fluid in Pa. zeta is an unknown of its own, the only one
// with a rate: what begins is zeta = 0, which a load that is put on at once keeps, and u and p follow from
// it.
//
// Where u and p are at the same nodes, central differences of div u and grad p leave a pressure that changes
// its sign from node to node almost unseen, and the pressure swings where it changes fast. So zeta has
//
//   - sum over axes of beta lap_axis p,   beta = alpha^2 h^2 / (4 (lambda + 2 mu)),
//
// more (Aguilar, Gaspar, Lisbona, Rodrigo, Int. J. Numer. Meth. Engng 75, 2008), which is of order h^2. In
// one dimension this is what the differences lack: u eliminated, zeta has alpha^2/(lambda + 2 mu) cos^2(k
// h/2) p of a wave of wave number k, and beta adds sin^2(k h/2) to the cos^2.
//
// The q of faces is (lambda + 2 mu) du/dn of the displacement along n, mu du/dn of those across, which are
// the tractions where p and the strain along the face are 0, and K dp/dn. Every displacement has a face that
// holds it. Without data of faces and another source, q is 1/s in the middle half of the grid along each
// axis; with data, as those of a load, 0. Manufactured, u and p are e^-t times functions of
// assembly/pde/manufactured.hpp.
#include <algorithm>
#include <cmath>

#include "assembly/pde/all.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/parameter_fields.hpp"
#include "assembly/pde/residual_of.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr PdeParameter alpha_1{"alpha", 1, "1", "Biot's, of the pressure that the body feels", 0},
    storage_1_pa{"S", 0.1, "1/Pa", "the fluid that pressure stores", 0, false, true},
    mobility_m2_pa_s{"K", 1, "m2/(Pa s)", "permeability over viscosity", 0, true, true};

// `fields`: all but alpha differ from node to node, the moduli as in assembly/pde/elasticity.hpp, K across a
// face as in assembly/pde/diffusion.hpp.
template <bool fields>
struct Poroelastic {
  double lambda_pa, mu_pa, alpha, storage, mobility;  // with fields alpha alone counts
  // Of each axis; with fields times lambda + 2 mu.
  std::array<double, 3> beta{};
  const double* source = nullptr;  // [row of the box], times e^-decay t
  double decay_1_s = 0;
  int dimension = 2;
  bool at_first = false;        // zeta is 0: p has the row of what follows from that
  bool body_gives_way = false;  // with fields: p stores what after_displacements() says
  ElasticForcesThroughFields through{};
  const double *storages = nullptr, *mobilities = nullptr;  // [place in the window]
  NodeWindow window{};
  std::array<double, 3> per_h2{};

  static constexpr bool linear = true, uniform = !fields, box = true;
  constexpr int pressure() const { return dimension; }
  constexpr int content() const { return dimension + 1; }
  constexpr bool couples(bool centre, int r, int c) const {
    if (centre && c == content()) return r == content() || (r == pressure() && !at_first);
    if (c == content() || (at_first && r == content())) return false;
    return r != pressure() || c == pressure() || at_first;
  }
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    if constexpr (fields) {
      const std::int64_t place = window.place(node.position);
      if (unknown >= pressure()) return mobilities[place];
      return unknown == axis ? through.lambda_pa[place] + 2 * through.mu_pa[place] : through.mu_pa[place];
    }
    if (unknown >= pressure()) return mobility;
    return unknown == axis ? lambda_pa + 2 * mu_pa : mu_pa;
  }
  constexpr auto operator()(const auto& u, int r) const {
    auto residual = r < pressure() ? forces(u, r) : r == pressure() ? flow(u) : fluid(u);
    return residual -= std::exp(-decay_1_s * u.time_s()) * source[u.own() * (dimension + 2) + r];
  }

 private:
  constexpr auto forces(const auto& u, int r) const {
    if constexpr (fields)
      return alpha * u.slope(r, pressure()) + through(u, r);
    else
      return alpha * u.slope(r, pressure()) + ElasticForces{lambda_pa, mu_pa}(u, r);
  }
  constexpr auto flow(const auto& u) const {
    if constexpr (fields)
      return at_first ? stored(u) : u.rate(content()) + u.outflow(pressure(), mobilities, per_h2);
    else
      return at_first ? stored(u) : u.rate(content()) - mobility * u.laplacian(pressure());
  }
  constexpr auto fluid(const auto& u) const { return at_first ? u(content()) : u(content()) - stored(u); }
  // What u and p make zeta.
  constexpr auto stored(const auto& u) const {
    double stores = storage, of_beta = 1;
    if constexpr (fields) {
      of_beta = 1 / (u.field(through.lambda_pa) + 2 * u.field(through.mu_pa));
      stores = u.field(storages) + (body_gives_way ? alpha * alpha * of_beta : 0);
    }
    const auto along = [&](int axis) {
      return alpha * u.slope(axis, axis) - of_beta * beta[axis] * u.curvature(axis, pressure());
    };
    const auto sum = stores * u(pressure()) + along(0) + along(1);
    return u.grid().dimension == 2 ? sum : sum + along(2);
  }
};

void require_held(const Grid& grid, const Boundary& boundary) {
  for (int r = 0; r < grid.dimension; ++r) {
    const Faces& faces = boundary.of(r);
    if (std::none_of(faces.begin(), faces.begin() + 2 * grid.dimension, fixes_unknown))
      throw InputError("boundary '" + to_string(boundary, grid.dimension) +
                       "': no face holds the displacement along " + std::string(1, "xyz"[r]) +
                       " of poroelastic; give one value, drop or robin with A != 0");
  }
}

template <bool fields>
Poroelastic<fields> functor(const Grid& grid, const PdeInput& input) {
  Poroelastic<fields> f{input.value_of(lame_lambda_pa), input.value_of(lame_mu_pa), input.value_of(alpha_1),
                        input.value_of(storage_1_pa), input.value_of(mobility_m2_pa_s)};
  f.dimension = grid.dimension;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    const double h2 = grid.spacing_m[axis] * grid.spacing_m[axis];
    f.per_h2[axis] = 1 / h2;
    f.through.per_h[axis] = 1 / grid.spacing_m[axis];
    f.beta[axis] = f.alpha * f.alpha * h2 / (4 * (fields ? 1 : f.lambda_pa + 2 * f.mu_pa));
  }
  return f;
}

// What p stores where u follows it: a wave's forces divided by lambda + 2 mu, which is how the fixed-stress
// split (Kim, Tchelepi, Juanes, Comput. Methods Appl. Mech. Engrg 200, 2011) takes the body into account.
// beta is a part of that.
template <bool fields>
Poroelastic<fields> after_displacements(Poroelastic<fields> f) {
  f.storage += f.alpha * f.alpha / (f.lambda_pa + 2 * f.mu_pa);
  f.body_gives_way = true;
  f.beta = {};
  return f;
}

// zeta of the manufactured u and p at time 0.
double content_at(const Poroelastic<false>& f, const Manufactured& solution, const Position& p) {
  double zeta = f.storage * solution.at(p, f.pressure()).u;
  for (int axis = 0; axis < f.dimension; ++axis) zeta += f.alpha * solution.at(p, axis).slope[axis];
  return zeta;
}

double manufactured_source(const Poroelastic<false>& f, const Manufactured& solution, const Position& p,
                           int r) {
  if (r == f.content()) return 0;
  const Manufactured::Jet pressure = solution.at(p, f.pressure());
  if (r == f.pressure()) return -content_at(f, solution, p) - f.mobility * pressure.laplacian();
  double grad_div = 0;
  for (int c = 0; c < f.dimension; ++c) {
    const Manufactured::Jet u = solution.at(p, c);
    grad_div += c == r ? u.curvature[r] : u.mixed[3 - r - c];
  }
  return f.alpha * pressure.slope[r] - f.mu_pa * solution.at(p, r).laplacian() -
         (f.lambda_pa + f.mu_pa) * grad_div;
}

bool in_middle_half(const Grid& grid, const Position& p) {
  const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
  for (int axis = 0; axis < grid.dimension; ++axis)
    if (4 * at[axis] < grid.extents[axis] || 4 * at[axis] >= 3 * grid.extents[axis]) return false;
  return true;
}

using Source = std::shared_ptr<NumbersOnBoth>;

AnyResidual with_source(Poroelastic<false> f, const Grid& grid, const Source& source) {
  f.source = source->on_host();
  return residual_of(f, grid.dof, std::function([f, source]() mutable {
                       f.source = source->on_device();
                       return f;
                     }));
}

using Fields = std::shared_ptr<ParameterFields<4>>;

AnyResidual with_source(const Poroelastic<true>& f, const Grid& grid, const Source& source,
                        const Fields& fields) {
  return residual_of_fields(f, grid.dof, fields, [=](Poroelastic<true>& to, const auto& of, bool on_device) {
    to.through.lambda_pa = of[0], to.through.mu_pa = of[1];
    to.storages = of[2], to.mobilities = of[3];
    to.source = on_device ? source->on_device() : source->on_host();
  });
}

// F, and what preconditions it; and at first, where something is put on at once.
template <bool fields, class... Given>
void give_residuals(Poroelastic<fields> f, const Grid& grid, bool puts_on, ResidualProblem& problem,
                    const Given&... given) {
  problem.residual = with_source(f, grid, given...);
  problem.near = with_source(after_displacements(f), grid, given...);
  if (!puts_on) return;
  f.at_first = true;
  problem.at_first_without_source = {f.pressure(), f.content()};
  problem.at_first = with_source(f, grid, given...);
  problem.near_at_first = with_source(after_displacements(f), grid, given...);
  problem.at_first_options =
      "-at_first_ksp_rtol 1e-10 -at_first_ksp_gmres_restart 100 -at_first_snes_rtol 1e-10 "
      "-at_first_snes_stol 0";
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  require_held(grid, boundary);
  Poroelastic<false> f = functor<false>(grid, input);
  std::vector<double> at_nodes = zeros(box.nodes() * grid.dof);
  ResidualProblem problem;
  problem.initial = zeros(box.nodes() * grid.dof);
  if (input.manufactured) {
    require_no_data(grid, boundary, "poroelastic");
    const Manufactured solution(grid, boundary);
    f.decay_1_s = 1;
    add_source(grid, box, at_nodes,
               [&](const Position& p, int r) { return manufactured_source(f, solution, p, r); });
    add_source(grid, box, problem.initial, [&](const Position& p, int r) {
      return r == f.content() ? content_at(f, solution, p) : solution.at(p, r).u;
    });
    problem.exact = fading(problem.initial);
    // The exact u and p are not those that the differences make of this zeta: the first step moves them,
    // however short it is.
    for (int r = 0; r <= f.pressure(); ++r) problem.without_control.push_back(r);
  } else if (!input.without_source && !has_data(boundary, grid.dimension)) {
    add_source(grid, box, at_nodes, [&](const Position& p, int r) {
      return r == f.pressure() && in_middle_half(grid, p) ? 1.0 : 0.0;
    });
  }
  const auto source = std::make_shared<NumbersOnBoth>(std::move(at_nodes));
  // What is put on at once moves u and p at once.
  const bool puts_on = (has_data(boundary, grid.dimension) || input.without_source) && !input.manufactured;
  if (const Fields fields = parameter_fields(
          grid, box, input, std::array{lame_lambda_pa, lame_mu_pa, storage_1_pa, mobility_m2_pa_s})) {
    require_lame("poroelastic", fields->field(0), fields->field(1));
    Poroelastic<true> through = functor<true>(grid, input);
    through.window = window_around(grid, box);
    give_residuals(through, grid, puts_on, problem, source, fields);
  } else {
    give_residuals(f, grid, puts_on, problem, source);
  }
  return problem;
}

std::string refuses(const PdeInput& input) {
  return why_not_lame(input.value_of(lame_lambda_pa), input.value_of(lame_mu_pa));
}

}  // namespace

Pde poroelastic_pde() {
  return {
      .name = "poroelastic",
      .equation =
          "-(mu lap u + (lambda + mu) grad div u) + alpha grad p = 0, "
          "zeta_t - K lap p = q, zeta = S p + alpha div u",
      .about = "a porous body and its fluid, under a load or with fluid pressed in",
      .source_units = "1/s",
      .discretisation = {.star = 0, .box = 1, .unknown_per_axis = true, .more_unknowns = 2, .coupled = true},
      .faces = {BoundaryKind::value, BoundaryKind::drop, BoundaryKind::periodic, BoundaryKind::clamp,
                BoundaryKind::flux, BoundaryKind::robin},
      .parameters = {lame_lambda_pa, lame_mu_pa, alpha_1, storage_1_pa, mobility_m2_pa_s},
      .refuses = refuses,
      .residual = problem_of,
      .unknowns = {"u_x", "u_y", "u_z", "p", "zeta"},
      .units = {"m", "m", "m", "Pa", "1"},
      .preconditions_apart = true,
      .until_s = 0.1,
      .takes_initial = false,  // u and p follow from zeta
      .length_m = 1};
}

}  // namespace quadrille
