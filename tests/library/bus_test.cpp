// Steps in time and Newton's iterations where all is on the GPU, as `quadrille solve` makes them: after the
// first ones nothing but numbers crosses the bus, on a grid of any size.
#include <gtest/gtest.h>
#include <quadrille/quadrille.hpp>

#include <array>
#include <string>
#include <utility>

#include "assembly/device_formula.hpp"
#include "assembly/pdes.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "tests/pde_cases.hpp"
#include "tests/petsc_copies.hpp"

namespace quadrille {
namespace {

struct BusCase {
  const char* pde;
  int dimension, dof;
  std::array<std::int64_t, 2> nodes;  // along each axis, of a grid and of one with at least 4 times as many
  double dt_s = 0;                    // of fixed steps; 0: they follow the tolerance
  const char* options = "";
  bool of_fields = false;      // its parameters
  bool moving_source = false;  // of a formula in time, as --source gives it
};

const BusCase steps_of_time[] = {
    {"heat", 3, 1, {40, 80}, 1e-4},
    {"heat", 3, 1, {40, 80}},
    {"gray_scott", 2, 2, {256, 512}},
    {"transport", 3, 3, {24, 48}},
    {"transport", 3, 3, {24, 48}, 1e-4, "-ksp_type gmres -pc_type pbjacobi"},
    {"gray_scott", 2, 2, {256, 512}, 0.5, "-ksp_type gmres -pc_type quadrille_pbjacobi"},
    // PETSc's pbjacobi inverts its blocks on the host; here it does so once.
    {"gray_scott", 2, 2, {256, 512}, 0.5, "-ksp_type gmres -pc_type pbjacobi -snes_lag_preconditioner 1000"},
    {"cahn_hilliard", 2, 2, {128, 256}, 1e-5},
    {"transport", 3, 3, {24, 48}, 1e-3, "", true, true},
    {"gray_scott", 2, 2, {256, 512}, 0.5, "", true},
    {"heat", 3, 1, {40, 80}, 1e-4, "", false, true},
    {"poroelastic",
     3,
     5,
     {20, 40},
     1e-3,
     "-pc_type fieldsplit -pc_fieldsplit_block_size 5 -pc_fieldsplit_type multiplicative "
     "-pc_fieldsplit_0_fields 0,1,2 "
     "-pc_fieldsplit_1_fields 3,4 -fieldsplit_0_pc_type quadrille_mg -fieldsplit_1_pc_type quadrille_mg"},
};

Formula x_times_t() {
  Formula formula;
  const std::int32_t x = formula.add(FormulaOperation::x), t = formula.add(FormulaOperation::t);
  formula.numbers = {formula.add(FormulaOperation::multiply, x, t)};
  return formula;
}

struct Problem {
  GridResidual f;
  Vector u;  // at first
};

Problem problem_of(const BusCase& c, std::int64_t nodes) {
  const Pde& pde = find_pde(c.pde);
  const double h = pde.length_m / static_cast<double>(nodes);
  const Grid grid{c.dimension, {nodes, nodes, c.dimension == 3 ? nodes : 1}, {h, h, h}, c.dof};
  const Stencil stencil = make_stencil(default_stencil(pde.discretisation), c.dimension, 1);
  Boundary boundary;
  boundary.faces.fill({pde.faces.front(), 0});
  const NodeBox box = share_grid(PETSC_COMM_WORLD, grid, boundary)->box();
  PdeInput input;
  input.without_source = c.moving_source;
  if (c.of_fields) add_fields(input, pde, grid);
  const ResidualProblem problem = residual_of_pde(pde, grid, stencil, boundary, input, box);
  GridResidual f(PETSC_COMM_WORLD, grid, stencil, boundary, problem.residual);
  if (problem.near.evaluate) f.precondition_by({PETSC_COMM_WORLD, grid, stencil, boundary, problem.near});
  if (c.moving_source)
    f.subtract([grid, box, formula = x_times_t()](double t_s, Vector& to) {
      const petsc::WriteArray there(to.vec(), SpaceKind::cuda);
      evaluate_on_device(formula, grid, box, grid.dof, t_s, there.data());
    });
  Vector u = f.vector();
  u.assign(problem.initial);
  return {std::move(f), std::move(u)};
}

// With several ranks, what is beside their boxes goes from one to the other.
std::string why_not_on_one_gpu() {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const Problem p = problem_of({"heat", 2, 1, {}}, 4);
  VecType type = nullptr;
  QUADRILLE_PETSC(VecGetType(p.u.vec(), &type));
  if (ranks == 1 && std::string(type) == VECSEQCUDA) return "";
  return std::to_string(ranks) + " ranks with vectors of type " + type;
}

std::int64_t set_ups_so_far() {
  PetscLogEvent event = -1;
  PetscEventPerfInfo info{};
  QUADRILLE_PETSC(PetscLogEventGetId("PCSetUp", &event));
  QUADRILLE_PETSC(PetscLogEventGetPerfInfo(0, event, &info));
  return info.count;
}

// What crosses the bus from one look to the next, where preconditioners may be set up on the way: multigrid's
// set-up reads sums over its levels on the host, a number of each block of threads, and makes tables along
// axes there.
class Bus {
 public:
  Bus() { QUADRILLE_PETSC(PetscLogDefaultBegin()); }
  void begin() {
    before_ = bus_copies();
    set_ups_before_ = set_ups_so_far();
  }
  void look(const std::string& at) {
    const BusCopies crossed = since(before_);
    const std::int64_t set_ups = set_ups_so_far() - set_ups_before_;
    if (set_ups == 0) {
      EXPECT_TRUE(only_numbers(crossed)) << at << ". " << to_string(crossed);
    } else {
      EXPECT_TRUE(only_numbers(crossed.petsc_to_gpu.bytes + crossed.petsc_to_host.bytes))
          << at << ", " << set_ups << " set-ups. " << to_string(crossed);
      bytes_ += bytes_of_ours(crossed);
      set_ups_ += set_ups;
      last_ = to_string(crossed);
    }
    begin();
  }
  double bytes_of_set_up() const {
    return set_ups_ == 0 ? 0 : static_cast<double>(bytes_) / static_cast<double>(set_ups_);
  }
  const std::string& last_with_set_up() const { return last_; }

 private:
  BusCopies before_;
  std::int64_t set_ups_before_ = 0, set_ups_ = 0, bytes_ = 0;
  std::string last_;
};

// Of the smaller grid and the larger one, which has another level and tables of twice the length: a field is
// 4 or 8 times as large.
void expect_no_field(const std::array<Bus, 2>& seen, const Vector& of_larger) {
  const double field = 8.0 * static_cast<double>(of_larger.layout().rows());
  EXPECT_LT(seen[1].bytes_of_set_up(), field / 2) << seen[1].last_with_set_up();
  EXPECT_LE(seen[1].bytes_of_set_up(), 2.5 * seen[0].bytes_of_set_up() + 4096)
      << seen[0].last_with_set_up() << " and, of the larger grid, " << seen[1].last_with_set_up();
}

TEST(InTime, NothingButNumbersCrossesTheBusInSteps_cuda) {
  if (const std::string why = why_not_on_one_gpu(); !why.empty()) GTEST_SKIP() << why;
  constexpr int first = 5, steps = 20;
  for (const BusCase& c : steps_of_time) {
    SCOPED_TRACE(std::string(c.pde) + " " + c.options + (c.dt_s > 0 ? ", fixed steps" : ""));
    std::array<Bus, 2> seen;
    for (int i = 0; i < 2; ++i) {
      Problem p = problem_of(c, c.nodes[i]);
      TimeSolver solver(p.f, c.options);
      int step = 0;
      const auto note = [&](double, const Vector&) {
        if (++step <= first)
          seen[i].begin();
        else
          seen[i].look("step " + std::to_string(step) + " on " + to_string(p.u.layout().grid));
        if (step == steps) solver.stop();
      };
      const TimeResult result =
          solver.run(p.u, {.until_s = find_pde(c.pde).until_s, .dt_s = c.dt_s, .fixed = c.dt_s > 0}, note);
      EXPECT_EQ(step, steps) << result.reason;
      EXPECT_GE(result.krylov_iterations, steps);
      if (i == 1) expect_no_field(seen, p.u);
    }
  }
}

// A second solve, with what the first one set up but for the preconditioner.
TEST(Nonlinear, NothingButNumbersCrossesTheBusInASecondSolve_cuda) {
  if (const std::string why = why_not_on_one_gpu(); !why.empty()) GTEST_SKIP() << why;
  const BusCase c{"bratu", 3, 1, {40, 80}};
  std::array<Bus, 2> seen;
  for (int i = 0; i < 2; ++i) {
    Problem p = problem_of(c, c.nodes[i]);
    NonlinearSolver solver(p.f);
    Vector u = p.u;
    solver.solve(u).or_throw();
    seen[i].begin();
    const NonlinearResult result = solver.solve(p.u).or_throw();
    seen[i].look("a second solve on " + to_string(p.u.layout().grid));
    EXPECT_GE(result.krylov_iterations, 3);
    if (i == 1) expect_no_field(seen, p.u);
  }
}

// The measure itself.
TEST(InTime, WhatCrossesTheBusIsCounted_cuda) {
  if (const std::string why = why_not_on_one_gpu(); !why.empty()) GTEST_SKIP() << why;
  const BusCopies before = bus_copies();
  Vector u = problem_of({"heat", 2, 1, {}}, 64).u;
  EXPECT_GE(since(before).ours_to_gpu.bytes, 8 * u.layout().rows()) << to_string(since(before));
  EXPECT_GT(u.numbers().size(), 0);
  EXPECT_GE(since(before).ours_to_host.bytes, 8 * u.layout().rows()) << to_string(since(before));
  const double* const there = u.values().begin();
  EXPECT_NE(there, nullptr);
  EXPECT_GT(since(before).petsc_to_host.bytes, 0) << to_string(since(before));
  EXPECT_FALSE(only_numbers(since(before)));
}

}  // namespace
}  // namespace quadrille
