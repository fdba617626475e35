// The hub against the dense assembly of dense_reference.hpp, bit by bit, over random combinations of
// everything.
#include <gtest/gtest.h>

#include <random>

#include "tests/assembly/dense_reference.hpp"

namespace quadrille {
namespace {

// Integers that depend on everything a functor is given, so that a wrong argument shows. Sums are exact in
// float.
struct Telling {
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& n, int r, int c) const {
    std::int64_t h = 17;
    for (const std::int64_t v :
         {node.index, node.position.x, node.position.y, node.position.z, std::int64_t{n.point},
          std::int64_t{n.offset.x}, std::int64_t{n.offset.y}, std::int64_t{n.offset.z}, n.index,
          n.resolved.position.x, n.resolved.position.y, n.resolved.position.z,
          static_cast<std::int64_t>(n.resolved.kind), std::int64_t{r}, std::int64_t{c}})
      h = (h * 1009 + v + 50) % 1000003;
    return static_cast<double>(h % 201 - 100);
  }
};

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  int upto(int n) { return static_cast<int>(random_() % n); }  // 0..n-1

 private:
  std::mt19937 random_;
};

Grid random_grid(Dice& dice) {
  const std::array<std::int64_t, 7> flat{1, 2, 3, 4, 5, 7, 11};
  const std::array<std::int64_t, 5> solid{1, 2, 3, 4, 5};
  Grid grid;
  grid.dimension = 2 + dice.upto(2);
  for (int axis = 0; axis < grid.dimension; ++axis)
    grid.extents[axis] = grid.dimension == 2 ? flat[dice.upto(7)] : solid[dice.upto(5)];
  grid.dof = 1 + dice.upto(grid.nodes() > 60 ? 2 : 5);
  return grid;
}

Stencil random_stencil(Dice& dice, int dimension) {
  const int kind = dice.upto(3), radius = 1 + dice.upto(4);
  if (kind == 0) return star_stencil(dimension, radius);
  if (kind == 1) return box_stencil(dimension, dimension == 2 ? radius : 1 + dice.upto(2));
  Stencil stencil{"custom", max_stencil_radius, {}};
  const Stencil box = box_stencil(dimension, max_stencil_radius);
  const int points = 1 + dice.upto(12);
  for (int i = 0; i < points; ++i) stencil.offsets.push_back(box.offsets[dice.upto(int(box.offsets.size()))]);
  std::sort(stencil.offsets.begin(), stencil.offsets.end());
  stencil.offsets.erase(std::unique(stencil.offsets.begin(), stencil.offsets.end()), stencil.offsets.end());
  return stencil;
}

Boundary random_boundary(Dice& dice, int dimension) {
  const std::array<BoundaryKind, 3> open{BoundaryKind::drop, BoundaryKind::clamp, BoundaryKind::value};
  Boundary boundary;
  for (int axis = 0; axis < dimension; ++axis) {
    const bool periodic = dice.upto(3) == 0;
    for (int side = 0; side < 2; ++side)
      boundary.faces[2 * axis + side] = {periodic ? BoundaryKind::periodic : open[dice.upto(3)],
                                         static_cast<double>(1 + dice.upto(9))};
  }
  return boundary;
}

template <class T>
void compare(const Grid& grid, const Stencil& stencil, const Boundary& boundary) {
  const auto result = assemble<T>(grid, stencil, boundary, Telling{});
  const reference::Dense expected = reference::assemble_dense(grid, stencil, boundary, Telling{});
  EXPECT_NO_THROW(validate(result.hub));
  std::int64_t stray = 0;
  EXPECT_EQ(reference::dense_of(result.hub, &stray).a, expected.a);
  EXPECT_EQ(stray, 0);
  EXPECT_EQ(result.rhs, expected.rhs);
  std::vector<NodeOffset> offsets;
  for (const auto& [z, y, x] : expected.zyx)
    offsets.push_back({std::int32_t(x), std::int32_t(y), std::int32_t(z)});
  EXPECT_EQ(result.hub.offsets, offsets);
}

class DenseComparison : public ::testing::TestWithParam<unsigned> {};

TEST_P(DenseComparison, HubEqualsDense) {
  Dice dice(GetParam());
  for (int trial = 0; trial < 40; ++trial) {
    const Grid grid = random_grid(dice);
    const Stencil stencil = random_stencil(dice, grid.dimension);
    const Boundary boundary = random_boundary(dice, grid.dimension);
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + to_string(grid) + " dof " +
                 std::to_string(grid.dof) + " " + stencil.name + " radius " + std::to_string(stencil.radius) +
                 " " + to_string(boundary, grid.dimension));
    compare<double>(grid, stencil, boundary);
    compare<float>(grid, stencil, boundary);
    if (::testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DenseComparison, ::testing::Range(0u, 8u));

}  // namespace
}  // namespace quadrille
