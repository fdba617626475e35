// How fast cycles converge, on the CPU; those of the GPU are the same (cycle_test.cpp).
#include <numbers>

#include "assembly/pdes.hpp"
#include "cases.hpp"
#include "kernels/multigrid/level_rows.hpp"
#include "tests/sanitized.hpp"
#include "tests/whole_pde.hpp"

namespace quadrille::multigrid_test {
namespace {

void expect_fast(const Hub& a, const GridMultigridOptions& options, double factor, const std::string& name) {
  Cycle m(a, options);
  EXPECT_LE(error_factor(a, m), factor) << name;
  EXPECT_LE(cg_iterations(a, m), 8) << name;
}

// Even, odd and prime numbers of nodes, from few to many, with every kind of face.
TEST(GridMultigridConvergence, PoissonDoesNotDependOnTheGrid) {
  for (const char* sides :
       {"value:0", "clamp", "periodic", "value:0,clamp,periodic,periodic", "clamp,clamp,value:0,value:1"})
    for (const auto& [nx, ny] : {std::pair(8, 8), {17, 19}, {32, 32}, {61, 58}}) {
      const Grid grid = grid_of({nx, ny, 1});
      const double factor = sides == std::string("value:0") || sides == std::string("periodic") ? 0.15 : 0.35;
      expect_fast(poisson(grid, sides), down_to(20), factor, to_string(grid) + " " + sides);
    }
  // With two nodes of each coarse grid closer together than the others.
  expect_fast(poisson(grid_of({257, 129, 1}), "periodic"), down_to(20), 0.15, "257x129");
  for (const char* sides : {"value:0", "clamp", "periodic", "value:0,clamp,periodic,periodic,clamp,clamp"})
    for (const std::array<std::int64_t, 3>& n :
         {std::array<std::int64_t, 3>{6, 5, 7}, {8, 8, 8}, {16, 17, 16}}) {
      const Grid grid = grid_of(n);
      const double factor = sides == std::string("value:0") || sides == std::string("periodic") ? 0.2 : 0.3;
      expect_fast(poisson(grid, sides), down_to(30), factor, to_string(grid) + " " + sides);
    }
}

// By their neighbour form, which is as good as the operator to a factor.
TEST(GridMultigridConvergence, WideStars) {
  for (const char* sides : {"value:0", "periodic", "value:0,value:1,periodic,periodic,value:0,value:0"})
    for (const int radius : {2, 3, 4}) {
      SCOPED_TRACE(std::string(sides) + ", radius " + std::to_string(radius));
      for (const Grid& grid : {grid_of({61, 48, 1}), grid_of({16, 17, 20})}) {
        if (grid.dimension == 2 && std::string(sides).size() > 20) continue;
        const Hub a = poisson(grid, sides, "star", radius);
        Cycle m(a, down_to(30));
        EXPECT_LE(cg_iterations(a, m), 11) << to_string(grid);
      }
    }
}

// A body turns at the faces where it ends: their nodes are on coarser grids, too, where interpolation from
// those before would hold it. With moduli that are numbers, or fields; not so where nothing turns.
TEST(GridMultigridConvergence, BodiesThatEndByThemselves) {
  const std::string ends_2d = "value:0,flux:0,flux:0,flux:0", ends = ends_2d + ",flux:0,flux:0";
  const auto body = [](const Grid& grid, const std::string& sides, double more) {
    PdeInput input;
    if (more > 0) {
      Array<double> mu(grid.nodes());
      for (std::int64_t i = 0; i < mu.size(); ++i)
        mu[i] = 1 + more * std::sin(0.1 * static_cast<double>(i % grid.extents[0]));
      input.fields.emplace_back("mu", std::make_shared<const Array<double>>(std::move(mu)));
    }
    return assemble_whole_pde("elasticity", grid, box_stencil(grid.dimension, 1),
                              parse_boundary(sides, grid.dimension), input)
        .system.hub;
  };
  for (const double more : {0.0, 0.5})
    for (const auto& [n, most] : {std::pair(std::array<std::int64_t, 3>{64, 64, 1}, 14),
                                  {{40, 61, 1}, 16},
                                  {{42, 66, 1}, 15},
                                  {{16, 16, 16}, 14},
                                  {{22, 26, 18}, 14},
                                  {{24, 20, 17}, 15}}) {
      Grid grid = grid_of(n);
      grid.dof = grid.dimension;
      Cycle m(body(grid, grid.dimension == 2 ? ends_2d : ends, more), down_to(100));
      EXPECT_EQ(m.info().levels[1].extents[1], n[1] / 2 + 1) << to_string(grid);
      EXPECT_LE(cg_iterations(body(grid, grid.dimension == 2 ? ends_2d : ends, more), m), most)
          << to_string(grid) << " " << more;
    }
  // Faces that meet others say what they are on the coarsest grids, too.
  Grid strip = grid_of({192, 192, 1});
  strip.dof = 2;
  const Hub a = body(strip, "value:1,value:1,flux:3,flux:3", 0);
  Cycle of_strip(a, down_to(300));
  for (std::size_t level = 1; level < of_strip.info().levels.size(); ++level)
    EXPECT_EQ(of_strip.info().levels[level].extents[1], (192 >> level) + 1) << level;
  EXPECT_LE(cg_iterations(a, of_strip), 11);
  Grid grid = grid_of({16, 16, 16});
  grid.dof = 3;
  for (const char* sides : {"value:0", "drop,drop,periodic,periodic,value:0,value:0"}) {
    Cycle m(body(grid, sides, 0), down_to(100));
    EXPECT_EQ(m.info().levels[1].extents, (std::array<std::int64_t, 3>{8, 8, 8})) << sides;
  }
  const Hub even = assemble<double>(grid, star_stencil(3, 1), parse_boundary("clamp", 3),
                                    laplacian(grid, star_stencil(3, 1)))
                       .hub;
  Cycle m(even, down_to(100));
  EXPECT_EQ(m.info().levels[1].extents, (std::array<std::int64_t, 3>{8, 8, 8}));
}

// So are those that some unknowns see a value behind and others do not, where interpolation would suit one
// of them alone; also where such faces meet.
TEST(GridMultigridConvergence, FacesThatHoldSomeUnknowns) {
  const std::string x = "robin:1,0,0/flux:0", y = "flux:0/robin:1,0,0", of_z = "flux:0/flux:0/robin:1,0,0";
  struct Case {
    const char* pde;
    NodePosition n;
    std::string sides;
    int most;
  };
  for (const Case& c : std::vector<Case>{
           {"elasticity", {64, 64, 1}, y + "," + y + ",flux:0,drop", 12},
           {"elasticity", {64, 48, 1}, x + ",flux:0," + y + ",flux:0", 14},
           {"elasticity", {32, 32, 32}, x + "/flux:0,flux:0," + y + "/flux:0,flux:0," + of_z + ",flux:0", 14},
           {"elasticity",
            {32, 24, 32},
            x + "/flux:0," + x + "/flux:0," + y + "/flux:0," + y + "/flux:0," + of_z + "," + of_z,
            11},
           {"poisson", {32, 32, 32}, "value:1/clamp,clamp/value:0,value:0,value:0,drop,drop", 9}}) {
    Grid grid = grid_of(c.n);
    const Pde& pde = find_pde(c.pde);
    grid.dof = pde.discretisation.unknown_per_axis ? grid.dimension : 2;
    const PdeProblem part = assemble_whole_pde(
        c.pde, grid, make_stencil(pde.discretisation.coupled ? "box" : "star", grid.dimension, 1),
        parse_boundary(c.sides, grid.dimension), {});

    const auto& hub = part.system.hub;
    Cycle m(hub, down_to(100));
    EXPECT_LE(cg_iterations(hub, m), c.most) << c.pde << " " << c.sides;
  }
}

// Beams and plates bend, which grids of a few nodes across do not show: solved exactly early, by default.
TEST(GridMultigridConvergence, SlenderBodies) {
  for (const auto& [n, most] : {std::pair(NodePosition{200, 4, 4}, 18),
                                {{80, 11, 11}, 20},
                                {{600, 2, 1}, 9},
                                {{80, 6, 6}, 16},
                                {{90, 10, 10}, 17},
                                {{600, 10, 1}, 16},
                                {{48, 48, 4}, 20},
                                {{40, 36, 3}, 20},
                                {{50, 50, 2}, 29}}) {
    Grid grid = grid_of(n);
    grid.dof = grid.dimension;
    const PdeProblem part =
        assemble_whole_pde("elasticity", grid, box_stencil(grid.dimension, 1),
                           parse_boundary(grid.dimension == 2 ? "value:0,flux:0,flux:0,flux:0"
                                                              : "value:0,flux:0,flux:0,flux:0,flux:0,flux:0",
                                          grid.dimension),
                           {});

    const auto& hub = part.system.hub;
    Cycle m(hub, {});
    EXPECT_LE(cg_iterations(hub, m), most) << to_string(grid);
  }
}

// Where an axis is so short that all of its nodes are near a face, rows tell of the other axes.
TEST(GridMultigridConvergence, JumpsOnGridsOfFewNodesAcross) {
  for (const NodePosition& n : std::vector<NodePosition>{
           {300, 4, 1}, {3, 300, 1}, {300, 2, 1}, {40, 40, 3}, {4, 4, 150}, {2, 60, 30}})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Grid grid = grid_of(n);
      PdeInput input;
      input.seed = seed;
      const PdeProblem part = assemble_whole_pde("diffusion", grid, star_stencil(grid.dimension, 1),
                                                 parse_boundary("clamp", grid.dimension), input);

      const auto& hub = part.system.hub;
      Cycle m(hub, down_to(100));
      EXPECT_LE(cg_iterations(hub, m), 18) << to_string(grid) << " " << seed;
    }
  for (const NodePosition& n : std::vector<NodePosition>{{300, 3, 1}, {40, 40, 2}, {4, 4, 150}}) {
    const Hub even = poisson(grid_of(n), "value:0", "star");
    Cycle m(even, down_to(100));
    EXPECT_FALSE(m.info().levels.front().by_operator);
  }
}

// Half-way around a periodic axis a coupling leads both ways.
TEST(GridMultigridConvergence, WideStarsAroundShortAxes) {
  for (const auto& [extents, radius] : {std::pair(std::array<std::int64_t, 3>{4, 40, 1}, 2),
                                        {{40, 4, 1}, 2},
                                        {{4, 4, 4}, 2},
                                        {{4, 5, 1}, 2},
                                        {{6, 7, 1}, 3},
                                        {{4, 6, 8}, 3},
                                        {{4, 4, 1}, 4},
                                        {{8, 6, 1}, 4},
                                        {{2, 2, 9}, 2}}) {
    const Grid grid = grid_of(extents);
    SCOPED_TRACE(to_string(grid) + ", radius " + std::to_string(radius));
    const Hub a = poisson(grid, "periodic", "star", radius);
    Cycle m(a, down_to(8));
    Vector x = noise(a.rows(), 1), y = noise(a.rows(), 2);
    remove_means(x, 1), remove_means(y, 1);
    const Vector mx = m(x), my = m(y);
    EXPECT_NEAR(dot(mx, y), dot(x, my), 1e-5 * norm(mx) * norm(y));
    EXPECT_LE(cg_iterations(a, m), 14);
  }
}

TEST(GridMultigridConvergence, AxesOfOneNode) {
  for (const std::array<std::int64_t, 3>& n : {std::array<std::int64_t, 3>{1, 1, 1},
                                               {40, 1, 1},
                                               {1, 37, 1},
                                               {1, 1, 40},
                                               {1, 31, 30},
                                               {30, 1, 17},
                                               {19, 22, 1}})
    for (const char* sides : {"value:0", "clamp"}) {
      if (n[0] * n[1] * n[2] == 1 && std::string(sides) == "clamp") continue;  // zero
      const Grid grid{3, n, {1, 1, 1}, 1};
      EXPECT_LE(error_factor(poisson(grid, sides), down_to(8)), 0.25) << to_string(grid) << " " << sides;
    }
}

TEST(GridMultigridConvergence, SinglePrecisionAndKindsOfCycles) {
  const Hub a = poisson(grid_of({40, 37, 1}), "value:0");
  const double v = error_factor(a, down_to(20)), single = error_factor(a, down_to(20, CyclePrecision::fp32));
  EXPECT_NEAR(v, single, 1e-3);
  GridMultigridOptions options = down_to(20);
  options.cycle = CycleKind::w;
  EXPECT_LT(error_factor(a, options), v + 1e-3);
  options = down_to(20);
  options.sweeps = 1;
  const double one = error_factor(a, options);
  EXPECT_LE(one, 0.4);
  EXPECT_GT(one, v);
  options.sweeps = 3;
  EXPECT_LT(error_factor(a, options), v);
}

// A smooth solution of -lap u = f at the nodes, and h^2 f, for faces that hold zero.
struct SmoothSolution {
  explicit SmoothSolution(const Grid& grid)
      : u(static_cast<std::size_t>(grid.rows())), b(static_cast<std::size_t>(grid.rows())) {
    const auto& n = grid.extents;
    for (std::int64_t i = 0; i < grid.rows(); ++i) {
      const std::int64_t at[] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
      double eigenvalue = 0;
      u[i] = 1;
      for (int axis = 0; axis < grid.dimension; ++axis) {
        const double k = (axis + 1) * std::numbers::pi / static_cast<double>(n[axis] + 1);
        u[i] *= std::sin(k * static_cast<double>(at[axis] + 1));
        eigenvalue += k * k;
      }
      b[i] = eigenvalue * u[i];
    }
  }
  Vector u, b;
};

GridMultigridOptions full_cycles(int sweeps = 2) {
  GridMultigridOptions options = down_to(30);
  options.cycle = CycleKind::f;
  options.sweeps = sweeps;
  return options;
}

// Without any iteration after it; of one sweep a cycle would be too weak for that.
TEST(GridMultigridConvergence, TheErrorOfOneFullCycleFallsWithOrderTwo) {
  const auto error = [](const std::array<std::int64_t, 3>& n) {
    const Grid grid = grid_of(n);
    const SmoothSolution smooth(grid);
    return distance(Cycle(poisson(grid, "value:0"), full_cycles())(smooth.b), smooth.u);
  };
  const double flat[] = {error({31, 31, 1}), error({63, 63, 1}), error({127, 127, 1})};
  EXPECT_NEAR(std::log2(flat[0] / flat[1]), 2, 0.2);
  EXPECT_NEAR(std::log2(flat[1] / flat[2]), 2, 0.2);
  if (!sanitized) {
    EXPECT_NEAR(std::log2(error({31, 31, 31}) / error({63, 63, 63})), 2, 0.2);
  }
}

// One full cycle comes as near to the solution of the PDE as the exact solve of the equations does; a V cycle
// does not.
TEST(GridMultigridConvergence, OneFullCycleSolvesToTheDiscretisationError) {
  for (const std::array<std::int64_t, 3>& n :
       {std::array<std::int64_t, 3>{63, 63, 1}, {128, 128, 1}, {100, 61, 1}, {31, 31, 31}, {32, 30, 33}})
    for (const int sweeps : {1, 2}) {
      const Grid grid = grid_of(n);
      if (sanitized && grid.rows() > 4000) continue;
      SCOPED_TRACE(to_string(grid) + ", sweeps " + std::to_string(sweeps));
      const Hub a = poisson(grid, "value:0");
      const SmoothSolution smooth(grid);
      const Vector &u = smooth.u, &b = smooth.b;
      GridMultigridOptions options = down_to(30);
      options.sweeps = sweeps;
      Vector exact(a.rows());
      Cycle v(a, options);
      const Product product(a);
      for (int i = 0; i < 40; ++i) {
        const Vector left = product(exact);
        Vector r = b;
        for (std::size_t k = 0; k < r.size(); ++k) r[k] -= left[k];
        const Vector more = v(r);
        for (std::size_t k = 0; k < r.size(); ++k) exact[k] += more[k];
      }
      Cycle full(a, full_cycles(sweeps));
      const double discretisation = distance(exact, u);
      EXPECT_LE(distance(full(b), u), (sweeps == 1 ? 2.0 : 1.5) * discretisation);
      EXPECT_GE(distance(v(b), u), 3 * discretisation);
    }
}

// Each in an order that lets rounding grow by less than two: by size, 80 sweeps made 1e9 of it.
TEST(GridMultigridConvergence, ManySweepsOfChebyshevStayStable) {
  const Hub a = poisson(grid_of({24, 24, 1}), "value:0");
  for (const int sweeps : {5, 40, 80, 201})
    for (const CyclePrecision precision : {CyclePrecision::fp64, CyclePrecision::fp32}) {
      GridMultigridOptions options = down_to(30, precision);
      options.sweeps = sweeps;
      EXPECT_LE(cg_iterations(a, options), 4) << sweeps;
    }
}

TEST(GridMultigridConvergence, SweepsAreOrderedForStability) {
  using multigrid::chebyshev_weights;
  EXPECT_EQ(multigrid::stable_order(1), (std::vector<int>{0}));
  EXPECT_EQ(multigrid::stable_order(2), (std::vector<int>{0, 1}));  // those of two sweeps were tuned
  for (const int sweeps : {3, 4, 5, 31, 32, 100, 333}) {
    std::vector<int> sorted = multigrid::stable_order(sweeps);
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < sweeps; ++i) EXPECT_EQ(sorted[i], i);
    const std::vector<double> weights = chebyshev_weights<double>(1, 0.25, sweeps);
    for (double eigenvalue = 0; eigenvalue <= 1; eigenvalue += 1.0 / 256) {
      double from_front = 1, from_behind = 1;
      for (int i = 0; i < sweeps; ++i) {
        from_front *= 1 - weights[i] * eigenvalue;
        from_behind *= 1 - weights[sweeps - 1 - i] * eigenvalue;
        ASSERT_LE(std::max(std::abs(from_front), std::abs(from_behind)), 2) << sweeps << ", " << i;
      }
    }
  }
}

// The numbers of D and D^-1 are none of fp32 there.
TEST(GridMultigridConvergence, CoefficientsBeyondTheRangeOfFp32) {
  for (const int dof : {1, 2})
    for (const double h : {1.0, 1e-20, 1e20}) {
      SCOPED_TRACE(std::to_string(dof) + " unknowns, " + std::to_string(h));
      const Hub a = poisson(grid_of({40, 40, 1}, {h, h, 1}, dof), "value:0");
      Cycle m(a, down_to(60, CyclePrecision::as_suits)),
          told(a, down_to(60, h == 1 ? CyclePrecision::fp32 : CyclePrecision::fp64));
      EXPECT_EQ(m.info().beyond_fp32, h != 1);
      const std::string text = describe(m.info()), why = ", for the coefficients leave the range of fp32";
      EXPECT_NE(text.find(h == 1 ? " in fp32" : " in fp64" + why), std::string::npos) << text;
      EXPECT_EQ(describe(told.info()), text.substr(0, text.find(why)));
      EXPECT_LE(cg_iterations(a, m), 7);
      const Vector b = noise(a.rows(), 1);
      EXPECT_EQ(m(b), told(b));
    }
}

struct Spaced {
  std::array<double, 3> spacing_m;
  std::array<bool, 3> halved_first;  // the others only after them
};

TEST(GridMultigridConvergence, UnequalSpacingsHalveTheStrongAxesFirst) {
  for (const Spaced& s :
       {Spaced{{1, 1, 0.1}, {false, false, true}}, Spaced{{1, 1, 0.01}, {false, false, true}},
        Spaced{{1, 0.1, 0.01}, {false, false, true}}, Spaced{{0.1, 1, 0.1}, {true, false, true}}}) {
    const std::array<std::int64_t, 3> n{20, 19, 24};
    Cycle m(poisson(grid_of(n, s.spacing_m), "value:0"), down_to(30));
    const GridLevelInfo& second = m.info().levels[1];
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(second.extents[axis] < n[axis], s.halved_first[axis]) << "axis " << axis;
    EXPECT_TRUE(m.info().levels[0].spares_weak_axes);
    const Hub a = poisson(grid_of(n, s.spacing_m), "value:0");
    EXPECT_LE(error_factor(a, m), 0.25) << s.spacing_m[1] << " " << s.spacing_m[2];
    GridMultigridOptions options = down_to(30);
    options.semi_coarsening = false;
    EXPECT_GT(error_factor(a, options), 0.5);
  }
}

// At the share of the strongest axis' couplings from which on an axis is halved: not what rounding makes of
// it.
TEST(GridMultigridConvergence, SpacingsOfOneToTwoAreUnequal) {
  const std::array<std::int64_t, 3> n{20, 24, 24};
  for (const double h : {1.0, 0.3, 7.0})
    for (const Spaced& s :
         {Spaced{{h, h / 2, h / 2}, {false, true, true}}, Spaced{{h, h, h / 2}, {false, false, true}}}) {
      const Hub a = poisson(grid_of(n, s.spacing_m), "value:0");
      Cycle m(a, down_to(30));
      EXPECT_EQ(m.info().levels[0].halved, s.halved_first) << h;
      EXPECT_LE(error_factor(a, m), 0.2) << h;
    }
}

TEST(GridMultigridConvergence, JumpsInTheCoefficients) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    EXPECT_LE(cg_iterations(jumping(grid_of({40, 37, 1}), "value:0", seed), down_to(60)), 30);
    EXPECT_LE(cg_iterations(jumping(grid_of({20, 19, 18}), "value:0", seed), down_to(200)), 40);
  }
  // Weaker ones, which the linear interpolation does not see either.
  const Hub a = jumping(grid_of({40, 37, 1}), "value:0", 4, 1e3);
  GridMultigridOptions options = down_to(60);
  const int by_operator = cg_iterations(a, options);
  options.interpolation = LevelInterpolation::linear;
  EXPECT_LT(by_operator, cg_iterations(a, options));
}

// Along an axis of four nodes or less no row is far from a face, so that none tells of jumps: the level
// before did.
TEST(GridMultigridConvergence, JumpsOnThinGrids) {
  for (const char* sides : {"value:0", "clamp,clamp,clamp,clamp,value:0,value:0"}) {
    const Hub a = jumping(grid_of({20, 33, 11}, {1, 1, 0.1}), sides, 5);
    Cycle m(a, down_to(600));
    for (std::size_t i = 0; i + 1 < m.info().levels.size(); ++i)
      EXPECT_TRUE(m.info().levels[i].by_operator) << sides << " " << i;
    EXPECT_LE(m.info().levels.back().extents[2], 2) << sides;
    EXPECT_LE(cg_iterations(a, m), 24) << sides;
  }
}

// Around an axis of three or four nodes that couple far more strongly than all others.
TEST(GridMultigridConvergence, FewNodesAroundAStrongAxis) {
  for (const std::int64_t around : {6, 7, 12}) {
    const Grid grid = grid_of({20, 26, around}, {1, 1, 0.01});
    for (const char* sides : {"periodic", "value:0,value:0,clamp,clamp,periodic,periodic"}) {
      const Hub a = poisson(grid, sides);
      Cycle m(a, down_to(60));
      EXPECT_EQ(m.info().levels.back().extents[2], 1) << sides << around;
      EXPECT_LE(cg_iterations(a, m), 9) << sides << around;
    }
  }
}

// A sum of the rows that is the same everywhere is no reason for an interpolation that follows the operator,
// nor for a large coarsest grid; one that is not is.
TEST(GridMultigridConvergence, StepsInTime) {
  const Grid grid = grid_of({16, 32, 24});
  int round = 0;
  for (const double shift : {0.1, 1.0, 10.0, 1e4})
    for (const char* sides : {"value:0", "clamp", "periodic"}) {
      if (round++ % 5 != 0 && sanitized) continue;
      Hub everywhere = poisson(grid, sides), somewhere = poisson(grid, sides);
      for (std::int64_t row = 0; row < grid.rows(); ++row) {
        entry(everywhere, centre_of(everywhere), 0, row) += shift;
        if (row % grid.extents[0] < 10) entry(somewhere, centre_of(somewhere), 0, row) += shift;
      }
      Cycle m(everywhere, {});
      for (const GridLevelInfo& level : m.info().levels)
        EXPECT_FALSE(level.by_operator) << shift << " " << sides << " " << level.extents[0];
      EXPECT_LE(m.info().levels.back().extents[0], 8) << shift << sides;
      EXPECT_LE(cg_iterations(everywhere, m), 8) << shift << sides;
      Cycle of_some(somewhere, down_to(100));
      EXPECT_EQ(of_some.info().levels[0].by_operator, shift >= 10) << shift << sides;
      EXPECT_LE(cg_iterations(somewhere, of_some), 11) << shift << sides;  // linear weights take 2 more
    }
}

// Two regions of large coefficients, one of which bends around a corner that the other one touches: both must
// be free to be constant on the coarsest grid, which has one node in each of their blocks.
TEST(GridMultigridConvergence, JumpsAroundACorner) {
  const Grid grid = grid_of({32, 32, 32});
  const std::vector<std::array<std::int64_t, 3>> regions{{1, 1, 1}, {2, 2, 1}, {2, 2, 2}, {2, 1, 2}};
  for (const std::uint64_t seed : {1, 4, 6}) {
    Array<double> a = log_normal_field(grid, seed, 1, 1);
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const std::array<std::int64_t, 3> block{i % 32 / 8, i / 32 % 32 / 8, i / 32 / 32 / 8};
      if (std::find(regions.begin(), regions.end(), block) != regions.end()) a[i] *= 1e6;
    }
    EXPECT_LE(error_factor(diffusion_of(grid, "value:0", std::move(a)), down_to(64)), 0.5) << seed;
  }
}

// Which axes are halved is the matter of most nodes, not of the largest coefficients.
TEST(GridMultigridConvergence, FewLargeCoefficientsChooseNoAxis) {
  const Grid grid = grid_of({40, 37, 1});
  Hub a = poisson(grid, "value:0");
  const auto stronger = [&](std::int64_t row, std::int64_t offset, double by) {
    for (std::int64_t d = 0; d < a.diagonals(); ++d)
      if (a.offsets[d] == NodeOffset{static_cast<std::int32_t>(offset), 0, 0}) entry(a, d, 0, row) -= by;
    entry(a, centre_of(a), 0, row) += by;
  };
  for (const std::int64_t row : {407, 811}) {
    stronger(row, 1, 1e6);
    stronger(row + 1, -1, 1e6);
  }
  Cycle m(a, down_to(60));
  EXPECT_EQ(m.info().levels[1].extents, (std::array<std::int64_t, 3>{20, 18, 1}));
  EXPECT_LE(error_factor(a, m), 0.5);
}

TEST(GridMultigridConvergence, SeveralUnknowns) {
  EXPECT_LE(error_factor(elastic(grid_of({32, 29, 1}, {1, 1, 1}, 2), "value:0"), down_to(60)), 0.35);
  EXPECT_LE(error_factor(elastic(grid_of({14, 13, 12}, {1, 1, 1}, 3), "value:0"), down_to(200)), 0.35);
  EXPECT_LE(error_factor(elastic(grid_of({24, 24, 1}, {1, 1, 1}, 2), "periodic"), down_to(60)), 0.35);
  for (const int dof : {2, 3, 5, 8})
    EXPECT_LE(error_factor(coupled(grid_of({20, 23, 1}, {1, 1, 1}, dof), "value:0"), down_to(20 * dof)), 0.2)
        << dof;
  for (const char* stencil : {"star", "box"})
    EXPECT_LE(bicgstab_iterations(dominant_blocks(grid_of({9, 10, 8}, {1, 1, 1}, 5), stencil, "value:0", 1.5),
                                  down_to(100)),
              10)
        << stencil;
}

// Whatever the rates are, and as well as with the whole of P^T A P.
TEST(GridMultigridConvergence, KindsThatReact) {
  int round = 0;
  for (const double rate : {1e-3, 0.1, 1.0, 10.0, 1e3})
    for (const char* sides : {"value:0", "value:0,clamp,periodic,periodic"})
      for (const bool both_ways : {true, false}) {
        if (round++ % 7 != 0 && sanitized) continue;
        SCOPED_TRACE(std::to_string(rate) + " " + sides + (both_ways ? ", both ways" : ", a chain"));
        const Hub a = reacting(grid_of({33, 40, 1}, {1, 1, 1}, 4), sides, rate, both_ways);
        GridMultigridOptions options = down_to(100);
        const int by_kind = bicgstab_iterations(a, options);
        options.coarse_operators = CoarseOperators::galerkin;
        EXPECT_LE(by_kind, bicgstab_iterations(a, options) + 1);
        EXPECT_LE(by_kind, both_ways ? 32 : 8);  // neighbours have quite other rates
      }
}

TEST(GridMultigridConvergence, Convection) {
  for (const std::array<double, 3>& v : {std::array<double, 3>{0.1, 0.2, 0}, {1, -0.5, 0}, {3, 2, 0}})
    EXPECT_LE(bicgstab_iterations(convection(grid_of({40, 33, 1}), "value:0", v), down_to(30)), 15) << v[0];
  EXPECT_LE(bicgstab_iterations(convection(grid_of({16, 15, 14}), "value:0", {1, 0, -1}), down_to(60)), 12);
  EXPECT_LE(error_factor(convection(grid_of({40, 33, 1}), "value:0", {0.1, 0.2, 0}), down_to(30)), 0.3);
}

// Where it is half of the couplings or less, and the same everywhere, weights are linear, and levels go on.
TEST(GridMultigridConvergence, AdvectionThatIsTheSameEverywhere) {
  const Hub weak = central_convection(grid_of({32, 36, 30}), "value:0", {0.8, -0.4, 0.2});
  Cycle m(weak, {});
  EXPECT_FALSE(m.info().levels[0].by_operator);
  EXPECT_LE(m.info().levels.back().unknowns, 512);
  EXPECT_LE(bicgstab_iterations(weak, {}), 12);
  const Hub strong = central_convection(grid_of({32, 36, 30}), "value:0", {1.6, -0.4, 0.2});
  EXPECT_TRUE(Cycle(strong, {}).info().levels[0].by_operator);
}

// Stable on the finest grid, where |v| h is below 2, and on coarse ones by what they are given.
TEST(GridMultigridConvergence, ConvectionByCentralDifferences) {
  int round = 0;
  for (const char* sides : {"value:0", "periodic", "value:0,clamp,periodic,periodic"})
    for (const auto& [n, v] :
         {std::pair<std::array<std::int64_t, 3>, std::array<double, 3>>{{64, 61, 1}, {1.6, 0.8, 0}},
          {{32, 32, 32}, {1.6, 0.8, 0.4}},
          {{21, 30, 17}, {0.2, -1.9, 1.9}}}) {
      if (round++ % 4 != 0 && sanitized) continue;
      const std::string faces =
          sides + std::string(n[2] > 1 && std::string(sides).size() > 8 ? ",value:0,value:0" : "");
      SCOPED_TRACE(faces + ", " + std::to_string(n[0]) + " nodes along x");
      Hub a = central_convection(grid_of(n), faces, v);
      for (std::int64_t i = 0; i < a.rows(); ++i) entry(a, centre_of(a), 0, i) += 1e-3;  // not singular
      EXPECT_TRUE(Cycle(a, down_to(8)).info().stabilised);
      EXPECT_LE(bicgstab_iterations(a, down_to(8)), 18);
    }
  EXPECT_FALSE(Cycle(jumping(grid_of({20, 21, 22}), "value:0", 3), down_to(8)).info().stabilised);
}

// As programs of PETSc have them at faces that hold a value: rows of the diagonal alone, whatever it is, with
// the columns or without.
TEST(GridMultigridConvergence, RowsThatHoldAValue) {
  for (const std::array<std::int64_t, 3>& n :
       {std::array<std::int64_t, 3>{33, 32, 1}, {40, 21, 1}, {15, 16, 13}})
    for (const double diagonal : {1.0, 4.0, 1e4})
      for (const bool columns : {false, true}) {
        Hub a = poisson(grid_of(n), "clamp");
        const auto at_face = [&](std::int64_t node) {
          const std::int64_t at[] = {node % n[0], node / n[0] % n[1], node / n[0] / n[1]};
          bool found = false;
          for (int axis = 0; axis < 3; ++axis)
            found = found || (n[axis] > 1 && (at[axis] == 0 || at[axis] == n[axis] - 1));
          return found;
        };
        cut(a, diagonal, columns, at_face);
        EXPECT_LE(error_factor(a, down_to(40)), 0.25)
            << to_string(grid_of(n)) << ", " << diagonal << (columns ? " with" : " without") << " columns";
      }
}

// A grid with a hole, whose nodes take no part (zeros) or hold a value.
TEST(GridMultigridConvergence, NodesWithoutCoefficients) {
  const std::array<std::int64_t, 3> n{32, 29, 1};
  const auto in_hole = [&](std::int64_t node) {
    const std::int64_t x = node % n[0], y = node / n[0];
    return x >= 9 && x < 18 && y >= 11 && y < 20;
  };
  for (const double diagonal : {0.0, 1.0}) {
    Hub a = poisson(grid_of(n), "value:0");
    cut(a, diagonal, true, in_hole);
    Cycle m(a, down_to(40));
    const Product product(a);
    const Vector x = noise(a.rows(), 1);
    Vector b = product(x);
    for (const double v : m(b)) ASSERT_TRUE(std::isfinite(v));
    // The plain iteration, seen by the residual: a node that takes no part has none.
    Vector found(x.size());
    for (int i = 0; i < 12; ++i) found = sum_of(found, 1, m(sum_of(b, -1, product(found))));
    EXPECT_LE(distance(product(found), b), 1e-6) << diagonal;
    for (std::int64_t i = 0; i < a.rows(); ++i)
      if (!in_hole(i)) {
        ASSERT_NEAR(found[i], x[i], 1e-4) << i;
      }
    EXPECT_LE(cg_iterations(a, m), 14) << diagonal;
  }
  // No node at all.
  Hub none = poisson(grid_of(n), "value:0");
  cut(none, 0, true, [](std::int64_t) { return true; });
  Cycle m(none, down_to(40));
  for (const double v : m(noise(none.rows(), 1))) ASSERT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace quadrille::multigrid_test
