// CG with multigrid, by PETSc's PCMG on the levels of the operator and by whole cycles of its own: iterations
// that do not grow with the grid, the order of convergence, and what the options choose.
#include <gtest/gtest.h>
#include <petscksp.h>

#include <array>
#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "grid/error.hpp"
#include "grid/partition.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "manufactured_errors.hpp"
#include "tests/pde_cases.hpp"
#include "tests/petsc_environment.hpp"
#include "tests/sanitized.hpp"
#include "tests/solve_vectors.hpp"

namespace quadrille {
namespace {

const auto* const environment =
    testing::AddGlobalTestEnvironment(new PetscEnvironment(std::vector<std::string>{}));

// An option of PETSc as long as this lives.
class Option {
 public:
  Option(const char* name, const std::string& value) : name_(name) {
    (void)PetscOptionsSetValue(nullptr, name, value.c_str());
  }
  ~Option() { (void)PetscOptionsClearValue(nullptr, name_); }

 private:
  const char* name_;
};

struct Setting {
  std::string pde, sides, stencil = "star", format = "cds";
  int dof = 1;
  bool manufactured = true;
  SpaceKind space = SpaceKind::cpu;
  int radius = 1;
};

struct Solved {
  petsc::KrylovResult result;
  std::size_t levels = 0;     // of PCMG
  std::int64_t coarsest = 0;  // unknowns
  Errors errors;
};

Solved solve(const Setting& s, Grid grid) {
  grid.dof = s.dof;
  const Stencil points = make_stencil(s.stencil, grid.dimension, s.radius);
  const Boundary boundary = parse_boundary(s.sides, grid.dimension);
  PdeInput input;
  input.manufactured = s.manufactured;
  PdeProblem problem = assemble_whole_pde(s.pde, grid, points, boundary, input);
  petsc::register_matrix_type();
  BlockDiagonals<double>& hub = problem.system.hub;
  const bool as_aij = s.format == "petsc_aij";
  const petsc::SharedMat matrix =
      petsc::make_grid_matrix(make_partition(hub.extents, hub.periodic, 1, 0), {hub, std::move(hub.values)},
                              {as_aij ? "cds" : s.format, s.space});
  const petsc::KrylovProblem krylov{as_aij ? petsc::make_aij(matrix.get(), false) : matrix, problem.singular,
                                    matrix, nullptr, "what follows the bare --"};
  std::vector<double> u;
  Solved solved;
  solved.result = solve_vectors(krylov, problem.system.rhs, u);
  // "3 levels down to 9 unknowns, ..." or "1 level of 9 unknowns, ..."
  std::istringstream words(solved.result.multigrid);
  std::size_t levels = 0;
  std::int64_t coarsest = 0;
  std::string word;
  words >> levels >> word >> word;
  if (word == "down") words >> word;
  if (words >> coarsest >> word && word.starts_with("unknowns"))
    solved.levels = levels, solved.coarsest = coarsest;
  if (problem.exact.empty()) return solved;
  solved.errors = errors_against(problem, u, grid, boundary);
  return solved;
}

Grid grid_of(int dimension, std::int64_t n) {
  const double h = 1.0 / static_cast<double>(n);
  return {
      dimension, {n, n * 3 / 4, dimension == 3 ? n / 2 : 1}, {h, h * 4 / 3, dimension == 3 ? 2 * h : 1}, 1};
}

// Of unknowns that have the same faces, for the cycle has one interpolation for all of them. In 3D three
// kinds of faces or, where unknowns couple, one, for the time it takes.
std::vector<PdeCase> mesh_cases() {
  std::vector<PdeCase> all = manufactured_cases();
  std::erase_if(all, [](const PdeCase& c) {
    if (c.dimension == 2) return c.name.ends_with("_every_kind") && !c.pde->discretisation.coupled;
    if (c.pde->discretisation.coupled) return !c.name.ends_with("_value");
    return !c.name.ends_with("_value") && !c.name.ends_with("_clamp") && c.sides != "periodic";
  });
  return all;
}

// As many levels as bring a coefficient that may jump, and a box, too, down to a thousand unknowns; of the
// others, and where unknowns couple, that is the default.
Solved solve_by_levels(const Setting& setting, const Grid& grid, int levels) {
  const Pde& pde = find_pde(setting.pde);
  if (pde.discretisation.coupled || (!pde.takes_coefficient && setting.stencil == "star"))
    return solve(setting, grid);
  const Option option("-pc_mg_levels", std::to_string(levels));
  return solve(setting, grid);
}

void expect_few_iterations(const Solved& s, const PdeCase& c, const std::string& pc) {
  const bool coupled = c.pde->discretisation.coupled;
  EXPECT_TRUE(s.result.converged) << s.result.reason;
  EXPECT_LE(s.result.iterations, (coupled && c.dimension == 3) || ends_by_itself(c) ? 16 : 12);
  EXPECT_LE(s.result.residual, 1.01e-8);
  EXPECT_EQ(s.result.preconditioner, pc);
  if (pc == "quadrille_mg") return;
  EXPECT_GE(s.levels, sanitized ? 2u : 3u);
  EXPECT_LE(s.coarsest, coupled ? 5000 : 1000);
}

class Multigrid : public testing::TestWithParam<PdeCase> {};

TEST_P(Multigrid, IterationsDoNotGrowAndTheOrderIsTheOneDeclared) {
  const PdeCase& c = GetParam();
  const std::int64_t few = (c.dimension == 2 ? 96 : 32) / (sanitized ? 2 : 1);
  for (const std::string pc : {"mg", "quadrille_mg"}) {
    SCOPED_TRACE(pc);
    const Option option("-pc_type", pc);
    const Setting setting{c.pde->name, c.sides, c.stencil, "cds", c.dof};
    const Solved coarse = solve_by_levels(setting, grid_of(c.dimension, few), 3);
    expect_few_iterations(coarse, c, pc);
    if (sanitized) continue;
    const Solved fine = solve_by_levels(setting, grid_of(c.dimension, 2 * few), 4);
    expect_few_iterations(fine, c, pc);
    EXPECT_LE(std::abs(fine.result.iterations - coarse.result.iterations), 2);
    EXPECT_NEAR(std::log(coarse.errors.l2 / fine.errors.l2) /
                    std::log(fine.errors.intervals / coarse.errors.intervals),
                c.pde->order, 0.1);
    RecordProperty(pc,
                   std::to_string(coarse.result.iterations) + ", " + std::to_string(fine.result.iterations));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Multigrid, testing::ValuesIn(mesh_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(MultigridLevels, EveryNumberOfNodesIsCoarsened) {
  for (const char* sides : {"value:0", "clamp", "periodic"})
    for (const char* pc : {"mg", "quadrille_mg"}) {
      const Option option("-pc_type", pc);
      for (const auto& [nx, ny] : {std::pair{101, 77}, {255, 33}, {400, 3}, {1, 1500}}) {
        SCOPED_TRACE(std::string(sides) + " " + pc + " " + std::to_string(nx) + "x" + std::to_string(ny));
        const Solved s = solve({"poisson", sides}, {2, {nx, ny, 1}, {1, 1, 1}, 1});
        EXPECT_TRUE(s.result.converged) << s.result.reason;
        EXPECT_LE(s.result.iterations, 14);
      }
    }
}

TEST(MultigridLevels, AreAsManyAsAsked) {
  const Grid grid{2, {40, 24, 1}, {1, 1, 1}, 1};
  const Option mg("-pc_type", "mg");
  for (const int levels : {1, 2, 4, 6}) {
    const Option option("-pc_mg_levels", std::to_string(levels));
    const Solved s = solve({"poisson", "clamp"}, grid);
    EXPECT_EQ(s.levels, static_cast<std::size_t>(levels));
    EXPECT_TRUE(s.result.converged) << s.result.reason;
  }
  const Option option("-pc_mg_levels", "9");
  try {
    solve({"poisson", "clamp"}, grid);
    ADD_FAILURE() << "nine levels were made";
  } catch (const PetscOptionError& error) {
    EXPECT_NE(std::string(error.what()).find("-pc_mg_levels 9"), std::string::npos) << error.what();
  }
}

TEST(MultigridLevels, WrongOptionsAreNamed) {
  const Grid grid{2, {20, 20, 1}, {1, 1, 1}, 1};
  const Option mg("-pc_type", "mg");
  for (const auto& [name, value] :
       {std::pair("-pc_mg_levels", "0"), {"-pc_mg_galerkin", "nosuch"}, {"-pc_mg_galerkin", "none"}}) {
    const Option option(name, value);
    EXPECT_THROW(solve({"poisson", "clamp"}, grid), PetscOptionError) << name << " " << value;
  }
}

TEST(MultigridLevels, TakeEveryFormat) {
  const Option mg("-pc_type", "mg");
  const Grid grid{2, {48, 36, 1}, {1, 1, 1}, 1};
  int fewest = 1000, most = 0;
  for (const FormatEntry& entry : petsc::all_products()) {
    if (entry.space != SpaceKind::cpu || !entry.make_fp64) continue;
    const Solved s = solve({"poisson", "value:0,clamp,periodic,periodic", "star", entry.name, 2}, grid);
    EXPECT_TRUE(s.result.converged) << entry.name << ": " << s.result.reason;
    fewest = std::min(fewest, s.result.iterations), most = std::max(most, s.result.iterations);
  }
  EXPECT_LE(most - fewest, 1);
}

TEST(MultigridLevels, TakeEveryFormat_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Grid grid{2, {48, 36, 1}, {1, 1, 1}, 1};
  for (const char* pc : {"mg", "quadrille_mg"}) {
    const Option option("-pc_type", pc);
    const Setting on_cpu{"poisson", "value:0,clamp,periodic,periodic", "star", "cds", 2};
    const int expected = solve(on_cpu, grid).result.iterations;
    for (const FormatEntry& entry : petsc::all_products()) {
      if (entry.space != SpaceKind::cuda || !entry.make_fp64) continue;
      Setting setting = on_cpu;
      setting.format = entry.name;
      setting.space = SpaceKind::cuda;
      const Solved s = solve(setting, grid);
      EXPECT_TRUE(s.result.converged) << entry.name << ": " << s.result.reason;
      EXPECT_LE(std::abs(s.result.iterations - expected), 1) << entry.name;
    }
  }
}

// Interpolation that follows the operator: CG with Jacobi needs hundreds to thousands of iterations.
TEST(MultigridLevels, JumpsOfAMillionConverge) {
  const Option mg("-pc_type", "mg");
  for (const char* sides : {"value:0", "clamp", "periodic"})
    for (const auto& [dimension, n, levels] : {std::array{2, 64, 3}, {2, 131, 4}, {3, 32, 3}}) {
      if (sanitized && n > 64) continue;
      SCOPED_TRACE(std::string(sides) + ", " + std::to_string(n));
      const Option option("-pc_mg_levels", std::to_string(levels));
      const Solved s = solve({"diffusion", sides, "star", "cds", 1, false},
                             {dimension, {n, n, dimension == 3 ? n : 1}, {1, 1, 1}, 1});
      EXPECT_TRUE(s.result.converged) << s.result.reason;
      EXPECT_LE(s.result.iterations, 25);
      EXPECT_LE(s.result.residual, 2e-6);  // what rounding leaves
    }
}

// A coarsest grid that is small takes twice the iterations here. What rounding leaves of the constants is
// kept from the direct solver: CG takes the preconditioner for indefinite otherwise.
TEST(MultigridLevels, TheCoarsestGridIsLargeWhereCoefficientsJump) {
  for (const char* pc : {"mg", "quadrille_mg"})
    for (const char* sides : {"value:0", "clamp"})
      for (const auto& [dimension, n] : {std::pair{2, 260}, {3, 40}}) {
        if (sanitized && dimension == 3) continue;
        SCOPED_TRACE(std::string(pc) + " " + sides + ", " + std::to_string(dimension) + "D");
        const Option option("-pc_type", pc);
        const Solved s = solve({"diffusion", sides, "star", "cds", 1, false},
                               {dimension, {n, n + 10, dimension == 3 ? n + 1 : 1}, {1, 1, 1}, 1});
        EXPECT_TRUE(s.result.converged) << s.result.reason;
        EXPECT_LE(s.result.iterations, 17);
        if (pc == std::string("quadrille_mg")) continue;
        EXPECT_GE(s.levels, 2u);
        EXPECT_GT(s.coarsest, 1000);
        EXPECT_LE(s.coarsest, dimension == 2 ? 16000 : 5000);
      }
}

// Of couplings further than neighbours, by their neighbour form.
TEST(MultigridLevels, OfWideStars) {
  for (const char* pc : {"mg", "quadrille_mg"})
    for (const int radius : {2, 4}) {
      SCOPED_TRACE(std::string(pc) + " " + std::to_string(radius));
      const Option option("-pc_type", pc);
      Setting wide{"poisson", "periodic"};
      wide.radius = radius;
      const Solved s = solve(wide, {3, {40, 30, 24}, {1, 1, 1}, 1});
      EXPECT_TRUE(s.result.converged) << s.result.reason;
      EXPECT_LE(s.result.iterations, 11);
    }
}

// What is taken where no option says.
TEST(MultigridLevels, AreTheDefault) {
  const Grid grid{2, {48, 36, 1}, {1, 1, 1}, 1};
  EXPECT_EQ(solve({"poisson", "clamp"}, grid).result.preconditioner, "quadrille_mg");
  EXPECT_EQ(solve({"poisson", "clamp", "star", "petsc_aij"}, grid).result.preconditioner, "mg");
}

}  // namespace
}  // namespace quadrille
