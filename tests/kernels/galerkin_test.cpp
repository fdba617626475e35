// P^T A P against PETSc's MatPtAP, and interpolation that follows an operator.
#include "kernels/galerkin.hpp"

#include <algorithm>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/problem.hpp"
#include "grid/partition.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/operator_weights.hpp"
#include "transfer_cases.hpp"

namespace quadrille {
namespace {

// P^T A P of a random operator, through products of every format, against PETSc's MatPtAP.
void galerkin_agrees(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  struct Shape {
    int dimension, dof;
    std::array<std::int64_t, 3> extents;
    const char *stencil, *sides;
    int radius = 1;
  };
  const Shape shapes[] = {{2, 1, {12, 9, 1}, "star", "value:0"},
                          {2, 2, {13, 8, 1}, "box", "periodic,periodic,clamp,value:1"},
                          {2, 1, {20, 14, 1}, "star", "periodic"},
                          {2, 1, {9, 3, 1}, "box", "periodic"},
                          {2, 1, {2, 1, 1}, "star", "clamp"},
                          {2, 1, {16, 17, 1}, "star", "clamp,clamp,periodic,periodic", 3},
                          {3, 1, {8, 7, 6}, "star", "value:0,clamp,periodic,periodic,clamp,drop"},
                          {3, 2, {5, 6, 4}, "box", "clamp"}};
  for (const Shape& s : shapes) {
    const Grid grid{s.dimension, s.extents, {1, 1, 1}, s.dof};
    const Boundary boundary = parse_boundary(s.sides, s.dimension);
    const Stencil stencil = make_stencil(s.stencil, s.dimension, s.radius);
    Source<double> source;
    source.hub = std::make_shared<const BlockDiagonals<double>>(
        assemble<double>(grid, stencil, boundary, random_blocks(3)).hub);
    source.csr = std::make_shared<const Csr<double>>(to_csr(*source.hub));
    std::array<AxisInterpolation, 3> axes;
    for (int axis = 0; axis < 3; ++axis)
      axes[axis] = axis < s.dimension ? nested_interpolation(s.extents[axis], boundary.faces[2 * axis],
                                                             boundary.faces[2 * axis + 1])
                                      : nested_interpolation(1, clamp, clamp);
    const auto p = make_grid_transfer<double>(axes, s.dof, space);
    const Handle<Mat> a = aij_of(*source.csr, 1), interpolation = aij_of(p->to_csr(), 1);
    const Handle<Mat> expected = make<Mat>("MatPtAP", [&](Mat* m) {
      return MatPtAP(a.get(), interpolation.get(), MAT_INITIAL_MATRIX, PETSC_DEFAULT, m);
    });
    for (const FormatEntry& entry : registry()) {
      if (entry.space != space || !entry.make_fp64 ||
          (entry.name != "cds" && entry.name != "csr" && entry.name != "ell"))
        continue;
      SCOPED_TRACE(entry.name + ", " + to_string(grid) + ", " + s.sides);
      const auto op = entry.make_fp64(source, {});
      const BlockDiagonals<double> hub = galerkin_product(*op, *p, galerkin_radius(s.radius));
      validate(hub);
      const Handle<Mat> found = aij_of(to_csr(hub), 1);
      CALL(MatAXPY(found.get(), -1, expected.get(), DIFFERENT_NONZERO_PATTERN));
      PetscReal off = 1;
      CALL(MatNorm(found.get(), NORM_INFINITY, &off));
      EXPECT_LE(off, 1e-12);
    }
  }
}

TEST(Galerkin, IsPetscsTripleProduct_cpu) {
  galerkin_agrees(SpaceKind::cpu);
}
TEST(Galerkin, IsPetscsTripleProduct_cuda) {
  galerkin_agrees(SpaceKind::cuda);
}

// -(a u')' with a known a on a line, and no flux through its ends: the flux is the same on both sides of a node between two.
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
  const std::array<AxisInterpolation, 3> axes{nested_interpolation(n, clamp, clamp),
                                              nested_interpolation(1, clamp, clamp),
                                              nested_interpolation(1, clamp, clamp)};
  const auto p = make_operator_transfer(axes, a, SpaceKind::cpu);
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

std::array<AxisInterpolation, 3> nested_axes(const Grid& grid, const Boundary& boundary) {
  std::array<AxisInterpolation, 3> axes;
  for (int axis = 0; axis < 3; ++axis)
    axes[axis] = axis < grid.dimension ? nested_interpolation(grid.extents[axis], boundary.faces[2 * axis],
                                                              boundary.faces[2 * axis + 1])
                                       : nested_interpolation(1, clamp, clamp);
  return axes;
}

// Constants where rows add up to zero; bilinear for minus the Laplacian of five points; products against to_csr().
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
    const std::array<AxisInterpolation, 3> axes = nested_axes(grid, boundary);
    const auto p = make_operator_transfer(axes, a, space);
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
        const std::vector<double> x = test_vector<double>(transposed ? p->rows() : p->columns(), false, 3),
                                  before =
                                      test_vector<double>(transposed ? p->columns() : p->rows(), false, 4);
        std::vector<double> expected = before;
        if (!add) std::fill(expected.begin(), expected.end(), 0);
        for (std::int64_t i = 0; i < csr.rows; ++i)
          for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
            expected[transposed ? csr.column[k] : i] += csr.value[k] * x[transposed ? i : csr.column[k]];
        const std::vector<double> y = run(*p, x, before, transposed, 1., add ? 1. : 0.);
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-13) << i;
      }
    const std::array<AxisInterpolation, 3> wrong{dmda_interpolation(4, 4, false), axes[1], axes[2]};
    EXPECT_THROW(make_operator_transfer(wrong, a, space), FormatError);
  }
}

TEST(OperatorWeights, Follow_cpu) {
  weights_follow(SpaceKind::cpu);
}
TEST(OperatorWeights, Follow_cuda) {
  weights_follow(SpaceKind::cuda);
}

// What ranks compute from their own planes and those beside is what one computes from all.
TEST(OperatorWeights, OfPlanesAreThoseOfTheWhole) {
  for (const Shape& s : {Shape{2, 2, {6, 9, 1}, "clamp"}, Shape{2, 1, {5, 8, 1}, "periodic"},
                         Shape{2, 1, {5, 7, 1}, "value:0"}, Shape{3, 2, {4, 5, 6}, "value:0"},
                         Shape{3, 1, {4, 3, 6}, "periodic"}, Shape{3, 1, {4, 3, 5}, "clamp"}}) {
    const Grid grid{s.dimension, s.extents, {1, 1, 1}, s.dof};
    const Boundary boundary = parse_boundary(s.sides, s.dimension);
    const BlockDiagonals<double> a = diffusion_on(grid, boundary);
    const std::array<AxisInterpolation, 3> axes = nested_axes(grid, boundary);
    const Array<double> expected = operator_weights(a, axes);
    const int axis = slowest_axis(s.extents);
    const std::int64_t n = s.extents[axis], of_plane = a.rows() / n;
    for (int ranks = 1; ranks <= n; ++ranks)
      for (int rank = 0; rank < ranks; ++rank) {
        SCOPED_TRACE(to_string(grid) + " " + s.sides + ", rank " + std::to_string(rank) + " of " +
                     std::to_string(ranks));
        const std::vector<std::int64_t> cuts = even_cuts(n, ranks);
        const struct { std::int64_t first, count; } own{cuts[rank], cuts[rank + 1] - cuts[rank]};
        std::vector<std::int32_t> planes;
        for (std::int64_t i = 0; i < own.count; ++i)
          planes.push_back(static_cast<std::int32_t>(own.first + i));
        for (const std::int64_t beside : {own.first - 1, own.first + own.count}) {
          const auto plane = static_cast<std::int32_t>((beside + n) % n);
          if ((beside < 0 || beside >= n) && !boundary.periodic(axis)) continue;
          if (std::find(planes.begin(), planes.end(), plane) == planes.end()) planes.push_back(plane);
        }
        const auto rows = static_cast<std::int64_t>(planes.size()) * of_plane;
        Array<double> values(a.diagonals() * s.dof * rows);
        for (std::int64_t column = 0; column < a.diagonals() * s.dof; ++column)
          for (std::size_t i = 0; i < planes.size(); ++i)
            std::copy_n(a.values.data() + column * a.rows() + planes[i] * of_plane, of_plane,
                        values.data() + column * rows + static_cast<std::int64_t>(i) * of_plane);
        const Array<double> found = operator_weights({a, axis, planes, values}, axes, 0, own.count);
        const std::int64_t own_rows = own.count * of_plane, corners = found.size() / own_rows;
        for (std::int64_t corner = 0; corner < (s.dimension == 2 ? 4 : 8); ++corner)
          for (std::int64_t row = 0; row < own_rows; ++row)
            ASSERT_EQ(corner < corners ? found[corner * own_rows + row] : 0,
                      expected[corner * a.rows() + own.first * of_plane + row])
                << "corner " << corner << ", row " << row;
      }
  }
}

TEST(OperatorWeights, AreLinearForTheLaplacian) {
  const Grid grid{2, {9, 8, 1}, {1, 1, 1}, 1};
  const Boundary boundary = parse_boundary("value:0,value:0,clamp,clamp", 2);
  const BlockDiagonals<double> a =
      assemble<double>(grid, star_stencil(2, 1), boundary, laplacian(grid, star_stencil(2, 1))).hub;
  const std::array<AxisInterpolation, 3> axes{nested_interpolation(9, value, value),
                                              nested_interpolation(8, clamp, clamp),
                                              nested_interpolation(1, clamp, clamp)};
  const Csr<double> csr = make_operator_transfer(axes, a, SpaceKind::cpu)->to_csr(),
                    linear = make_grid_transfer<double>(axes, 1, SpaceKind::cpu)->to_csr();
  ASSERT_EQ(csr.nnz(), linear.nnz());
  for (std::int64_t k = 0; k < csr.nnz(); ++k) EXPECT_NEAR(csr.value[k], linear.value[k], 1e-14);
}

TEST(Galerkin, ARadiusThatIsTooSmallIsSeen) {
  const Grid grid{2, {24, 20, 1}, {1, 1, 1}, 1};
  const Boundary boundary = parse_boundary("clamp", 2);
  Source<double> source;
  source.hub = std::make_shared<const BlockDiagonals<double>>(
      assemble<double>(grid, star_stencil(2, 1), boundary, random_blocks(3)).hub);
  std::array<AxisInterpolation, 3> axes{interpolation_by_position(24, 12, clamp, clamp),
                                        interpolation_by_position(20, 10, clamp, clamp),
                                        nested_interpolation(1, clamp, clamp)};
  const auto p = make_grid_transfer<double>(axes, 1, SpaceKind::cpu);
  for (const FormatEntry& entry : registry()) {
    if (entry.name != "cds" || entry.space != SpaceKind::cpu) continue;
    const auto op = entry.make_fp64(source, {});
    EXPECT_THROW(galerkin_product(*op, *p, 1), FormatError);
    EXPECT_NO_THROW(galerkin_product(*op, *p, 2));
  }
}

}  // namespace
}  // namespace quadrille
