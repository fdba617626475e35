#include "assembly/pde/diffusion.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "assembly/pde/laplacian.hpp"
#include "grid/error.hpp"
#include "tests/assembly/dense_reference.hpp"

namespace quadrille {
namespace {

using Doubles = std::vector<double>;

AssembledOperator<double> assembled(const Grid& grid, const std::string& boundary, Array<double> a) {
  const Stencil star = star_stencil(grid.dimension, 1);
  const Boundary faces = parse_boundary(boundary, grid.dimension);
  const DiffusionCoefficients coefficients = diffusion(grid, star, faces, std::move(a));
  return assemble<double>(grid, star, faces, coefficients.functor());
}

// a = 1 3 1 along x, h_y = 2: harmonic means 3/2 inside; y faces are the node's own a, times 1/4.
TEST(Diffusion, ThreeNodesByHand) {
  Grid grid = parse_grid("3x1");
  grid.spacing_m = {1, 2, 1};
  const auto dense = [&](const std::string& boundary) {
    return reference::dense_of(assembled(grid, boundary, {1, 3, 1}).hub).a;
  };
  EXPECT_EQ(dense("drop"), (Doubles{3, -1.5, 0, -1.5, 4.5, -1.5, 0, -1.5, 3}));
  EXPECT_EQ(dense("clamp"), (Doubles{1.5, -1.5, 0, -1.5, 3, -1.5, 0, -1.5, 1.5}));
  EXPECT_EQ(dense("periodic"), (Doubles{2.5, -1.5, -1, -1.5, 3, -1.5, -1, -1.5, 2.5}));
  EXPECT_EQ(dense("clamp,drop,clamp,clamp"), (Doubles{1.5, -1.5, 0, -1.5, 3, -1.5, 0, -1.5, 2.5}));
  const auto values = assembled(grid, "value:10,value:20,value:4,value:8", {1, 3, 1});
  EXPECT_EQ(reference::dense_of(values.hub).a, dense("drop"));
  EXPECT_EQ(values.rhs, (Doubles{10 + 3, 9, 20 + 3}));
}

// a = 1 0 3 along x: nothing flows through the node between, whose row has the centre of a = 1. Along y half
// as much.
TEST(Diffusion, ABarrierAndARatioByHand) {
  const Grid grid = parse_grid("3x1");
  const Stencil star = star_stencil(2, 1);
  const auto assembled = [&](const char* sides) {
    const Boundary faces = parse_boundary(sides, 2);
    const DiffusionCoefficients c =
        diffusion_around(grid, star, faces, whole_box(grid.extents), {1, 0, 3}, {1, 0.5, 1});
    return assemble<double>(grid, star, faces, c.functor());
  };
  EXPECT_EQ(reference::dense_of(assembled("clamp").hub).a, (Doubles{0, 0, 0, 0, 3, 0, 0, 0, 0}));
  EXPECT_EQ(reference::dense_of(assembled("periodic").hub).a, (Doubles{1.5, 0, -1.5, 0, 3, 0, -1.5, 0, 1.5}));
  const auto values = assembled("value:4,value:5,value:6,clamp");
  EXPECT_EQ(reference::dense_of(values.hub).a, (Doubles{1.5, 0, 0, 0, 3, 0, 0, 0, 4.5}));
  EXPECT_EQ(values.rhs, (Doubles{4 + 3, 0, 15 + 9}));
}

TEST(Diffusion, ConstantFieldIsTheLaplacian) {
  for (const char* boundary : {"drop", "periodic", "clamp", "value:2"})
    for (const char* text : {"5x4x3", "1x2x3", "4x1x1"}) {
      Grid grid = parse_grid(text);
      grid.dof = 2;
      grid.spacing_m = {0.5, 1, 0.25};
      const Stencil star = star_stencil(3, 1);
      const auto expected = assemble<double>(grid, star, parse_boundary(boundary, 3), laplacian(grid, star));
      const auto result = assembled(grid, boundary, Array<double>(grid.nodes(), 1.0));
      EXPECT_EQ(reference::dense_of(result.hub).a, reference::dense_of(expected.hub).a)
          << boundary << " " << text;
      EXPECT_EQ(result.rhs, expected.rhs) << boundary << " " << text;
    }
}

TEST(Diffusion, IsSymmetricBitByBit) {
  for (const char* boundary :
       {"drop", "periodic", "clamp", "value:1", "clamp,drop,periodic,periodic,value:2,clamp"})
    for (const char* text : {"9x3x2", "10x1x3"}) {
      Grid grid = parse_grid(text);
      grid.dof = 2;
      grid.spacing_m = {0.3, 0.7, 1.1};
      reference::Dense a = reference::dense_of(assembled(grid, boundary, log_normal_field(grid, 3)).hub);
      for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < i; ++j)
          ASSERT_EQ(a.at(i, j), a.at(j, i)) << boundary << " " << i << " " << j;
    }
}

// No flux through clamped or periodic faces: rows sum to zero, up to rounding.
TEST(Diffusion, ConservesWithoutOpenFaces) {
  const Grid grid = parse_grid("17x9");
  for (const char* boundary : {"clamp", "periodic"}) {
    const auto result = assembled(grid, boundary, log_normal_field(grid, 3));
    const Doubles sums = reference::apply(result.hub, Doubles(grid.rows(), 1.0));
    const reference::Dense a = reference::dense_of(result.hub);
    for (std::int64_t i = 0; i < grid.rows(); ++i) EXPECT_LE(std::abs(sums[i]), 1e-14 * a.a[i * a.rows + i]);
  }
}

// -(a u')' for a = exp(sin x), u = cos x on a periodic circle; -(a u')' = exp(sin x) (sin x cos x + cos x).
TEST(Diffusion, HasOrderTwoForSmoothFields) {
  const auto error = [](std::int64_t n) {
    Grid grid = parse_grid(std::to_string(n) + "x2");
    grid.spacing_m[0] = 2 * std::numbers::pi / static_cast<double>(n);
    Array<double> a(grid.nodes());
    Doubles u(grid.nodes());
    for (std::int64_t node = 0; node < grid.nodes(); ++node) {
      const double x = grid.spacing_m[0] * static_cast<double>(node % n);
      a[node] = std::exp(std::sin(x));
      u[node] = std::cos(x);
    }
    const Doubles y = reference::apply(assembled(grid, "periodic", std::move(a)).hub, u);
    double largest = 0;
    for (std::int64_t node = 0; node < grid.nodes(); ++node) {
      const double x = grid.spacing_m[0] * static_cast<double>(node % n);
      const double exact = std::exp(std::sin(x)) * (std::sin(x) * std::cos(x) + std::cos(x));
      largest = std::max(largest, std::abs(y[node] - exact));
    }
    return largest;
  };
  EXPECT_NEAR(std::log2(error(64) / error(128)), 2, 0.1);
}

TEST(Diffusion, FieldHasTheStatisticsItPromises) {
  const Grid grid = parse_grid("64x64x64");
  const Array<double> plain = log_normal_field(grid, 11, 0.5, 1.0),
                      jumping = log_normal_field(grid, 11, 0.5, 1e6);
  double mean = 0, square = 0;
  std::int64_t jumps = 0;
  for (std::int64_t i = 0; i < grid.nodes(); ++i) {
    const double g = std::log(plain[i]) / 0.5;
    mean += g;
    square += g * g;
    const bool jumped = jumping[i] == plain[i] * 1e6;
    ASSERT_TRUE(jumped || jumping[i] == plain[i]);
    jumps += jumped;
  }
  const double n = static_cast<double>(grid.nodes());
  EXPECT_NEAR(mean / n, 0, 0.01);  // standard error 0.002
  EXPECT_NEAR(square / n, 1, 0.015);
  EXPECT_EQ(jumps % 512, 0);  // whole blocks of 8x8x8
  EXPECT_NEAR(static_cast<double>(jumps) / n, 0.25, 0.08);
  const Array<double> other = log_normal_field(grid, 12, 0.5, 1e6);
  EXPECT_NE(std::memcmp(other.data(), jumping.data(), jumping.bytes()), 0);
}

TEST(Diffusion, FieldDoesNotDependOnThreads) {
  const Grid grid = parse_grid("33x17");
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const Array<double> one = log_normal_field(grid, 4);
  omp_set_num_threads(5);
  const Array<double> five = log_normal_field(grid, 4);
  omp_set_num_threads(before);
  EXPECT_EQ(std::memcmp(one.data(), five.data(), one.bytes()), 0);
}

TEST(Diffusion, RefusesOtherStencilsAndFields) {
  const Grid grid = parse_grid("3x1");
  EXPECT_THROW(diffusion(grid, star_stencil(2, 2), {}, {1, 1, 1}), InputError);
  EXPECT_THROW(diffusion(grid, box_stencil(2, 1), {}, {1, 1, 1}), InputError);
  EXPECT_THROW(diffusion(grid, star_stencil(2, 1), {}, {1, 1}), InputError);
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(diffusion(grid, star_stencil(2, 1), {}, {1, bad, 1}), InputError) << bad;
}

}  // namespace
}  // namespace quadrille
