// Cycles of operators, grids and options that are drawn at random, beside the chosen ones of cycle_test.cpp.
// Others are drawn, or those of a failure again, by QUADRILLE_TEST_SEED.
#include <cstdlib>

#include "operators.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::multigrid_test {
namespace {

struct Drawn {
  NamedOperator of;
  GridMultigridOptions options;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  Drawn operator()() {
    Drawn drawn{operator_on_a_grid(), {}};
    GridMultigridOptions& o = drawn.options;
    o = down_to(number(10, 80), flip() ? CyclePrecision::fp64 : CyclePrecision::fp32);
    o.cycle = static_cast<CycleKind>(number(0, 2));
    o.sweeps = number(1, 5);
    o.interpolation = static_cast<LevelInterpolation>(number(0, 2));
    o.semi_coarsening = number(0, 3) > 0;
    o.smoother = static_cast<LevelSmoother>(number(0, 4));
    drawn.of.name += std::string(", ") + (o.precision == CyclePrecision::fp64 ? "fp64 " : "fp32 ") +
                     "vwf"[static_cast<int>(o.cycle)] + std::to_string(o.sweeps) + " " + name_of(o.smoother) +
                     ", interpolation " + std::to_string(static_cast<int>(o.interpolation)) +
                     (o.semi_coarsening ? "" : ", all axes") + ", coarsest " + std::to_string(o.coarsest);
    return drawn;
  }

 private:
  int number(int from, int to) { return from + static_cast<int>(random_() % (to - from + 1u)); }
  bool flip() { return number(0, 1) == 1; }

  // What advects or reacts has a face that holds a value, so that it is not singular.
  std::string faces(int dimension, bool held) {
    std::string text;
    for (int axis = 0; axis < dimension; ++axis) {
      const int kind = axis == 0 && held ? 0 : number(0, 4);
      for (int side = 0; side < 2; ++side)
        text += std::string(text.empty() ? "" : ",") + (kind == 4  ? "periodic"
                                                        : kind > 1 ? "clamp"
                                                                   : "value:0");
    }
    return text;
  }

  NamedOperator operator_on_a_grid() {
    const int kind = number(0, 7), dimension = number(2, 3);
    const bool unequal = kind < 2 && flip();
    std::array<std::int64_t, 3> n{1, 1, 1};
    std::array<double, 3> spacing{1, 1, 1};
    for (int axis = 0; axis < dimension; ++axis) {
      n[axis] = dimension == 2 ? number(4, 40) : number(3, 14);
      if (unequal) spacing[axis] = std::pow(10.0, -0.5 * number(0, 3));
    }
    const int dof = kind == 2                ? dimension
                    : kind == 4 || kind == 5 ? 1
                    : kind == 7              ? number(2, 9)
                                             : number(1, 4);
    const Grid grid{dimension, n, spacing, dof};
    const std::string sides = faces(dimension, kind >= 4);
    const std::array<double, 3> v{number(-15, 15) / 10.0, number(-15, 15) / 10.0,
                                  dimension == 3 ? number(-15, 15) / 10.0 : 0};
    const std::uint64_t seed = static_cast<std::uint64_t>(number(1, 1000));
    const char* const points = flip() ? "star" : "box";
    std::string name = to_string(grid) + " dof " + std::to_string(dof) + " " + sides + ", ";
    switch (kind) {
      case 0:
        return {name + "poisson " + points, poisson(grid, sides, points)};
      case 1:
        return {name + "jumps", jumping(grid, sides, seed, 10)};
      case 2:
        return {name + "elasticity", elastic(grid, sides)};
      case 3:
        return {name + "coupled", coupled(grid, sides)};
      case 4:
        return {name + "convection", convection(grid, sides, v)};
      case 5:
        return {name + "central convection", central_convection(grid, sides, v)};
      case 7:
        return {name + "reactions", reacting(grid, sides, std::pow(10.0, number(-2, 3)), flip())};
      default:
        return {name + "random blocks " + points, dominant_blocks(grid, points, sides, 1.5)};
    }
  }

  std::mt19937 random_;
};

// body(each) of so many that are drawn from the seed.
template <class Body>
void for_drawn(int count, const Body& body) {
  const char* const given = std::getenv("QUADRILLE_TEST_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
  Draw draw(seed);
  for (int i = 0; i < count; ++i) {
    Drawn each = draw();
    SCOPED_TRACE("QUADRILLE_TEST_SEED=" + std::to_string(seed) + ", number " + std::to_string(i) + ": " +
                 each.of.name);
    body(each);
  }
}

// Rounding is as large as the condition of what was drawn makes it; what is wrong is far more. Constants, of a
// singular operator, are no part of it.
double bound_of(const GridMultigridOptions& options) {
  return options.precision == CyclePrecision::fp64 ? 1e-11 : 2e-3;
}
Vector without_constants(const Cycle& m, int dof, Vector x) {
  if (m.info().singular) remove_means(x, dof);
  return x;
}

TEST(RandomGridMultigrid, IsLinear_cpu) {
  for_drawn(sanitized ? 6 : 40, [](const Drawn& each) {
    Cycle m(each.of.a, each.options);
    const auto part = [&](Vector x) { return without_constants(m, each.of.a.dof, std::move(x)); };
    const Vector x = part(noise(each.of.a.rows(), 1)), y = part(noise(each.of.a.rows(), 2)), mx = m(x);
    EXPECT_LE(distance(part(m(sum_of(x, -2.5, y))), part(sum_of(mx, -2.5, m(y)))), bound_of(each.options));
    EXPECT_EQ(m(x), mx);
  });
}

// The grids; rows that are kept once may be so on other levels, for they are found in another way.
std::vector<std::array<std::int64_t, 3>> grids_of(const Cycle& m) {
  std::vector<std::array<std::int64_t, 3>> grids;
  for (const GridLevelInfo& level : m.info().levels) grids.push_back(level.extents);
  return grids;
}

TEST(RandomGridMultigrid, OnTheGpuIsThatOfTheCpu_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for_drawn(60, [](const Drawn& each) {
    Cycle gpu(each.of.a, each.options, SpaceKind::cuda), cpu(each.of.a, each.options);
    EXPECT_EQ(grids_of(gpu), grids_of(cpu));
    const auto part = [&](Vector x) { return without_constants(cpu, each.of.a.dof, std::move(x)); };
    const Vector b = part(noise(each.of.a.rows(), 1));
    EXPECT_LE(distance(part(gpu(b)), part(cpu(b))), bound_of(each.options));
  });
}

}  // namespace
}  // namespace quadrille::multigrid_test
