// Operators whose rows are the same everywhere but near faces: few of them are stored, and the cycle is that
// of all of them.
#include "cases.hpp"
#include "kernels/multigrid/setup_steps.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::multigrid_test {
namespace {

struct Shape {
  std::string sides;
  std::array<std::int64_t, 3> extents;
  std::array<double, 3> spacing_m{1, 1, 1};
};

// Even and odd, of words of four along x and not, long and short axes, ones that wrap, with seams on coarse
// grids (stored_nodes.hpp) that are whole words there or not.
const Shape shapes[] = {{"value:0", {33, 40, 1}},
                        {"clamp,value:0,value:0,clamp", {48, 31, 1}},
                        {"periodic,periodic,value:0,clamp", {32, 21, 1}},
                        {"periodic", {24, 36, 1}},
                        {"value:0", {30, 34, 1}},
                        {"value:0", {16, 17, 18}},
                        {"clamp,value:0,value:0,value:0,value:0,value:0", {18, 15, 16}},
                        {"value:0,value:0,clamp,clamp,clamp,value:0", {20, 14, 13}},
                        {"clamp,clamp,periodic,periodic,value:0,value:0", {12, 16, 15}},
                        {"periodic", {16, 8, 12}},
                        {"periodic", {63, 50, 1}},
                        {"periodic,periodic,value:0,clamp", {41, 37, 1}},
                        {"periodic", {31, 13, 18}},
                        {"value:0,value:0,periodic,periodic,periodic,periodic", {16, 15, 21}},
                        {"clamp", {36, 5, 24}},
                        {"value:0", {28, 20, 16}, {1, 1, 0.1}},
                        {"value:0,clamp,clamp,clamp", {64, 6, 1}, {0.2, 1, 1}}};

// One number in the middle is another one by rounding.
Hub nearly(const Hub& a) {
  Hub b = copy_to<Host>(a);
  const std::int64_t middle =
      (a.extents[2] / 2 * a.extents[1] + a.extents[1] / 2) * a.extents[0] + a.extents[0] / 2;
  double& value = entry(b, centre_of(b), 0, middle * b.dof);
  value = std::nextafter(value, 2 * value);
  return b;
}

void expect_same_cycles(const Hub& a, GridMultigridOptions options, SpaceKind space) {
  options.by_symbols = false;  // a power method for both
  options.inner_from = 0;
  options.entries_from = std::numeric_limits<std::int64_t>::max();  // in blocks, as the few rows are
  const Hub b = nearly(a);
  Cycle few(a, options, space), all(b, options, space);
  ASSERT_GT(few.info().levels.size(), 1u);
  EXPECT_TRUE(few.info().levels.front().constant);
  EXPECT_FALSE(all.info().levels.front().constant);
  EXPECT_LT(few.info().stored_bytes, all.info().stored_bytes);
  EXPECT_LT(few.info().cycle_bytes, all.info().cycle_bytes);
  EXPECT_EQ(few.info().cycle_flops, all.info().cycle_flops);
  EXPECT_EQ(few.info().singular, all.info().singular);
  Vector x = noise(a.rows(), 7);
  if (few.info().singular) remove_means(x, a.dof);
  EXPECT_LE(distance(few(x), all(x)), options.precision == CyclePrecision::fp64 ? 1e-12 : 2e-5);
  // New values in the same places, of the other kind and back.
  few.set_up_again(b, options);
  EXPECT_FALSE(few.info().levels.front().constant);
  EXPECT_EQ(few(x), all(x));
  all.set_up_again(a, options);
  few.set_up_again(a, options);
  EXPECT_EQ(few(x), all(x));
}

void are_those_of_all_rows(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  int round = 0;
  for (const Shape& s : shapes)
    for (const int kind : {0, 1, 2, 3, 4, 5}) {
      const bool flat = s.extents[2] == 1;
      const int dof = kind == 5 ? (flat ? 2 : 3 + round % 2) : kind == 3 ? (flat ? 2 : 3) : kind == 2 ? 5 : 1;
      const Grid grid = grid_of(s.extents, s.spacing_m, dof);
      SCOPED_TRACE(to_string(grid) + " " + s.sides + ", operator " + std::to_string(kind));
      const Hub a = kind == 0   ? poisson(grid, s.sides)
                    : kind == 1 ? poisson(grid, s.sides, "box")
                    : kind == 2 ? coupled(grid, s.sides)
                    : kind == 3 ? elastic(grid, s.sides)
                    : kind == 4 ? central_convection(grid, s.sides, {1.5, -0.4, 0.7})
                                : carried(grid, s.sides, {0.9, 1.2, -0.3});
      GridMultigridOptions options =
          down_to(30, round / 6 % 2 == kind % 2 ? CyclePrecision::fp64 : CyclePrecision::fp32);
      options.cycle = round % 5 == 4 ? CycleKind::w : round % 5 == 3 ? CycleKind::f : CycleKind::v;
      options.interpolation = static_cast<LevelInterpolation>((round / 6 + kind) % 3);
      options.sweeps = 1 + round % 3;
      if (++round % 17 != 0 && sanitized) continue;  // each operator once
      expect_same_cycles(a, options, space);
      if (round % 2 != 0) continue;
      options.smoother = static_cast<LevelSmoother>(1 + round / 2 % 3);
      expect_same_cycles(a, options, space);
    }
}

TEST(GridMultigridOfConstantRows, AreThoseOfAllRows_cpu) {
  are_those_of_all_rows(SpaceKind::cpu);
}
TEST(GridMultigridOfConstantRows, AreThoseOfAllRows_cuda) {
  are_those_of_all_rows(SpaceKind::cuda);
}

// Kinds that spread by themselves and become each other at the same rate everywhere.
struct Mixing {
  Laplacian laplacian;
  static constexpr bool couples(bool centre, int r, int c) { return centre || r == c; }
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int r, int c) const {
    const double reacts = neighbour.offset != Offset{} ? 0 : r == c ? 2 : -0.4;
    return (r == c ? (1 + 0.5 * r) * laplacian.weight[neighbour.point] : 0) + reacts;
  }
};

// What the eigenvalues below are of: constant coefficients of one unknown, of blocks and by kind, and ones
// that vary.
Hub operator_with_waves(int kind, const Shape& shape) {
  const bool flat = shape.extents[2] == 1;
  const auto grid = [&](int dof) { return grid_of(shape.extents, shape.spacing_m, dof); };
  const Stencil star = star_stencil(flat ? 2 : 3, 1);
  if (kind == 0 || kind == 1) return poisson(grid(1), shape.sides, kind == 0 ? "star" : "box");
  if (kind == 2) return elastic(grid(flat ? 2 : 3), shape.sides);
  if (kind == 3) return nearly(elastic(grid(flat ? 2 : 3), shape.sides));
  if (kind == 4) return coupled(grid(flat ? 5 : 2), shape.sides);
  if (kind == 5)
    return assemble<double>(grid(4), star, parse_boundary(shape.sides, flat ? 2 : 3),
                            Mixing{laplacian(grid(4), star)})
        .hub;
  Array<double> a(grid(1).nodes());
  for (std::int64_t i = 0; i < a.size(); ++i)
    a[i] = 1 + 0.3 * std::sin(0.9 * static_cast<double>(i % shape.extents[0])) *
                   std::cos(1.1 * static_cast<double>(i / shape.extents[0] % shape.extents[1]));
  return diffusion_of(grid(1), shape.sides, std::move(a));
}

// The largest eigenvalue of D^-1 A, by a power method that is given time.
double largest_eigenvalue_of(const Hub& a) {
  const Product product(a);
  const std::int64_t rows = a.rows(), block = rows * a.dof;
  Array<double> inverse(block);
  for (std::int64_t node = 0; node < a.nodes(); ++node)
    multigrid::InvertBlocks{a.dof, rows, a.values.data() + centre_of(a) * block, inverse.data()}(node);
  Vector x = noise(rows, 3);
  double largest = 0;
  for (int step = 0; step < 200; ++step) {
    const Vector y = product(x);
    Vector z(y.size());
    for (std::int64_t row = 0; row < rows; ++row)
      for (int c = 0; c < a.dof; ++c) z[row] += inverse[c * rows + row] * y[row / a.dof * a.dof + c];
    largest = norm(z) / norm(x);
    x = sum_of(Vector(z.size()), 1 / norm(z), z);
  }
  return largest;
}

// Sweeps hold up to 1.2 times the eigenvalue that they are made for. On coarser grids it is what a power
// method of a few steps finds, and takes as many iterations.
void largest_eigenvalues_come_from_the_rows(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  int round = 0, number = 0;
  for (const Shape& shape : shapes) {
    ++round;
    for (const int kind : {0, 1, 2 + round % 5, 2 + (round + 2) % 5}) {
      if (sanitized && number++ % 9 != 0) continue;
      const Hub a = operator_with_waves(kind, shape);
      SCOPED_TRACE(to_string(grid_of(shape.extents, shape.spacing_m, a.dof)) + " " + shape.sides +
                   ", operator " + std::to_string(kind));
      GridMultigridOptions options = down_to(30, kind % 2 == 0 ? CyclePrecision::fp64 : CyclePrecision::fp32);
      Cycle by_rows(a, options, space);
      options.by_symbols = false;
      Cycle by_power(a, options, space);
      const auto &levels = by_rows.info().levels, &others = by_power.info().levels;
      const double found = levels.front().largest_eigenvalue, exact = largest_eigenvalue_of(a);
      EXPECT_GE(1.2 * found, exact);
      EXPECT_LE(found, 1.1 * exact);
      for (std::size_t i = 1; i + 1 < levels.size(); ++i) {
        EXPECT_GE(levels[i].largest_eigenvalue, 0.85 * others[i].largest_eigenvalue) << i;
        EXPECT_LE(levels[i].largest_eigenvalue, 1.25 * others[i].largest_eigenvalue) << i;
      }
      if (by_rows.info().singular) continue;
      EXPECT_LE(cg_iterations(a, by_rows), cg_iterations(a, by_power) + 1);
    }
  }
}
TEST(GridMultigridEigenvalues, ComeFromTheRows_cpu) {
  largest_eigenvalues_come_from_the_rows(SpaceKind::cpu);
}
TEST(GridMultigridEigenvalues, ComeFromTheRows_cuda) {
  largest_eigenvalues_come_from_the_rows(SpaceKind::cuda);
}

// A pattern that repeats after as many nodes as a word has is none that coarse operators keep.
TEST(GridMultigridOfConstantRows, PatternsAreNotConstant) {
  for (const int period : {2, 4}) {
    Hub a = poisson(grid_of({32, 32, 1}), "value:0");
    for (std::int64_t row = 0; row < a.rows(); ++row)
      if (row % a.extents[0] % period == 0) entry(a, centre_of(a), 0, row) += 1;
    EXPECT_FALSE(Cycle(a, down_to(30)).info().levels.front().constant) << period;
  }
}

// Rows that hold a value, as PETSc's tutorials have them in faces: with their columns, and without.
TEST(GridMultigridOfConstantRows, FacesMayHoldValuesThatOthersSee) {
  Hub a = poisson(grid_of({17, 16, 18}), "drop");
  cut(a, 6, false, [](std::int64_t node) {
    const std::int64_t x = node % 17, y = node / 17 % 16, z = node / 17 / 16;
    return x == 0 || x == 16 || y == 0 || y == 15 || z == 0 || z == 17;
  });
  expect_same_cycles(a, down_to(30), SpaceKind::cpu);
}
TEST(GridMultigridOfConstantRows, FacesMayHoldValues) {
  Hub a = poisson(grid_of({33, 33, 1}), "drop");
  cut(a, 4, true, [](std::int64_t node) {
    const std::int64_t x = node % 33, y = node / 33;
    return x == 0 || x == 32 || y == 0 || y == 32;
  });
  expect_same_cycles(a, down_to(30), SpaceKind::cpu);
}

}  // namespace
}  // namespace quadrille::multigrid_test
