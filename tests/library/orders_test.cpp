// Every PDE that `quadrille solve` names against its manufactured solution: its orders in space and in time,
// in 2D and 3D.
#include <gtest/gtest.h>
#include <quadrille/quadrille.hpp>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "assembly/pdes.hpp"

namespace quadrille {
namespace {

struct OrderCase {
  const char* pde;
  std::vector<std::int64_t> coarse, fine;  // nodes along each axis; half the spacing on the fine grid
  double spacing_m;                        // of the coarse one
  const char* sides;
  int steps = 0;  // 0: the steady PDE
  double dt_s = 0;
  int dof = 0;  // 0: the usual
  ParameterValues parameters = {};
  const char* options = "";
};

void PrintTo(const OrderCase& c, std::ostream* out) {
  *out << c.pde << " in " << c.coarse.size() << "D, " << c.sides << " " << c.options;
}

// The steps of those in time are so short that the error in space is nearly all there is; of some the domain
// is so small that it shows in them.
const OrderCase in_space[] = {
    {"poisson", {15, 11}, {31, 23}, 1. / 16, "value:0"},
    {"poisson", {9, 8, 7}, {19, 17, 15}, 0.1, "value:0"},
    {"diffusion", {15, 14}, {31, 29}, 1. / 16, "value:0"},
    {"diffusion", {12, 10, 7}, {24, 20, 15}, 1. / 12, "clamp,clamp,periodic,periodic,value:0,value:0"},
    {"elasticity", {15, 14}, {31, 29}, 1. / 16, "value:0"},
    {"elasticity", {9, 8, 7}, {19, 17, 15}, 0.1, "value:0"},
    {"bratu", {15, 11}, {31, 23}, 1. / 16, "value:0"},
    {"bratu", {9, 8, 7}, {19, 17, 15}, 0.1, "value:0"},
    {"heat", {15, 11}, {31, 23}, 1. / 16, "value:0", 4, 1e-4},
    {"heat", {16, 12, 12}, {32, 24, 24}, 1. / 16, "clamp,clamp,clamp,clamp,periodic,periodic", 4, 1e-4},
    {"gray_scott", {16, 12}, {32, 24}, 0.01 / 16, "periodic", 4, 2e-3},
    {"gray_scott",
     {7, 8, 12},
     {15, 16, 24},
     0.01 / 8,
     "value:0,value:0,clamp,outflow,periodic,periodic",
     4,
     2e-3},
    {"cahn_hilliard", {16, 12}, {32, 24}, 1. / 16, "clamp", 3, 1e-4, 0, {{"e", 0.2}}},
    {"cahn_hilliard", {10, 8, 12}, {20, 16, 24}, 0.1, "clamp,clamp,clamp,clamp,periodic,periodic", 3, 1e-4},
    {"transport", {32, 32}, {64, 64}, 1. / 32, "outflow", 0, 0, 2},
    {"transport", {32, 24}, {64, 48}, 1. / 32, "drop", 3, 1e-4, 2},
    {"transport", {12, 8, 9}, {25, 17, 19}, 0.03, "value:0", 0, 0, 2},
    {"transport", {12, 8, 9}, {25, 17, 19}, 0.03, "value:0", 3, 1e-4, 2},
    {"poroelastic", {14, 14}, {29, 29}, 1. / 15, "value:0", 3, 1e-4},
    // So long that the pressure's layers at faces, of sqrt(2 t) m or so, are wider than the spacing.
    {"poroelastic", {5, 5, 5}, {11, 11, 11}, 1. / 6, "value:0", 4, 1e-2},
};

// By Crank and Nicolson's steps, and backward differences', on one grid each, which may be small.
const OrderCase in_time[] = {
    {"heat", {10, 9}, {}, 1. / 11, "value:0", 12, 0.4 / 12, 0, {}, "-ts_type cn"},
    {"heat", {6, 5, 4}, {}, 1, "clamp", 6, 0.4 / 6, 0, {}, "-ts_type cn"},
    {"gray_scott", {8, 7}, {}, 0.01, "value:0", 10, 0.04, 0, {}, "-ts_type cn"},
    {"gray_scott", {5, 4, 4}, {}, 0.01, "clamp,value:0,clamp,clamp,value:0,value:0", 10, 0.04},
    {"cahn_hilliard", {8, 7}, {}, 2, "periodic", 10, 0.04, 0, {}, "-ts_type cn"},
    {"cahn_hilliard", {5, 4, 4}, {}, 2, "clamp", 10, 0.04},
    {"transport", {26, 8}, {}, 1. / 27, "value:0", 20, 0.02, 2},
    {"transport", {26, 5, 4}, {}, 1. / 27, "value:0", 20, 0.01, 2, {}, "-ts_type cn"},
    {"poroelastic", {7, 6}, {}, 1. / 8, "value:0", 20, 0.02},
    {"poroelastic", {5, 4, 3}, {}, 1. / 6, "value:0", 20, 0.02},
};

constexpr const char* exactly = "-snes_rtol 1e-12 -ksp_rtol 1e-12 ";

// The solution on a grid of so many nodes, and the manufactured one.
struct Solved {
  Vector u, exact;
};

struct Setting {
  Grid grid;
  Stencil stencil;
  Boundary boundary;
  PdeInput input;

  Setting(const OrderCase& c, const std::vector<std::int64_t>& nodes, double spacing_m) {
    const Pde& pde = find_pde(c.pde);
    const int dimension = static_cast<int>(nodes.size());
    grid.dimension = dimension;
    for (int axis = 0; axis < dimension; ++axis) grid.extents[axis] = nodes[static_cast<std::size_t>(axis)];
    grid.spacing_m = {spacing_m, spacing_m, spacing_m};
    grid.dof = c.dof > 0 ? c.dof : default_dof(pde.discretisation, dimension);
    stencil = make_stencil(default_stencil(pde.discretisation), dimension, 1);
    boundary = parse_boundary(c.sides, dimension);
    input.manufactured = true;
    input.steady = c.steps == 0;
    input.parameters = parameters_of(pde, c.parameters);
  }
};

Solved solve_linear(const OrderCase& c, const Setting& s) {
  const auto layout = share_grid(PETSC_COMM_WORLD, s.grid, s.boundary);
  PdePart part = assemble_pde(c.pde, s.grid, s.stencil, s.boundary, s.input, layout->box());
  const GridOperator a(layout, s.stencil, s.boundary,
                       {std::move(part.system.structure), std::move(part.system.values),
                        std::move(part.system.device_values), std::move(part.system.few_rows)});
  Vector b = a.vector(), u = a.vector(), exact = a.vector();
  b.assign(part.system.rhs);
  exact.assign(part.exact);
  Solver(a, exactly).solve(b, u).or_throw();
  return {std::move(u), std::move(exact)};
}

Solved solve_residual(const OrderCase& c, const Setting& s, int steps) {
  const NodeBox box = share_grid(PETSC_COMM_WORLD, s.grid, s.boundary)->box();
  const ResidualProblem problem =
      residual_of_pde(find_pde(c.pde), s.grid, s.stencil, s.boundary, s.input, box);
  GridResidual f(PETSC_COMM_WORLD, s.grid, s.stencil, s.boundary, problem.residual);
  Vector u = f.vector(), exact = f.vector();
  u.assign(problem.initial);
  const double until_s = c.steps * c.dt_s;
  if (c.steps == 0)
    NonlinearSolver(f, exactly).solve(u).or_throw();
  else
    TimeSolver(f, std::string(exactly) + c.options)
        .run(u, {.until_s = until_s,
                 .dt_s = until_s / steps,
                 .fixed = true,
                 .without_control = problem.without_control})
        .or_throw();
  exact.assign(problem.exact(until_s));
  return {std::move(u), std::move(exact)};
}

double error_on(const OrderCase& c, const std::vector<std::int64_t>& nodes, double spacing_m) {
  const Setting setting(c, nodes, spacing_m);
  Solved solved = find_pde(c.pde).residual ? solve_residual(c, setting, c.steps) : solve_linear(c, setting);
  return solved.u.axpy(-1, solved.exact).norm() / std::sqrt(static_cast<double>(setting.grid.rows()));
}

TEST(Orders, InSpaceAreTwo) {
  for (const OrderCase& c : in_space) {
    SCOPED_TRACE(testing::PrintToString(c));
    const double coarse = error_on(c, c.coarse, c.spacing_m), fine = error_on(c, c.fine, c.spacing_m / 2);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << coarse << " to " << fine;
  }
}

// From what halved steps change at the end, and halved once more.
TEST(Orders, InTimeAreTwo) {
  for (const OrderCase& c : in_time) {
    SCOPED_TRACE(testing::PrintToString(c));
    const Setting setting(c, c.coarse, c.spacing_m);
    std::vector<Vector> ends;
    for (const int steps : {c.steps, 2 * c.steps, 4 * c.steps})
      ends.push_back(solve_residual(c, setting, steps).u);
    const double once = ends[0].axpy(-1, ends[1]).norm(), twice = ends[1].axpy(-1, ends[2]).norm();
    EXPECT_NEAR(std::log2(once / twice), 2, 0.25) << once << " to " << twice;
  }
}

}  // namespace
}  // namespace quadrille
