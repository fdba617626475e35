// What multigrid makes of an operator when it is set up, against the parts of kernels/ that make the same in
// other ways.
#include "assembly/pde/diffusion.hpp"
#include "cases.hpp"
#include "kernels/galerkin.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/multigrid/coarsening.hpp"
#include "kernels/multigrid/on_host.hpp"
#include "kernels/operator_weights.hpp"
#include "kernels/registry.hpp"

namespace quadrille::multigrid_test {
namespace {

using multigrid::OnHost;

struct Shape {
  std::array<std::int64_t, 3> extents;
  int dof;
  const char* sides;
};
const Shape shapes[] = {{{16, 13, 1}, 1, "clamp"},
                        {{9, 8, 1}, 2, "periodic,periodic,clamp,clamp"},
                        {{24, 17, 1}, 1, "value:0"},
                        {{8, 9, 6}, 1, "periodic"},
                        {{5, 2, 7}, 2, "clamp"},
                        {{1, 9, 12}, 1, "clamp,clamp,periodic,periodic,value:0,value:0"},
                        {{31, 1, 1}, 1, "value:0,value:0,clamp,clamp"},
                        {{8, 9, 7}, 1, "value:0,clamp,periodic,periodic,clamp,value:1"}};

double largest_difference(const Hub& a, const Hub& b) {
  const Csr<double> left = to_csr(a), right = to_csr(b);
  std::vector<double> dense(static_cast<std::size_t>(left.rows * left.columns));
  for (const auto& [csr, sign] : {std::pair(&left, 1), std::pair(&right, -1)})
    for (std::int64_t i = 0; i < csr->rows; ++i)
      for (std::int64_t k = csr->row_ptr[i]; k < csr->row_ptr[i + 1]; ++k)
        dense[i * csr->columns + csr->column[k]] += sign * csr->value[k];
  double largest = 0;
  for (const double v : dense) largest = std::max(largest, std::abs(v));
  return largest;
}

double largest_of(const Hub& a) {
  double largest = 0;
  for (const double v : a.values) largest = std::max(largest, std::abs(v));
  return largest;
}

Hub product_of_transfer(const Hub& a, const GridTransfer<double>& p) {
  Source<double> source;
  auto hub = std::make_shared<Hub>();
  static_cast<BlockStructure&>(*hub) = a;
  hub->values = Array<double>(a.values.size());
  std::copy(a.values.begin(), a.values.end(), hub->values.data());
  source.hub = hub;
  for (const FormatEntry& entry : registry())
    if (entry.name == "cds" && entry.space == SpaceKind::cpu)
      return galerkin_product(*entry.make_fp64(source, {}), p, galerkin_radius(1));
  throw FormatError("cds is not registered");
}

TEST(GridMultigridSetUp, WeightsAndCoarseOperatorsAreThoseOfTheOtherWay) {
  OnHost machine;
  for (const Shape& s : shapes)
    for (const double jump : {1.0, 1e6}) {
      const Grid grid = grid_of(s.extents, {1, 1, 1}, s.dof);
      SCOPED_TRACE(to_string(grid) + " " + s.sides);
      const Hub a = jumping(grid, s.sides, 5, jump);
      const auto next = multigrid::coarsen(machine, a, false, LevelInterpolation::by_operator);
      ASSERT_TRUE(next.there);
      const Boundary boundary = parse_boundary(s.sides, grid.dimension);
      for (int axis = 0; axis < grid.dimension; ++axis) {
        const bool stays = s.extents[axis] == 1 || (boundary.periodic(axis) && s.extents[axis] < 5);
        EXPECT_EQ(next.halved[axis], !stays) << axis;
        if (stays) continue;
        const AxisInterpolation expected =
            nested_interpolation(s.extents[axis], boundary.faces[2 * axis], boundary.faces[2 * axis + 1]);
        EXPECT_EQ(next.axes[axis].node, expected.node) << axis;
        EXPECT_EQ(next.axes[axis].weight, expected.weight) << axis;
      }
      const Array<double> expected = operator_weights(a, next.axes);
      for (std::int64_t i = 0; i < next.weights.size(); ++i)
        ASSERT_NEAR(next.weights[i], expected[i], 1e-13) << i % a.rows();
      const Hub coarse = multigrid::galerkin(machine, a, next.nodes(multigrid::couplings_of(a)));
      EXPECT_NO_THROW(validate(coarse));
      const auto p = make_operator_transfer(next.axes, a, SpaceKind::cpu);
      EXPECT_LE(largest_difference(coarse, product_of_transfer(a, *p)), 1e-12 * largest_of(a));
    }
}

TEST(GridMultigridSetUp, LinearCoarseOperatorsOfDenseBlocks) {
  OnHost machine;
  for (const Shape& s : shapes)
    for (const char* stencil : {"star", "box"}) {
      const Grid grid = grid_of(s.extents, {1, 1, 1}, 3);
      SCOPED_TRACE(to_string(grid) + " " + s.sides + " " + stencil);
      const Hub a = dominant_blocks(grid, stencil, s.sides, 1.0);
      const auto next = multigrid::coarsen(machine, a, false, LevelInterpolation::linear);
      const Hub coarse = multigrid::galerkin(machine, a, next.nodes(multigrid::couplings_of(a)));
      const auto p = make_grid_transfer<double>(next.axes, 3, SpaceKind::cpu);
      EXPECT_LE(largest_difference(coarse, product_of_transfer(a, *p)), 1e-12 * largest_of(a));
    }
}

// Sizes around the blocks of the elimination; without exchanging rows, so for matrices whose diagonals are
// large.
TEST(GridMultigridSetUp, DenseInverse) {
  OnHost machine;
  for (const std::int64_t n : {1, 5, 31, 32, 33, 64, 70, 129}) {
    Vector a = noise(n * n, static_cast<unsigned>(n));  // [column][row]
    for (std::int64_t i = 0; i < n; ++i) a[i * n + i] += static_cast<double>(n);
    Vector inverse = a;
    multigrid::invert(machine, n, inverse.data());
    double off = 0;
    for (std::int64_t r = 0; r < n; ++r)
      for (std::int64_t c = 0; c < n; ++c) {
        double sum = r == c ? -1 : 0;
        for (std::int64_t k = 0; k < n; ++k) sum += a[k * n + r] * inverse[c * n + k];
        off = std::max(off, std::abs(sum));
      }
    EXPECT_LE(off, 1e-13) << n;
  }
}

// A row and a column of zeros have a row and a column of zeros in the inverse, which is that of the rest.
TEST(GridMultigridSetUp, DenseInverseLeavesOutWhatIsNotThere) {
  OnHost machine;
  constexpr std::int64_t n = 70, none = 40;
  Vector a = noise(n * n, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    a[i * n + i] += n;
    a[none * n + i] = a[i * n + none] = 0;
  }
  Vector inverse = a;
  multigrid::invert(machine, n, inverse.data());
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t c = 0; c < n; ++c) {
      double sum = 0;
      for (std::int64_t k = 0; k < n; ++k) sum += a[k * n + r] * inverse[c * n + k];
      ASSERT_NEAR(sum, r == c && r != none ? 1 : 0, 1e-13);
      if (r == none || c == none) {
        ASSERT_EQ(inverse[c * n + r], 0);
      }
    }
}

}  // namespace
}  // namespace quadrille::multigrid_test
