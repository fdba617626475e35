// The smoothers that -pc_quadrille_mg_smoother names, on levels by themselves and in cycles.
#include "kernels/multigrid/smoothers.hpp"

#include <omp.h>

#include "grid/partition.hpp"
#include "kernels/multigrid/level_rows.hpp"
#include "kernels/multigrid/neighbour_form.hpp"
#include "kernels/multigrid/on_host.hpp"
#include "operators.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::multigrid_test {
namespace {

using multigrid::BoxRows;
using multigrid::Colour;
using multigrid::Couplings;
using multigrid::OnHost;

constexpr LevelSmoother others_than_chebyshev[] = {LevelSmoother::jacobi, LevelSmoother::sor,
                                                   LevelSmoother::lines};

// Of each node of the grid its colour, from the parts of all ranks; -1 where none has it.
std::vector<int> colours_by_ranks(const Hub& a, int ranks, int along, int& count) {
  std::vector<int> found(static_cast<std::size_t>(a.nodes()), -1);
  for (int rank = 0; rank < ranks; ++rank) {
    const Partition p = make_partition(a.extents, a.periodic, ranks, rank);
    const multigrid::RankBox box = multigrid::rank_box(p, rank);
    const BoxRows rows(box, p.extents, 1);
    const auto colours = multigrid::colours_of(multigrid::couplings_of(a), rows, a.periodic, along);
    count = static_cast<int>(colours.size());
    for (int colour = 0; colour < count; ++colour)
      for (int i = 0; i < colours[colour].size(); ++i) {
        std::array<int, 3> at{};
        if (!colours[colour].find(i, at)) continue;
        const int nodes = along < 0 ? 1 : rows.own_size[along];
        for (int k = 0; k < nodes; ++k) {
          const int node = (at[2] * rows.size[1] + at[1]) * rows.size[0] + at[0];
          int& here = found[rows.in_whole(node)];
          EXPECT_EQ(here, -1) << "two colours";
          here = colour;
          if (along >= 0) ++at[along];
        }
      }
  }
  return found;
}

// That every node has one, and no two coupled ones the same but those of a line.
void expect_colours(const Hub& a, int ranks, int along, int expected_count) {
  int count = 0;
  const std::vector<int> colour = colours_by_ranks(a, ranks, along, count);
  EXPECT_EQ(count, expected_count);
  EXPECT_EQ(std::count(colour.begin(), colour.end(), -1), 0) << "nodes without a colour";
  for (std::int64_t z = 0; z < a.extents[2]; ++z)
    for (std::int64_t y = 0; y < a.extents[1]; ++y)
      for (std::int64_t x = 0; x < a.extents[0]; ++x)
        for (const NodeOffset& o : a.offsets) {
          const bool within_line =
              (along == 0 || o.x == 0) && (along == 1 || o.y == 0) && (along == 2 || o.z == 0);
          const std::int64_t to = a.neighbour(x, y, z, o), from = (z * a.extents[1] + y) * a.extents[0] + x;
          if (to < 0 || within_line) continue;
          EXPECT_NE(colour[from], colour[to]) << from << " and " << to;
        }
}

TEST(GridMultigridSmoothers, NoTwoCoupledNodesShareAColour) {
  struct Grids {
    std::array<std::int64_t, 3> n;
    const char* sides;
    int star, box, star_lines[3], box_lines[3];  // how many there are
  };
  for (const Grids& g :
       {Grids{{7, 6, 1}, "value:0", 2, 4, {2, 2, 0}, {2, 2, 0}},
        Grids{{7, 6, 5}, "value:0", 2, 8, {2, 2, 2}, {4, 4, 4}},
        Grids{{7, 6, 1}, "periodic", 3, 6, {2, 3, 0}, {2, 3, 0}},
        Grids{{7, 6, 5}, "periodic", 3, 18, {3, 3, 3}, {6, 9, 6}},
        Grids{{3, 8, 7}, "periodic,periodic,clamp,clamp,periodic,periodic", 3, 18, {3, 3, 3}, {6, 9, 6}},
        Grids{{9, 1, 1}, "value:0,value:0,clamp,clamp", 2, 2, {1, 0, 0}, {1, 0, 0}}})
    for (const char* stencil : {"star", "box"}) {
      const Hub a = poisson(grid_of(g.n), g.sides, stencil);
      const bool star = stencil == std::string("star");
      for (const int ranks : {1, 2, 4}) {
        if (g.n[1] == 1 && ranks > 2) continue;
        SCOPED_TRACE(to_string(grid_of(g.n)) + " " + g.sides + " " + stencil + ", ranks " +
                     std::to_string(ranks));
        expect_colours(a, ranks, -1, star ? g.star : g.box);
        for (int axis = 0; axis < 3; ++axis)
          if (g.n[axis] > 1) expect_colours(a, ranks, axis, star ? g.star_lines[axis] : g.box_lines[axis]);
      }
    }
}

// One level, without coarser ones: what is left of D^-1 (b - A x) after a sweep.
Vector left_after_a_sweep(const Hub& a, LevelSmoother smoother, multigrid::Level<double, OnHost>& level) {
  OnHost machine;
  const Couplings& s = level.couplings = multigrid::couplings_of(a);
  auto rows = multigrid::level_rows<double>(machine, s, a.values.data(), false, false);
  level.scaled = std::move(rows.scaled);
  level.diagonal = std::move(rows.diagonal);
  for (auto* vector : {&level.g, &level.x, &level.y}) *vector = Array<double>(s.rows, 0.0);
  const Vector g = noise(s.rows, 1), x = noise(s.rows, 2);
  std::copy(g.begin(), g.end(), level.g.data());
  std::copy(x.begin(), x.end(), level.x.data());
  std::vector<multigrid::LineFactors<double, Host>> lines;
  multigrid::GridSize whole{{s.n[0], s.n[1], s.n[2]}, {s.wraps[0], s.wraps[1], s.wraps[2]}, s.dof};
  if (smoother == LevelSmoother::lines)
    lines = multigrid::line_factors<double>(machine, s, whole, a.values.data());
  level.in_place = multigrid::in_place(s, multigrid::box_rows(level), whole.wraps, 1, std::move(lines));
  multigrid::smooth_in_place(machine, level, true);
  Vector left(g);
  for (std::int64_t row = 0; row < s.rows; ++row) {
    double sum[1];
    multigrid::beside_diagonal<1, 0, 0, true>(s, level.scaled.data(), level.x.data(), row, sum);
    left[row] -= level.x[row] + sum[0];
  }
  return left;
}

// The last colour has what its equations ask for; of lines, where nothing couples around them.
TEST(GridMultigridSmoothers, TheLastColourIsSolved) {
  std::vector<NamedOperator> all = symmetric_operators();
  all.push_back({"convection", convection(grid_of({13, 9, 1}), "value:0", {3, -1, 0})});
  all.push_back({"random blocks", dominant_blocks(grid_of({5, 4, 3}, {1, 1, 1}, 7), "box", "clamp", 1.1)});
  for (const NamedOperator& each : all) {
    if (multigrid::reach_of(each.a.offsets) > 1) continue;
    for (const LevelSmoother smoother : {LevelSmoother::sor, LevelSmoother::lines}) {
      SCOPED_TRACE(each.name + ", " + name_of(smoother));
      multigrid::Level<double, OnHost> level;
      const Vector left = left_after_a_sweep(each.a, smoother, level);
      const Couplings& s = level.couplings;
      const auto& colours = level.in_place.colours;
      const bool by_lines = smoother == LevelSmoother::lines;
      const int axis = by_lines ? level.in_place.lines.back().places.axis : 0;
      if (by_lines && s.wraps[axis]) continue;
      const double scale = norm(Vector(level.x.begin(), level.x.end()));
      const Colour& last = colours.back().back();
      EXPECT_EQ(colours.size(), by_lines ? level.in_place.lines.size() : 1);
      EXPECT_GT(last.size(), 0);
      for (int i = 0; i < last.size(); ++i) {
        std::array<int, 3> at{};
        if (!last.find(i, at)) continue;
        for (int k = 0; k < (by_lines ? s.n[axis] : 1); ++k) {
          for (int r = 0; r < s.dof; ++r)
            ASSERT_NEAR(left[std::int64_t{s.index(at)} * s.dof + r], 0, 1e-13 * scale) << i << ", " << k;
          ++at[axis];
        }
      }
    }
  }
}

GridMultigridOptions options_of_round(int round, CyclePrecision precision, LevelSmoother smoother) {
  GridMultigridOptions options = down_to(30, precision);
  options.smoother = smoother;
  options.cycle = round % 2 == 0 ? CycleKind::v : CycleKind::w;
  options.sweeps = 1 + round % 3;
  options.interpolation = static_cast<LevelInterpolation>(round / 2 % 3);
  options.semi_coarsening = round % 5 != 0;
  return options;
}

void are_linear_and_symmetric(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  int round = 0;
  for (const NamedOperator& each : symmetric_operators()) {
    for (const auto& [precision, smoother] : every_precision_and_smoother()) {
      if (smoother == LevelSmoother::chebyshev) continue;  // cycle_test.cpp
      if (sanitized && (precision == CyclePrecision::fp64) != (round % 2 == 0)) continue;
      const bool fp64 = precision == CyclePrecision::fp64;
      SCOPED_TRACE(each.name + (fp64 ? ", fp64, " : ", fp32, ") + name_of(smoother));
      Cycle m(each.a, options_of_round(round, precision, smoother), space);
      ASSERT_GT(m.info().levels.size(), 1u);
      Vector x = noise(each.a.rows(), 1), y = noise(each.a.rows(), 2);
      if (m.info().singular) {
        remove_means(x, each.a.dof);
        remove_means(y, each.a.dof);
      }
      const Vector mx = m(x), my = m(y);
      const double bound = fp64 ? 1e-12 : 1e-5;
      EXPECT_NEAR(dot(mx, y), dot(x, my), bound * norm(mx) * norm(y));
      EXPECT_GT(dot(mx, x), 0);
      EXPECT_LE(distance(m(sum_of(x, -2.5, y)), sum_of(mx, -2.5, my)), bound);
    }
    ++round;
  }
}
TEST(GridMultigridSmoothers, AreLinearAndSymmetric_cpu) {
  are_linear_and_symmetric(SpaceKind::cpu);
}
TEST(GridMultigridSmoothers, AreLinearAndSymmetric_cuda) {
  are_linear_and_symmetric(SpaceKind::cuda);
}

// For any number of threads, and in the memory that another operator had.
void give_the_same_bits(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const int threads = omp_get_max_threads();
  int round = 0;
  for (const NamedOperator& each : symmetric_operators()) {
    if (sanitized && round % 3 != 0) {
      ++round;
      continue;
    }
    Hub twice = copy_to<Host>(each.a);
    for (std::int64_t i = 0; i < twice.values.size(); ++i) twice.values[i] *= 2;
    for (const LevelSmoother smoother : others_than_chebyshev) {
      SCOPED_TRACE(each.name + ", " + name_of(smoother));
      const GridMultigridOptions options = options_of_round(round, CyclePrecision::fp32, smoother);
      const Vector b = noise(each.a.rows(), 1);
      std::vector<Vector> found;
      for (const int count : {1, 2, 3}) {
        if (sanitized && count == 2) continue;
        omp_set_num_threads(count);
        Cycle m(each.a, options, space);
        const std::int64_t bytes = m.info().stored_bytes;
        found.push_back(m(b));
        m(noise(each.a.rows(), 2));
        found.push_back(m(b));
        m.set_up_again(twice, options);
        m.set_up_again(each.a, options);
        EXPECT_EQ(m.info().stored_bytes, bytes);
        found.push_back(m(b));
      }
      omp_set_num_threads(threads);
      for (const Vector& x : found) EXPECT_EQ(x, found.front());
    }
    ++round;
  }
}
TEST(GridMultigridSmoothers, GiveTheSameBits_cpu) {
  give_the_same_bits(SpaceKind::cpu);
}
TEST(GridMultigridSmoothers, GiveTheSameBits_cuda) {
  give_the_same_bits(SpaceKind::cuda);
}

GridMultigridOptions with(LevelSmoother smoother, GridMultigridOptions options) {
  options.smoother = smoother;
  return options;
}

TEST(GridMultigridSmoothers, SolveWhatChebyshevSolves) {
  struct Bound {
    const char* name;
    Hub a;
    int coarsest, iterations[3];  // of jacobi, sor, lines
  };
  std::vector<Bound> all;
  all.push_back({"poisson 2D", poisson(grid_of({61, 58, 1}), "value:0"), 20, {7, 6, 5}});
  all.push_back({"poisson 3D", poisson(grid_of({24, 23, 22}), "value:0"), 30, {8, 6, 4}});
  all.push_back({"clamp", poisson(grid_of({30, 33, 1}), "clamp"), 20, {7, 6, 5}});
  all.push_back({"box, periodic", poisson(grid_of({21, 16, 15}), "periodic", "box"), 30, {8, 6, 4}});
  all.push_back({"jumps", jumping(grid_of({40, 37, 1}), "value:0", 1), 60, {10, 9, 7}});
  all.push_back({"elasticity 2D", elastic(grid_of({32, 29, 1}, {1, 1, 1}, 2), "value:0"), 60, {11, 8, 6}});
  all.push_back({"elasticity 3D", elastic(grid_of({14, 13, 12}, {1, 1, 1}, 3), "value:0"), 200, {12, 8, 5}});
  all.push_back({"coupled", coupled(grid_of({20, 23, 1}, {1, 1, 1}, 4), "value:0"), 80, {7, 6, 5}});
  for (const Bound& each : all)
    for (int i = 0; i < 3; ++i) {
      const LevelSmoother smoother = others_than_chebyshev[i];
      EXPECT_LE(cg_iterations(each.a, with(smoother, down_to(each.coarsest))), each.iterations[i])
          << each.name << ", " << name_of(smoother);
    }
  for (const LevelSmoother smoother : others_than_chebyshev) {
    const auto options = with(smoother, down_to(30));
    EXPECT_LE(bicgstab_iterations(convection(grid_of({40, 33, 1}), "value:0", {3, 2, 0}), options), 6)
        << name_of(smoother);
  }
}

// Lines along a strong axis are what halving that axis alone is for.
TEST(GridMultigridSmoothers, LinesDoWithoutSemiCoarsening) {
  for (const std::array<double, 3>& spacing :
       {std::array<double, 3>{1, 1, 0.01}, {1, 0.1, 0.01}, {0.1, 1, 1}}) {
    const Hub a = poisson(grid_of({20, 19, 24}, spacing), "value:0");
    GridMultigridOptions options = with(LevelSmoother::lines, down_to(30));
    options.semi_coarsening = false;
    EXPECT_LE(cg_iterations(a, options), 4) << spacing[0] << " " << spacing[1] << " " << spacing[2];
    EXPECT_GT(cg_iterations(a, with(LevelSmoother::chebyshev, options)), 15);
  }
}

TEST(GridMultigridSmoothers, ALineIsSolvedAtOnce) {
  for (const int dof : {1, 3}) {
    const Hub a = coupled(Grid{3, {1, 200, 1}, {1, 1, 1}, dof}, "value:0");
    EXPECT_LE(error_factor(a, with(LevelSmoother::lines, down_to(30))), 1e-9) << dof;
  }
}

TEST(GridMultigridSmoothers, NodesThatTakeNoPart) {
  const std::array<std::int64_t, 3> n{32, 29, 1};
  Hub a = poisson(grid_of(n), "value:0");
  cut(a, 0, true, [&](std::int64_t node) { return node % n[0] > 9 && node / n[0] > 11 && node / n[0] < 20; });
  for (const LevelSmoother smoother : others_than_chebyshev) {
    Cycle m(a, with(smoother, down_to(40)));
    for (const double v : m(noise(a.rows(), 1))) ASSERT_TRUE(std::isfinite(v));
    EXPECT_LE(cg_iterations(a, m), 8) << name_of(smoother);
  }
}

TEST(GridMultigridSmoothers, SayWhatTheyAre) {
  const Hub a = poisson(grid_of({64, 64, 1}), "value:0");
  Cycle plain(a, down_to(100));
  for (const LevelSmoother smoother : others_than_chebyshev) {
    Cycle m(a, with(smoother, down_to(100)));
    EXPECT_EQ(m.info().options.smoother, smoother);
    const std::string text = describe(m.info()),
                      end = std::string("V(2,2) with ") + name_of(smoother) + " in fp64";
    EXPECT_NE(text.find(end), std::string::npos) << text;
    const bool in_place = smoother != LevelSmoother::jacobi;
    EXPECT_EQ(m.info().levels[0].largest_eigenvalue > 0, !in_place);
    EXPECT_EQ(m.info().cycle_bytes > plain.info().cycle_bytes, in_place);
    EXPECT_EQ(m.info().stored_bytes > plain.info().stored_bytes, smoother == LevelSmoother::lines);
    EXPECT_EQ(m.info().cycle_flops > plain.info().cycle_flops, smoother == LevelSmoother::lines);
  }
}

}  // namespace
}  // namespace quadrille::multigrid_test
