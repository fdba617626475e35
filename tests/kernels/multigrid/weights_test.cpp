// Interpolation that follows an operator.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/problem.hpp"
#include "multigrid/cases.hpp"
#include "multigrid/operator_transfer.hpp"
#include "transfer_runs.hpp"

namespace quadrille::multigrid_test {
namespace {

// -(a u')' with a known a on a line, and no flux through its ends: the flux is the same on both sides of a
// node between two.
TEST(OperatorWeights, KeepTheFluxAcrossAJump) {
  const std::int64_t n = 8;
  BlockDiagonals<double> a;
  a.extents = {n, 1, 1};
  a.offsets = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  a.values = Array<double>(3 * n, 0.0);
  const double face[] = {0, 1, 1e6, 3, 4, 5, 1e-6, 7, 0};  // between node i - 1 and i
  for (std::int64_t i = 0; i < n; ++i) {
    a.values[i] = -face[i];
    a.values[n + i] = face[i] + face[i + 1];
    a.values[2 * n + i] = -face[i + 1];
  }
  const auto p = operator_transfer(a, SpaceKind::cpu);
  const std::vector<double> x{2, -3, 5, 11};
  const std::vector<double> y = run(*p, x, std::vector<double>(n), false, 1., 0.);
  for (std::int64_t i = 0; i < n; ++i) {
    const double expected = i % 2 == 0 ? x[i / 2]
                            : i == n - 1
                                ? x[i / 2]
                                : (face[i] * x[i / 2] + face[i + 1] * x[i / 2 + 1]) / (face[i] + face[i + 1]);
    EXPECT_NEAR(y[i], expected, 1e-12) << i;
  }
}

struct Shape {
  int dimension, dof;
  std::array<std::int64_t, 3> extents;
  const char* sides;
};

BlockDiagonals<double> diffusion_on(const Grid& grid, const Boundary& boundary) {
  const Stencil star = star_stencil(grid.dimension, 1);
  const DiffusionCoefficients field = diffusion(grid, star, boundary, log_normal_field(grid, 5));
  return assemble<double>(grid, star, boundary, field.functor()).hub;
}

// Constants where rows add up to zero; products against to_csr().
void weights_follow(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const Shape& s :
       {Shape{2, 1, {16, 13, 1}, "clamp"}, Shape{2, 2, {9, 8, 1}, "periodic,periodic,clamp,clamp"},
        Shape{3, 1, {8, 9, 6}, "periodic"}, Shape{3, 2, {5, 2, 7}, "clamp"},
        Shape{3, 1, {8, 9, 7}, "value:0,clamp,periodic,periodic,clamp,value:1"}}) {
    const Grid grid{s.dimension, s.extents, {1, 1, 1}, s.dof};
    SCOPED_TRACE(to_string(grid) + " " + s.sides);
    const Boundary boundary = parse_boundary(s.sides, s.dimension);
    const BlockDiagonals<double> a = diffusion_on(grid, boundary);
    const auto p = operator_transfer(a, space);
    const Csr<double> csr = p->to_csr();
    const auto largest = [&](const Csr<double>& m) {
      return *std::max_element(m.value.begin(), m.value.end());
    };
    const auto least = [&](const Csr<double>& m) {
      return *std::min_element(m.value.begin(), m.value.end());
    };
    EXPECT_LE(largest(csr), 1 + 1e-10);
    EXPECT_GE(least(csr), 0);
    if (fixes_no_value(grid, boundary)) {
      const std::vector<double> ones(static_cast<std::size_t>(p->columns()), 1.0);
      const std::vector<double> y =
          run(*p, ones, std::vector<double>(static_cast<std::size_t>(p->rows())), false, 1., 0.);
      for (const double v : y) EXPECT_NEAR(v, 1, 1e-9);
    }
    for (const bool transposed : {false, true})
      for (const bool add : {false, true}) {
        const std::vector<double> x = noise(transposed ? p->rows() : p->columns(), 3),
                                  before = noise(transposed ? p->columns() : p->rows(), 4);
        std::vector<double> expected = before;
        if (!add) std::fill(expected.begin(), expected.end(), 0);
        for (std::int64_t i = 0; i < csr.rows; ++i)
          for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
            expected[transposed ? csr.column[k] : i] += csr.value[k] * x[transposed ? i : csr.column[k]];
        const std::vector<double> y = run(*p, x, before, transposed, 1., add ? 1. : 0.);
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-13) << i;
      }
  }
}

TEST(OperatorWeights, Follow_cpu) {
  weights_follow(SpaceKind::cpu);
}
TEST(OperatorWeights, Follow_cuda) {
  weights_follow(SpaceKind::cuda);
}

TEST(OperatorWeights, AreLinearForTheLaplacian) {
  const Grid grid{2, {9, 8, 1}, {1, 1, 1}, 1};
  const Boundary boundary = parse_boundary("value:0,value:0,clamp,clamp", 2);
  const BlockDiagonals<double> a =
      assemble<double>(grid, star_stencil(2, 1), boundary, laplacian(grid, star_stencil(2, 1))).hub;
  const std::array<AxisInterpolation, 3> axes{
      nested_interpolation(9, {BoundaryKind::value, 0}, {BoundaryKind::value, 0}),
      nested_interpolation(8, {BoundaryKind::clamp, 0}, {BoundaryKind::clamp, 0}),
      nested_interpolation(1, {BoundaryKind::clamp, 0}, {BoundaryKind::clamp, 0})};
  const Csr<double> csr = operator_transfer(a, SpaceKind::cpu)->to_csr(),
                    linear = make_grid_transfer<double>(axes, 1, SpaceKind::cpu)->to_csr();
  ASSERT_EQ(csr.nnz(), linear.nnz());
  for (std::int64_t k = 0; k < csr.nnz(); ++k) EXPECT_NEAR(csr.value[k], linear.value[k], 1e-14);
}

}  // namespace
}  // namespace quadrille::multigrid_test
