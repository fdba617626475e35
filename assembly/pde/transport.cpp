// N species that are carried along, spread and react:
//
//   u_t + v . grad u - d lap u + R u = f,   f in 1/s
//
// R, a dense N x N matrix between the species of a node, is that of a chain of decays: species r becomes
// species r + 1 at the rate k/(r + 1), and the last one what is not followed (Bateman, Proc. Cambridge Phil.
// Soc. 15, 1910); or it is given.
//
// In time, species 0 is 1 in the middle half of the grid along each axis, everything else is 0, and so is f.
// Steady (--steady), f is 1 there for species 0. Manufactured, u = e^-t M with M as in
// assembly/pde/manufactured.hpp; steady, u = M; for faces that hold 0, are periodic or let nothing through.
//
// Advection is central, of order 2, along axes with |v| h <= 2 d, where the operator keeps the signs of an
// M-matrix; along the others it is upwind, of order 1: central differences with d + |v| h/2 in place of d
// (Patankar, Numerical Heat Transfer and Fluid Flow, 1980, chapter 5). The flux of faces is d du/dn without
// what v carries: robin:V,1,VC brings C in against n with V = |v . n| (Danckwerts, Chem. Eng. Sci. 2, 1953).
#include <algorithm>
#include <cmath>

#include "assembly/pde/all.hpp"
#include "assembly/pde/manufactured.hpp"
#include "assembly/pde/parameter_fields.hpp"
#include "assembly/pde/residual_of.hpp"

namespace quadrille {
namespace {

constexpr std::array<PdeParameter, 3> velocity_m_s{
    PdeParameter{.name = "v_x", .usual = 1, .units = "m/s", .about = "velocity along x", .varies = true},
    PdeParameter{.name = "v_y", .usual = 0.5, .units = "m/s", .about = "velocity along y", .varies = true},
    PdeParameter{
        .name = "v_z", .usual = 0.25, .units = "m/s", .about = "velocity along z, in 3D", .varies = true}};
constexpr PdeParameter diffusivity_m2_s{"d", 0.02, "m2/s", "diffusivity", 0, true, true},
    rate_1_s{"k", 1, "1/s", "rate at which species 0 decays; species r does at k/(r + 1)", 0, false, true};

struct Coefficients {
  std::array<double, 3> v_m_s;
  double d_m2_s, k_1_s;
};
Coefficients coefficients(const PdeInput& input) {
  Coefficients of{{}, input.value_of(diffusivity_m2_s), input.value_of(rate_1_s)};
  for (int axis = 0; axis < 3; ++axis) of.v_m_s[axis] = input.value_of(velocity_m_s[axis]);
  return of;
}

struct Transport {
  // Weights of the nodes before and after along each axis; that of the node between is less their sum.
  std::array<double, 3> before{}, after{};
  const double* reaction = nullptr;  // R, [column][row]: neighbouring rows read it at the same time
  const double* source = nullptr;    // [row of the box], times e^-decay t; null for none
  double decay_1_s = 0, diffusivity_m2_s = 0;
  int species = 1;

  static constexpr bool linear = true, uniform = true;
  static constexpr bool couples(bool centre, int r, int c) { return centre || r == c; }
  constexpr double conductivity(const StencilNode&, int, int) const { return diffusivity_m2_s; }
  template <int axis>
  constexpr auto along(const auto& u, int r) const {
    constexpr int x = axis == 0, y = axis == 1, z = axis == 2;
    return before[axis] * (u.at(-x, -y, -z, r) - u(r)) + after[axis] * (u.at(x, y, z, r) - u(r));
  }
  constexpr auto operator()(const auto& u, int r) const {
    auto residual = u.rate(r) + along<0>(u, r) + along<1>(u, r);  // axes that the compiler knows
    if (u.grid().dimension == 3) residual += along<2>(u, r);
    for (int c = 0; c < species; ++c) residual += reaction[c * species + r] * u(c);
    if (source != nullptr) residual -= std::exp(-decay_1_s * u.time_s()) * source[u.own() * species + r];
    return residual;
  }
};

// v, d and k differ from node to node: diffusion by finite volumes, as in assembly/pde/diffusion.hpp, and
// what is upwind is asked at each node, of the weaker of its two faces along the axis.
struct TransportThroughFields {
  std::array<const double*, 3> v_m_s{};                 // [place in the window]
  const double *d_m2_s = nullptr, *k_1_s = nullptr;     // the same
  const double *reaction = nullptr, *source = nullptr;  // as of Transport, with R of k = 1/s
  NodeWindow window;
  std::array<double, 3> per_h{};
  int species = 1;

  static constexpr bool linear = true;
  static constexpr bool couples(bool centre, int r, int c) { return Transport::couples(centre, r, c); }
  constexpr double conductivity(const StencilNode& node, int, int) const {
    return d_m2_s[window.place(node.position)];
  }
  template <int axis>
  constexpr auto along(const auto& u, int r) const {
    constexpr int x = axis == 0, y = axis == 1, z = axis == 2;
    const double here = u.field(d_m2_s), v = u.field(v_m_s[axis]) * per_h[axis],
                 per_h2 = per_h[axis] * per_h[axis],
                 before = harmonic_mean(here, u.field(d_m2_s, -x, -y, -z)) * per_h2,
                 after = harmonic_mean(here, u.field(d_m2_s, x, y, z)) * per_h2, strength = v < 0 ? -v : v,
                 least = before < after ? before : after, more = strength > 2 * least ? strength / 2 : 0;
    return (before + more + v / 2) * (u(r) - u.at(-x, -y, -z, r)) +
           (after + more - v / 2) * (u(r) - u.at(x, y, z, r));
  }
  constexpr auto operator()(const auto& u, int r) const {
    auto residual = u.rate(r) + along<0>(u, r) + along<1>(u, r);
    if (u.grid().dimension == 3) residual += along<2>(u, r);
    const double k = u.field(k_1_s);
    for (int c = 0; c < species; ++c) residual += k * reaction[c * species + r] * u(c);
    if (source != nullptr) residual -= source[u.own() * species + r];
    return residual;
  }
};

bool upwind(const Grid& grid, const Coefficients& of, int axis) {
  return std::abs(of.v_m_s[axis]) * grid.spacing_m[axis] > 2 * of.d_m2_s;
}

Transport functor(const Grid& grid, const Coefficients& of) {
  Transport f;
  f.species = grid.dof;
  f.diffusivity_m2_s = of.d_m2_s;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    const double h = grid.spacing_m[axis], v = of.v_m_s[axis],
                 d = of.d_m2_s + (upwind(grid, of, axis) ? std::abs(v) * h / 2 : 0);
    f.before[axis] = -v / (2 * h) - d / (h * h);
    f.after[axis] = v / (2 * h) - d / (h * h);
  }
  return f;
}

std::vector<double> chain_of_decays(int species, double k_1_s) {
  std::vector<double> reaction = zeros(std::int64_t{species} * species);
  for (int r = 0; r < species; ++r) {
    const double of_species_1_s = k_1_s / (r + 1);
    reaction[static_cast<std::size_t>(r * species + r)] = of_species_1_s;
    if (r + 1 < species) reaction[static_cast<std::size_t>(r * species + r + 1)] = -of_species_1_s;
  }
  return reaction;
}

// [column][row]; k times it is R.
std::vector<double> reaction_of(const Grid& grid, const PdeInput& input, double k_1_s) {
  if (input.reaction.empty()) return chain_of_decays(grid.dof, k_1_s);
  std::vector<double> reaction(input.reaction.size());
  for (int r = 0; r < grid.dof; ++r)
    for (int c = 0; c < grid.dof; ++c)
      reaction[static_cast<std::size_t>(c * grid.dof + r)] =
          input.reaction[static_cast<std::size_t>(r * grid.dof + c)];
  return reaction;
}

// Whether some of the columns, [column][row], make up 0.
bool depend(const std::vector<double>& matrix, int rows, const std::vector<int>& columns) {
  constexpr double rounding = 1e-12;
  std::vector<std::vector<double>> left;
  for (const int c : columns) left.emplace_back(&matrix[c * rows], &matrix[c * rows] + rows);
  const auto largest = [](const std::vector<double>& of) {
    return std::max_element(of.begin(), of.end(),
                            [](double a, double b) { return std::abs(a) < std::abs(b); });
  };
  std::vector<double> sizes;
  for (const std::vector<double>& column : left) sizes.push_back(std::abs(*largest(column)));
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto pivot = largest(left[i]);
    if (!(std::abs(*pivot) > rounding * sizes[i])) return true;
    const auto at = pivot - left[i].begin();
    for (std::size_t j = i + 1; j < left.size(); ++j) {
      const double part = left[j][at] / *pivot;
      for (int r = 0; r < rows; ++r) left[j][r] -= part * left[i][r];
    }
  }
  return false;
}

// Of the steady problem: whether constants fulfil it without a source, where no face fixes what R does not
// take away.
bool takes_constants(const Grid& grid, const Boundary& boundary, const std::vector<double>& reaction) {
  std::vector<int> loose;
  for (int r = 0; r < grid.dof; ++r) {
    const auto faces = boundary.of(r).begin();
    if (std::none_of(faces, faces + 2 * grid.dimension, fixes_unknown)) loose.push_back(r);
  }
  return depend(reaction, grid.dof, loose);
}

std::string advection_text(const Grid& grid, const Coefficients& of) {
  std::string axes;
  for (int axis = 0; axis < grid.dimension; ++axis)
    if (upwind(grid, of, axis)) axes += std::string(axes.empty() ? "" : ", ") + "xyz"[axis];
  return "advection: central differences, of order 2" +
         (axes.empty() ? "" : "; along " + axes + " upwind, of order 1, for |v| h is above 2 d there");
}

std::vector<double> middle_half(const Grid& grid, const NodeBox& box) {
  std::vector<double> values = zeros(box.nodes() * grid.dof);
  add_source(grid, box, values, [&](const Position& p, int r) {
    const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
    for (int axis = 0; axis < grid.dimension; ++axis)
      if (4 * at[axis] < grid.extents[axis] || 4 * at[axis] >= 3 * grid.extents[axis]) return 0.0;
    return r == 0 ? 1.0 : 0.0;
  });
  return values;
}

// f of u = M at time 0; in time with what u_t = -M adds.
std::vector<double> manufactured_source(const Grid& grid, const Coefficients& of,
                                        const Manufactured& solution, const std::vector<double>& reaction,
                                        bool steady, const NodeBox& box) {
  std::vector<double> source = zeros(box.nodes() * grid.dof);
  add_source(grid, box, source, [&](const Position& p, int r) {
    const Manufactured::Jet m = solution.at(p, r);
    double f = (steady ? 0 : -m.u) - of.d_m2_s * m.laplacian();
    for (int axis = 0; axis < grid.dimension; ++axis) f += of.v_m_s[axis] * m.slope[axis];
    for (int c = 0; c < grid.dof; ++c)
      f += reaction[static_cast<std::size_t>(c * grid.dof + r)] * solution.at(p, c).u;
    return f;
  });
  return source;
}

// The functor with what it points to, which is kept as long as the residual is.
AnyResidual with_numbers(Transport f, int dof, std::vector<double> reaction, std::vector<double> source) {
  const auto of_reaction = std::make_shared<NumbersOnBoth>(std::move(reaction)),
             of_source = std::make_shared<NumbersOnBoth>(std::move(source));
  const bool has_source = of_source->size() > 0;
  f.reaction = of_reaction->on_host();
  f.source = has_source ? of_source->on_host() : nullptr;
  return residual_of(f, dof, std::function([f, of_reaction, of_source, has_source]() mutable {
                       f.reaction = of_reaction->on_device();
                       f.source = has_source ? of_source->on_device() : nullptr;
                       return f;
                     }));
}

using Fields = ParameterFields<5>;

AnyResidual through_fields(const Grid& grid, const PdeInput& input, const NodeBox& box,
                           const std::shared_ptr<Fields>& fields, std::vector<double> source) {
  const auto reaction = std::make_shared<NumbersOnBoth>(reaction_of(grid, input, 1)),
             of_source = std::make_shared<NumbersOnBoth>(std::move(source));
  TransportThroughFields f;
  f.window = window_around(grid, box);
  f.species = grid.dof;
  for (int axis = 0; axis < 3; ++axis) f.per_h[axis] = 1 / grid.spacing_m[axis];
  return residual_of_fields(f, grid.dof, fields,
                            [=](TransportThroughFields& to, const auto& of, bool on_device) {
                              to.v_m_s = {of[0], of[1], of[2]};
                              to.d_m2_s = of[3], to.k_1_s = of[4];
                              to.reaction = on_device ? reaction->on_device() : reaction->on_host();
                              if (of_source->size() > 0)
                                to.source = on_device ? of_source->on_device() : of_source->on_host();
                            });
}

ResidualProblem problem_of(const Grid& grid, const Boundary& boundary, const PdeInput& input,
                           const NodeBox& box) {
  const Coefficients of = coefficients(input);
  std::vector<double> reaction = reaction_of(grid, input, of.k_1_s);
  std::vector<double> source;
  ResidualProblem problem;
  const std::shared_ptr<Fields> fields = parameter_fields(
      grid, box, input,
      std::array{velocity_m_s[0], velocity_m_s[1], velocity_m_s[2], diffusivity_m2_s, rate_1_s});
  problem.note =
      fields ? "advection: central differences, of order 2, at nodes and along axes where |v| h is at "
               "most 2 d; else upwind, of order 1"
             : advection_text(grid, of);
  require_fine_enough(grid, boundary, "transport",
                      [&](int, int) { return fields ? fields->least(3) : of.d_m2_s; });
  problem.initial = zeros(box.nodes() * grid.dof);
  Transport f = functor(grid, of);
  if (input.manufactured) {
    require_no_data(grid, boundary, "transport");
    const Manufactured solution(grid, boundary);
    source = manufactured_source(grid, of, solution, reaction, input.steady, box);
    std::vector<double> at_first = solution.values(box);
    if (!input.steady) problem.initial = at_first, f.decay_1_s = 1;
    problem.exact = fading(std::move(at_first), f.decay_1_s);
  } else if (!input.steady || !input.without_source) {
    (input.steady ? source : problem.initial) = middle_half(grid, box);
  }
  if (input.steady && !input.manufactured && takes_constants(grid, boundary, reaction)) {
    const std::string constants = "no face fixes a value of some species, and R u is 0 for constants";
    if (input.without_source || has_data(boundary, grid.dimension))
      problem.note += "\n" + constants + ": u is known but for these, where the source has a u at all";
    else
      problem.no_solution = "boundary '" + to_string(boundary, grid.dimension) + "': " + constants +
                            ": there is no steady u; give one value, drop or robin with A != 0, a reaction "
                            "with an inverse (k above 0) or another source";
  }
  if (fields) {
    problem.residual = through_fields(grid, input, box, fields, std::move(source));
    return problem;
  }
  problem.residual = with_numbers(f, grid.dof, std::move(reaction), std::move(source));
  return problem;
}

}  // namespace

Pde transport_pde() {
  return {.name = "transport",
          .equation = "u_t + v . grad u - d lap u + R u = f",
          .about = "species that are carried along, spread and decay in a chain",
          .source_units = "1/s",
          .discretisation = {.star = 1, .coupled = true},
          .faces = {BoundaryKind::periodic, BoundaryKind::outflow, BoundaryKind::clamp, BoundaryKind::value,
                    BoundaryKind::drop, BoundaryKind::flux, BoundaryKind::robin},
          .parameters = {velocity_m_s[0], velocity_m_s[1], velocity_m_s[2], diffusivity_m2_s, rate_1_s},
          .residual = problem_of,
          .petsc_options = "-pc_type pbjacobi",
          .until_s = 0.5,
          .rate = rate_1_s.name,
          .also_steady = true,
          .length_m = 1};
}

}  // namespace quadrille
