#include "assembly/pde/laplacian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grid/error.hpp"
#include "tests/assembly/dense_reference.hpp"

namespace quadrille {
namespace {

constexpr double pi = std::numbers::pi;

// Largest |A u + lap u| on a periodic box of lengths 1, 1.5, 2 with n nodes an axis, u a product of waves.
double consistency_error(int dimension, const Stencil& stencil, std::int64_t n) {
  Grid grid;
  grid.dimension = dimension;
  const std::array<double, 3> length{1, 1.5, 2};
  double wave_number_squared = 0;
  for (int axis = 0; axis < dimension; ++axis) {
    grid.extents[axis] = n;
    grid.spacing_m[axis] = length[axis] / static_cast<double>(n);
    wave_number_squared += 4 * pi * pi / (length[axis] * length[axis]);
  }
  const auto result =
      assemble<double>(grid, stencil, parse_boundary("periodic", dimension), laplacian(grid, stencil));
  std::vector<double> u(grid.rows());
  for (std::int64_t node = 0; node < grid.nodes(); ++node) {
    const Position p = node_position(grid, node);
    const double phase = 2 * pi / static_cast<double>(n);
    u[node] = std::sin(phase * p.x + 0.3) * std::cos(phase * p.y) *
              (dimension == 3 ? std::cos(phase * p.z - 0.7) : 1);
  }
  const std::vector<double> y = reference::apply(result.hub, u);
  double error = 0;
  for (std::int64_t i = 0; i < grid.rows(); ++i)
    error = std::max(error, std::abs(y[i] - wave_number_squared * u[i]));
  return error;
}

double observed_order(int dimension, const Stencil& stencil, std::int64_t n) {
  return std::log2(consistency_error(dimension, stencil, n) / consistency_error(dimension, stencil, 2 * n));
}

TEST(Laplacian, StarsHaveTwiceTheirRadiusAsOrder) {
  for (int radius = 1; radius <= 4; ++radius) {
    EXPECT_NEAR(observed_order(2, star_stencil(2, radius), 16), 2 * radius, 0.2);
    EXPECT_NEAR(observed_order(3, star_stencil(3, radius), 12), 2 * radius, 0.2);
  }
}

TEST(Laplacian, BoxHasOrderTwo) {
  EXPECT_NEAR(observed_order(2, box_stencil(2, 1), 16), 2, 0.2);
  EXPECT_NEAR(observed_order(3, box_stencil(3, 1), 12), 2, 0.2);
}

// Bilinear elements on squares: 8/3 in the centre, -1/3 around (Ciarlet 1978; any finite element book).
TEST(Laplacian, BilinearStiffnessOnSquares) {
  const Laplacian l = laplacian(parse_grid("4x4"), box_stencil(2, 1));
  for (int p = 0; p < 9; ++p) EXPECT_NEAR(l.weight[p], p == 4 ? 8.0 / 3 : -1.0 / 3, 1e-15);
}

// Trilinear elements on cubes: 8/3 in the centre, 0 on faces, -1/6 on edges, -1/12 on corners.
TEST(Laplacian, TrilinearStiffnessOnCubes) {
  const Stencil box = box_stencil(3, 1);
  const Laplacian l = laplacian(parse_grid("4x4x4"), box);
  const std::array<double, 4> expected{8.0 / 3, 0, -1.0 / 6, -1.0 / 12};
  for (int p = 0; p < 27; ++p) {
    const Offset& o = box.offsets[p];
    EXPECT_NEAR(l.weight[p], expected[std::abs(o.x) + std::abs(o.y) + std::abs(o.z)], 1e-15);
  }
}

TEST(Laplacian, RadiusTwoWeights) {
  Grid grid = parse_grid("9x9");
  grid.spacing_m = {0.5, 2, 1};
  const Laplacian l = laplacian(grid, star_stencil(2, 2));  // 1/h^2: 4 and 1/4
  const std::array<double, 9> expected{1.0 / 48,  -1.0 / 3, 1.0 / 3,  -16.0 / 3, 4.25 * 5 / 2,
                                       -16.0 / 3, 1.0 / 3,  -1.0 / 3, 1.0 / 48};
  for (int p = 0; p < 9; ++p) EXPECT_NEAR(l.weight[p], expected[p], 1e-14) << p;
}

TEST(Laplacian, UnknownsAreNotCoupled) {
  Grid grid = parse_grid("3x3");
  grid.dof = 2;
  const Stencil star = star_stencil(2, 1);
  const auto result = assemble<double>(grid, star, {}, laplacian(grid, star));
  const reference::Dense a = reference::dense_of(result.hub);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.rows; ++j)
      if ((i + j) % 2 != 0) {
        EXPECT_EQ(a.a[i * a.rows + j], 0);
      }
  EXPECT_EQ(a.a[3 * a.rows + 3], 4);
  EXPECT_EQ(a.a[3 * a.rows + 5], -1);
}

// u = X everywhere solves the equation with u = X beyond all faces.
TEST(Laplacian, ConstantsSolveTheConstantBoundaryProblem) {
  for (const Stencil& stencil :
       {star_stencil(3, 1), star_stencil(3, 3), star_stencil(3, 4), box_stencil(3, 1)}) {
    Grid grid = parse_grid("5x3x2");
    grid.spacing_m = {0.5, 1, 0.25};
    const auto result =
        assemble<double>(grid, stencil, parse_boundary("value:3", 3), laplacian(grid, stencil));
    const std::vector<double> y = reference::apply(result.hub, std::vector<double>(grid.rows(), 3.0));
    for (std::int64_t i = 0; i < grid.rows(); ++i) EXPECT_NEAR(y[i], result.rhs[i], 1e-11);
  }
}

TEST(Laplacian, RefusesOtherStencils) {
  const Grid grid = parse_grid("9x9");
  EXPECT_THROW(laplacian(grid, box_stencil(2, 2)), InputError);
  EXPECT_THROW(laplacian(grid, Stencil{"mine", 1, {{0, 0, 0}, {1, 0, 0}}}), InputError);
  EXPECT_THROW(laplacian(grid, star_stencil(3, 1)), InputError);
  EXPECT_THROW(laplacian(parse_grid("9x9x9"), star_stencil(2, 1)), InputError);
}

}  // namespace
}  // namespace quadrille
