// A cycle of multigrid as an operator M: linear, symmetric where the operator is, the same on every machine.
#include <omp.h>

#include <bit>
#include <cmath>

#include "cases.hpp"
#include "formats/format.hpp"
#include "operators.hpp"

namespace quadrille::multigrid_test {
namespace {

GridMultigridOptions options_of_round(int round, CyclePrecision precision) {
  GridMultigridOptions options = down_to(30, precision);
  options.cycle = round % 2 == 0 ? CycleKind::v : CycleKind::w;
  options.sweeps = 1 + round % 3;
  options.interpolation = static_cast<LevelInterpolation>(round / 2 % 3);
  options.semi_coarsening = round % 5 != 0;
  return options;
}

// fp32 rounds the couplings, so that M is symmetric to about that; where the operator is singular the
// constants, which M multiplies by much, are no part of it.
void is_symmetric(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  int round = 0;
  for (const NamedOperator& each : symmetric_operators()) {
    for (const CyclePrecision precision : {CyclePrecision::fp64, CyclePrecision::fp32}) {
      SCOPED_TRACE(each.name + (precision == CyclePrecision::fp64 ? ", fp64" : ", fp32"));
      Cycle m(each.a, options_of_round(round, precision), space);
      ASSERT_GT(m.info().levels.size(), 1u);
      Vector x = noise(each.a.rows(), 1), y = noise(each.a.rows(), 2);
      if (m.info().singular) {
        remove_means(x, each.a.dof);
        remove_means(y, each.a.dof);
      }
      const Vector mx = m(x), my = m(y);
      const double bound = precision == CyclePrecision::fp64 ? 1e-12 : 1e-5;
      EXPECT_NEAR(dot(mx, y), dot(x, my), bound * norm(mx) * norm(y));
      EXPECT_GT(dot(mx, x), 0);
      EXPECT_LE(distance(m(sum_of(x, -2.5, y)), sum_of(mx, -2.5, my)), bound);
    }
    ++round;
  }
}

TEST(GridMultigrid, IsLinearAndSymmetric_cpu) {
  is_symmetric(SpaceKind::cpu);
}
TEST(GridMultigrid, IsLinearAndSymmetric_cuda) {
  is_symmetric(SpaceKind::cuda);
}

void gives_the_same_bits(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const int threads = omp_get_max_threads();
  for (const NamedOperator& each : symmetric_operators()) {
    SCOPED_TRACE(each.name);
    const Vector b = noise(each.a.rows(), 1);
    std::vector<Vector> found;
    for (const int count : {1, 2, 1}) {
      omp_set_num_threads(count);
      Cycle m(each.a, down_to(30, CyclePrecision::fp32), space);
      found.push_back(m(b));
      m(noise(each.a.rows(), 2));
      found.push_back(m(b));
    }
    omp_set_num_threads(threads);
    for (const Vector& x : found) EXPECT_EQ(x, found.front());
  }
}

TEST(GridMultigrid, GivesTheSameBits_cpu) {
  gives_the_same_bits(SpaceKind::cpu);
}
TEST(GridMultigrid, GivesTheSameBits_cuda) {
  gives_the_same_bits(SpaceKind::cuda);
}

// In the memory that another operator of the same structure had.
void set_up_again_gives_the_same_bits(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const GridMultigridOptions options = down_to(30, CyclePrecision::fp32);
  const std::vector<NamedOperator> all = symmetric_operators();
  for (const NamedOperator& each : all) {
    SCOPED_TRACE(each.name);
    Hub twice = copy_to<Host>(each.a);
    for (std::int64_t i = 0; i < twice.values.size(); ++i) twice.values[i] *= 2;
    const Vector b = noise(each.a.rows(), 1);
    Cycle fresh(each.a, options, space), again(each.a, options, space);
    again.set_up_again(twice, options);
    const GridMultigridInfo before = again.info();
    again.set_up_again(each.a, options);
    EXPECT_EQ(before.allocated, 0);
    EXPECT_EQ(again.info().allocated, 0);
    EXPECT_GT(fresh.info().allocated, 0);
    EXPECT_EQ(again.info().stored_bytes, before.stored_bytes);
    EXPECT_EQ(again.info().stored_bytes, fresh.info().stored_bytes);
    EXPECT_EQ(again(b), fresh(b));
  }
}

TEST(GridMultigrid, SetUpAgainGivesTheSameBits_cpu) {
  set_up_again_gives_the_same_bits(SpaceKind::cpu);
}
TEST(GridMultigrid, SetUpAgainGivesTheSameBits_cuda) {
  set_up_again_gives_the_same_bits(SpaceKind::cuda);
}

// Of an operator whose grids are halved along other axes, end in other faces or follow coefficients, what is
// kept of those before is not taken.
void set_up_again_of_other_grids(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const std::array<std::int64_t, 3> n{24, 20, 20};
  const GridMultigridOptions options = down_to(30, CyclePrecision::fp32);
  const auto spaced = [&](const std::array<double, 3>& spacing_m, const char* sides) {
    return poisson(grid_of(n, spacing_m), sides);
  };
  std::vector<Hub> operators;
  operators.push_back(spaced({1, 1, 1}, "value:0"));
  operators.push_back(spaced({1, 1, 0.1}, "value:0"));
  operators.push_back(jumping(grid_of(n), "value:0", 3));
  operators.push_back(spaced({1, 0.1, 1}, "value:0"));
  operators.push_back(spaced({1, 1, 1}, "clamp,value:0,value:0,value:0,value:0,clamp"));
  operators.push_back(spaced({1, 1, 1}, "value:0"));
  const Vector b = noise(operators.front().rows(), 1);
  Cycle again(operators.front(), options, space);
  for (const Hub& a : operators) {
    again.set_up_again(a, options);
    EXPECT_EQ(again(b), Cycle(a, options, space)(b)) << &a - operators.data();
  }
}
TEST(GridMultigrid, SetUpAgainOfOtherGridsIsThatOfNewOnes_cpu) {
  set_up_again_of_other_grids(SpaceKind::cpu);
}
TEST(GridMultigrid, SetUpAgainOfOtherGridsIsThatOfNewOnes_cuda) {
  set_up_again_of_other_grids(SpaceKind::cuda);
}

void one_level_is_the_inverse(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::vector<NamedOperator> all = symmetric_operators();
  all.push_back({"convection", convection(grid_of({13, 9, 1}), "value:0", {3, -1, 0})});
  all.push_back({"random blocks", dominant_blocks(grid_of({5, 4, 3}, {1, 1, 1}, 4), "box", "clamp", 1.1)});
  all.push_back({"one node", poisson(grid_of({1, 1, 1}), "value:0")});
  for (const NamedOperator& each : all) {
    if (each.a.rows() > 500) continue;  // nor wide ones, which are solved by their neighbour form
    SCOPED_TRACE(each.name);
    GridMultigridOptions options = in(CyclePrecision::fp64);
    options.levels = 1;
    Cycle m(each.a, options, space);
    ASSERT_EQ(m.info().levels.size(), 1u);
    EXPECT_EQ(m.info().levels.front().unknowns, each.a.rows());
    const Product product(each.a);
    const Vector b = product(noise(each.a.rows(), 1));
    EXPECT_LE(distance(product(m(b)), b), m.info().singular ? 1e-10 : 1e-11);
  }
}

TEST(GridMultigrid, OneLevelIsTheInverse_cpu) {
  one_level_is_the_inverse(SpaceKind::cpu);
}
TEST(GridMultigrid, OneLevelIsTheInverse_cuda) {
  one_level_is_the_inverse(SpaceKind::cuda);
}
// With more unknowns than a dense inverse is made of: `m` is the inverse of `a`.
void expect_inverse_by_planes(const Hub& a, const std::string& what) {
  for (const CyclePrecision precision : {CyclePrecision::fp64, CyclePrecision::fp32}) {
    GridMultigridOptions options = in(precision);
    options.levels = 1;
    Cycle m(a, options, SpaceKind::cuda);
    const Product product(a);
    const Vector x = noise(a.rows(), 1), b = product(x);
    if (m.info().singular)
      EXPECT_LE(distance(product(m(b)), b), precision == CyclePrecision::fp64 ? 1e-7 : 0.1) << what;
    else
      EXPECT_LE(distance(m(b), x), precision == CyclePrecision::fp64 ? 1e-8 : 0.1) << what;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(m(b), m(b)) << what;
  }
}
TEST(GridMultigrid, OneLevelOfPlanesIsTheInverse_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const char* sides : {"value:0", "periodic,periodic,value:0,value:0,clamp,clamp", "clamp", "periodic",
                            "value:0,value:0,periodic,periodic,periodic,periodic"})
    for (const int dof : {1, 2})
      expect_inverse_by_planes(jumping(grid_of({17, 20, 18}, {1, 1, 1}, dof), sides, 3),
                               std::string(sides) + ", " + std::to_string(dof));
  // Planes of more unknowns than threads have columns, and more rows than they take at once.
  expect_inverse_by_planes(jumping(grid_of({39, 41, 37}), "value:0", 4), "large planes");
  expect_inverse_by_planes(elastic(grid_of({21, 24, 20}, {1, 1, 1}, 3), "value:0"), "3 unknowns");
  expect_inverse_by_planes(jumping(grid_of({70, 71, 1}), "value:0", 5), "2D");
}
// Whatever bits it has: nobody waits for a number that came with the right side.
TEST(GridMultigrid, PlanesPassWhatIsNoNumber_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Hub a = jumping(grid_of({17, 20, 18}), "value:0", 3);
  GridMultigridOptions options = in(CyclePrecision::fp64);
  options.levels = 1;
  Cycle m(a, options, SpaceKind::cuda);
  for (const std::uint64_t bits : {~std::uint64_t{0}, std::uint64_t{0x7ff8000000000000}}) {
    const Vector x = m(Vector(a.rows(), std::bit_cast<double>(bits)));
    for (const double value : x) EXPECT_TRUE(std::isnan(value));
  }
  const Vector x = noise(a.rows(), 1);
  EXPECT_LE(distance(m(Product(a)(x)), x), 1e-8);
}

TEST(GridMultigrid, OnTheGpuIsThatOfTheCpu_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::vector<NamedOperator> all = symmetric_operators();
  all.push_back({"convection", convection(grid_of({33, 29, 1}), "value:0", {3, -1, 0})});
  all.push_back(
      {"periodic convection",
       convection(grid_of({9, 8, 12}), "periodic,periodic,value:0,value:0,clamp,clamp", {1, 2, 0})});
  all.push_back({"central convection", central_convection(grid_of({33, 28, 1}), "value:0", {1.5, -1, 0})});
  all.push_back({"periodic central convection",
                 central_convection(grid_of({16, 18, 20}),
                                    "periodic,periodic,value:0,value:0,periodic,periodic", {1, 2, 0})});
  all.push_back({"random blocks", dominant_blocks(grid_of({9, 8, 7}, {1, 1, 1}, 7), "box", "clamp", 1.5)});
  int round = 0;
  for (const NamedOperator& each : all) {
    for (const auto& [precision, smoother] : every_precision_and_smoother()) {
      SCOPED_TRACE(each.name + (precision == CyclePrecision::fp64 ? ", fp64, " : ", fp32, ") +
                   name_of(smoother));
      GridMultigridOptions options = options_of_round(round, precision);
      options.smoother = smoother;
      if (round % 3 == 2) options.cycle = CycleKind::f;
      Cycle gpu(each.a, options, SpaceKind::cuda), cpu(each.a, options);
      ASSERT_EQ(describe(gpu.info()), describe(cpu.info()));
      Vector b = noise(each.a.rows(), 1);
      if (cpu.info().singular) remove_means(b, each.a.dof);
      EXPECT_LE(distance(gpu(b), cpu(b)), precision == CyclePrecision::fp64 ? 1e-12 : 1e-5);
    }
    ++round;
  }
}

// As of a step in time.
Hub nearly_diagonal(const std::array<std::int64_t, 3>& extents, const std::string& sides) {
  Hub a = coupled(grid_of(extents, {1, 1, 1}, 2), sides);
  for (std::int64_t row = 0; row < a.rows(); ++row)
    entry(a, centre_of(a), static_cast<int>(row % 2), row) += 1500;
  return a;
}

TEST(GridMultigrid, OfAStepInTimeIsThatOfTheCpu_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Hub a = nearly_diagonal({1024, 512, 1}, "periodic");
  for (const CyclePrecision precision : {CyclePrecision::fp64, CyclePrecision::fp32}) {
    Cycle gpu(a, down_to(2048, precision), SpaceKind::cuda), cpu(a, down_to(2048, precision));
    const Vector x = noise(a.rows(), 1), y = noise(a.rows(), 2), first = gpu(x);
    EXPECT_LE(distance(first, cpu(x)), precision == CyclePrecision::fp64 ? 1e-12 : 1e-5);
    gpu(y);
    EXPECT_EQ(gpu(x), first);
  }
}

// Far from a source in few nodes next to nothing is left: numbers below 2^-1022 would cost CPUs most of the
// time, and make the norm of cuBLAS wrong.
void leaves_no_tiny_numbers(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const int levels : {0, 1}) {
    const Hub a =
        levels == 0 ? nearly_diagonal({192, 192, 1}, "periodic") : nearly_diagonal({400, 1, 1}, "value:0");
    GridMultigridOptions options = in(CyclePrecision::fp64);
    options.levels = levels;
    options.interpolation = LevelInterpolation::by_operator;  // linear weights spread what is left
    Cycle m(a, options, space);
    Vector b(static_cast<std::size_t>(a.rows()), 0.0);
    b[2] = 1;
    std::int64_t small = 0, tiny = 0;
    for (const double x : m(b)) {
      small += x != 0 && std::abs(x) < 1e-100;
      tiny += x != 0 && std::abs(x) < 0x1p-800;
    }
    EXPECT_GT(small, 0);
    EXPECT_EQ(tiny, 0);
  }
}
TEST(GridMultigrid, LeavesNoTinyNumbers_cpu) {
  leaves_no_tiny_numbers(SpaceKind::cpu);
}
TEST(GridMultigrid, LeavesNoTinyNumbers_cuda) {
  leaves_no_tiny_numbers(SpaceKind::cuda);
}

// More pairs of vectors than graphs are kept for, in turn and again.
TEST(GridMultigrid, ManyPairsOfVectors_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Hub a = poisson(grid_of({33, 34, 1}), "value:0");
  Cycle m(a, down_to(30), SpaceKind::cuda);
  constexpr int pairs = 11;
  std::vector<Array<double, Device>> from, to;
  std::vector<Vector> expected;
  for (int i = 0; i < pairs; ++i) {
    const Vector b = noise(a.rows(), static_cast<unsigned>(i));
    expected.push_back(m(b));
    from.emplace_back(a.rows());
    to.emplace_back(a.rows());
    memory::copy_to_device(from.back().data(), b.data(), from.back().bytes());
  }
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < pairs; ++i) {
      const int k = round == 2 ? pairs - 1 - i : i;
      Vector x(static_cast<std::size_t>(a.rows()), std::nan(""));
      memory::copy_to_device(to[k].data(), x.data(), to[k].bytes());
      m.made().apply(from[k].data(), to[k].data());
      memory::copy_to_host(x.data(), to[k].data(), to[k].bytes());
      EXPECT_EQ(x, expected[k]) << "round " << round << ", pair " << k;
    }
}

void refuses(const Hub& a, const GridMultigridOptions& options, const std::string& words) {
  try {
    make_grid_multigrid(a, options);
    FAIL() << "not refused: " << words;
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(GridMultigrid, RefusesWithASentence) {
  const Grid grid = grid_of({9, 8, 1});
  Hub wide = poisson(grid, "value:0");
  wide.offsets.back() = {0, 5, 0};
  refuses(wide, {}, "at most 4 apart");
  Hub a = poisson(grid, "value:0");
  a.offsets[2] = {1, 1, 0};  // the centre
  refuses(a, {}, "needs an operator with a diagonal");
  Hub many;
  many.extents = {2, 1, 1};
  many.dof = 65;
  many.offsets = {{0, 0, 0}};
  many.values = Array<double>(65 * many.rows(), 1.0);
  refuses(many, {}, "up to 64 unknowns a node, not 65");
}

TEST(GridMultigrid, SaysWhatItMade) {
  const Hub a = poisson(grid_of({64, 64, 1}), "value:0");
  Cycle m(a, down_to(100));
  EXPECT_EQ(describe(m.info()),
            "4 levels, 64x64 to 8x8, interpolation linear, constant coefficients, "
            "64 unknowns solved directly, V(2,2) in fp64");
  EXPECT_EQ(describe(Cycle(poisson(grid_of({8, 9, 1}), "clamp"), {}).info()),
            "1 level, 8x9, 72 unknowns solved directly in fp32");
  // Which axes come first, where that follows from the coefficients, and those that end with one node.
  const auto says = [](const Hub& of, int levels, const std::string& words) {
    GridMultigridOptions options = down_to(1);
    options.levels = levels;
    const std::string text = describe(Cycle(of, options).info());
    EXPECT_EQ(text.find(words), 0u) << text;
  };
  const Hub thin = poisson(grid_of({16, 16, 16}, {1, 1, 0.1}), "value:0");
  says(thin, 2, "2 levels, 16x16x16 to 16x16x8, halved along z, interpolation");
  says(thin, 5, "5 levels, 16x16x16 to 8x8x1, halved along z 3 times, then along all, interpolation");
  says(poisson(grid_of({16, 16, 4}), "value:0"), 3, "3 levels, 16x16x4 to 4x4x1, interpolation");
  const GridMultigridInfo& info = m.info();
  EXPECT_EQ(info.levels[1].extents, (std::array<std::int64_t, 3>{32, 32, 1}));
  EXPECT_EQ(info.levels[0].couplings, 5);
  EXPECT_EQ(info.levels[1].couplings, 9);
  EXPECT_FALSE(info.singular);
  EXPECT_GT(info.levels[0].largest_eigenvalue, 1.5);
  EXPECT_LE(info.levels[0].largest_eigenvalue, 2);
  EXPECT_GT(info.cycle_bytes, 8 * 4 * 4 * a.rows());  // four passes over four couplings a row
  EXPECT_GT(info.stored_bytes, 8 * 4 * a.rows());
  EXPECT_GT(info.cycle_flops, 2 * 4 * 4 * a.rows());
  EXPECT_TRUE(Cycle(poisson(grid_of({20, 20, 1}), "clamp"), down_to(100)).info().singular);
  GridMultigridOptions options = down_to(1);
  options.levels = 2;
  EXPECT_EQ(Cycle(a, options).info().levels.size(), 2u);
}

}  // namespace
}  // namespace quadrille::multigrid_test
