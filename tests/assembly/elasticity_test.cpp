#include "assembly/pde/elasticity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "grid/error.hpp"
#include "tests/assembly/dense_reference.hpp"

namespace quadrille {
namespace {

constexpr double lambda = 1.7, mu = 0.6;

Grid body(const std::string& text) {
  Grid grid = parse_grid(text);
  grid.dof = grid.dimension;
  grid.spacing_m = {0.5, 0.25, 2};
  return grid;
}

// u_r = sum_ab q[r][a][b] x_a x_b: central differences are exact, so interior rows give
// -(2 mu tr q[r] + 2 (lambda + mu) sum_c q[c][r][c]).
void check_quadratics(const Grid& grid) {
  const int dimension = grid.dimension;
  const auto q = [](int r, int a, int b) {
    return 1.0 + r + 2 * (a + b) + 3 * a * b + 5 * r * a * b + r * (a == b);
  };
  const Stencil box = box_stencil(dimension, 1);
  const auto result = assemble<double>(grid, box, {}, elasticity(grid, box, lambda, mu));
  std::vector<double> u(grid.rows(), 0.0);
  for (std::int64_t node = 0; node < grid.nodes(); ++node) {
    const Position p = node_position(grid, node);
    const std::array<double, 3> x{p.x * grid.spacing_m[0], p.y * grid.spacing_m[1], p.z * grid.spacing_m[2]};
    for (int r = 0; r < dimension; ++r)
      for (int a = 0; a < dimension; ++a)
        for (int b = 0; b < dimension; ++b) u[node * dimension + r] += q(r, a, b) * x[a] * x[b];
  }
  const std::vector<double> y = reference::apply(result.hub, u);
  int checked = 0;
  for (std::int64_t node = 0; node < grid.nodes(); ++node) {
    const Position p = node_position(grid, node);
    const std::array<std::int64_t, 3> at{p.x, p.y, p.z};
    bool interior = true;
    for (int axis = 0; axis < dimension; ++axis)
      interior = interior && at[axis] > 0 && at[axis] < grid.extents[axis] - 1;
    if (!interior) continue;
    ++checked;
    for (int r = 0; r < dimension; ++r) {
      double expected = 0;
      for (int c = 0; c < dimension; ++c) expected -= 2 * mu * q(r, c, c) + 2 * (lambda + mu) * q(c, r, c);
      EXPECT_NEAR(y[node * dimension + r], expected, 1e-9) << "node " << node << " r " << r;
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(Elasticity, QuadraticsAreExact) {
  check_quadratics(body("5x4"));
  check_quadratics(body("4x5x4"));
}

// u_r = sin(k . x + r) on a periodic box, k = 2 pi/length: every second derivative is -k_a k_b sin.
double wave_error(int dimension, std::int64_t n) {
  Grid grid;
  grid.dimension = grid.dof = dimension;
  const std::array<double, 3> length{1, 1.5, 0.8};
  std::array<double, 3> k{};
  for (int axis = 0; axis < dimension; ++axis) {
    grid.extents[axis] = n;
    grid.spacing_m[axis] = length[axis] / static_cast<double>(n);
    k[axis] = 2 * std::numbers::pi / length[axis];
  }
  const Stencil box = box_stencil(dimension, 1);
  const auto result =
      assemble<double>(grid, box, parse_boundary("periodic", dimension), elasticity(grid, box, lambda, mu));
  std::vector<double> u(grid.rows()), exact(grid.rows());
  for (std::int64_t node = 0; node < grid.nodes(); ++node) {
    const Position p = node_position(grid, node);
    const double phase =
        k[0] * p.x * grid.spacing_m[0] + k[1] * p.y * grid.spacing_m[1] + k[2] * p.z * grid.spacing_m[2];
    for (int r = 0; r < dimension; ++r) {
      u[node * dimension + r] = std::sin(phase + r);
      double& f = exact[node * dimension + r];
      for (int c = 0; c < dimension; ++c)
        f += mu * k[c] * k[c] * std::sin(phase + r) + (lambda + mu) * k[r] * k[c] * std::sin(phase + c);
    }
  }
  const std::vector<double> y = reference::apply(result.hub, u);
  double error = 0;
  for (std::size_t i = 0; i < y.size(); ++i) error = std::max(error, std::abs(y[i] - exact[i]));
  return error;
}

TEST(Elasticity, HasOrderTwo) {
  EXPECT_NEAR(std::log2(wave_error(2, 16) / wave_error(2, 32)), 2, 0.1);
  EXPECT_NEAR(std::log2(wave_error(3, 12) / wave_error(3, 24)), 2, 0.1);
}

TEST(Elasticity, BlocksByHand) {
  Grid grid = parse_grid("3x3");
  grid.dof = 2;
  grid.spacing_m = {1, 0.5, 1};                                    // 1/h^2: 1 and 4
  const Elasticity e = elasticity(grid, box_stencil(2, 1), 2, 1);  // lambda + mu = 3
  const auto block = [&](int p) {
    return std::array<double, 4>{e.weight[p][0], e.weight[p][1], e.weight[p][3], e.weight[p][4]};
  };
  EXPECT_EQ(block(4), (std::array<double, 4>{10 + 6, 0, 0, 10 + 24}));  // centre
  EXPECT_EQ(block(5), (std::array<double, 4>{-1 - 3, 0, 0, -1}));       // +x
  EXPECT_EQ(block(1), (std::array<double, 4>{-4, 0, 0, -4 - 12}));      // -y
  EXPECT_EQ(block(8), (std::array<double, 4>{0, -1.5, -1.5, 0}));       // +x +y: 3/(4*0.5)
  EXPECT_EQ(block(6), (std::array<double, 4>{0, 1.5, 1.5, 0}));         // -x +y
}

TEST(Elasticity, IsSymmetric) {
  const Grid grid = body("3x4x3");
  const Stencil box = box_stencil(3, 1);
  for (const char* boundary : {"drop", "periodic"}) {
    reference::Dense a = reference::dense_of(
        assemble<double>(grid, box, parse_boundary(boundary, 3), elasticity(grid, box, lambda, mu)).hub);
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < i; ++j) ASSERT_EQ(a.at(i, j), a.at(j, i));
  }
}

TEST(Elasticity, RefusesWhatItCannotDo) {
  Grid grid = parse_grid("4x4");
  EXPECT_THROW(elasticity(grid, box_stencil(2, 1)), InputError);
  grid.dof = 2;
  EXPECT_NO_THROW(elasticity(grid, box_stencil(2, 1)));
  EXPECT_THROW(elasticity(grid, star_stencil(2, 1)), InputError);
  EXPECT_THROW(elasticity(grid, box_stencil(2, 2)), InputError);
  EXPECT_THROW(elasticity(grid, box_stencil(2, 1), 1, 0), InputError);
  EXPECT_THROW(elasticity(grid, box_stencil(2, 1), -2, 1), InputError);
}

}  // namespace
}  // namespace quadrille
