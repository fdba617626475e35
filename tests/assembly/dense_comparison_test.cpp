// The hub against the dense assembly of dense_reference.hpp, over random combinations of everything: bit by
// bit where all numbers are whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/assembly/dense_reference.hpp"

namespace quadrille {
namespace {

// Integers that depend on everything a functor is given, so that a wrong argument shows. Sums are exact in
// float.
struct Telling {
  // 0 at some nodes, where nothing flows.
  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const {
    return static_cast<double>((node.index + node.position.y + 2 * axis + 3 * unknown) % 4);
  }

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
  grid.spacing_m = {0.5, 0.25, 2};
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

FaceBoundary random_face(Dice& dice, bool of_lines) {
  const std::array<BoundaryKind, 4> whole{BoundaryKind::drop, BoundaryKind::clamp, BoundaryKind::value,
                                          BoundaryKind::outflow};
  const double value = 1 + dice.upto(9);
  const int kind = dice.upto(of_lines ? 6 : 4);
  if (kind == 4) return {BoundaryKind::flux, value};
  if (kind == 5) return {BoundaryKind::robin, value, 1.0 + dice.upto(2), static_cast<double>(dice.upto(3))};
  return {whole[kind], value};
}

// Of every kind, or only of those with which all numbers are whole; of some, unknowns differ and data are
// functions.
Boundary random_boundary(Dice& dice, const Grid& grid, bool of_lines) {
  const bool differ = dice.upto(2) == 0, functions = dice.upto(2) == 0;
  Boundary boundary;
  if (differ) boundary.of_unknown.resize(grid.dof);
  for (int axis = 0; axis < grid.dimension; ++axis) {
    const bool periodic = dice.upto(3) == 0;
    for (int face = 2 * axis; face < 2 * axis + 2; ++face) {
      const auto draw = [&] {
        return periodic ? FaceBoundary{BoundaryKind::periodic} : random_face(dice, of_lines);
      };
      boundary.faces[face] = draw();
      bool takes = !differ && takes_data(boundary.faces[face]);
      for (Faces& faces : boundary.of_unknown) takes = takes_data(faces[face] = draw()) || takes;
      if (functions && takes)
        boundary.data[face] = [face](const Position& p, int unknown) {
          return static_cast<double>(face + 2 * p.x - 3 * p.y + 5 * p.z + 7 * unknown);
        };
    }
  }
  return boundary;
}

// Equal but for `tolerance` of the largest number.
void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 0;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * largest) << "at " << i;
}

template <class T>
void compare(const Grid& grid, const Stencil& stencil, const Boundary& boundary, double tolerance) {
  const auto result = assemble<T>(grid, stencil, boundary, Telling{});
  const reference::Dense expected = reference::assemble_dense(grid, stencil, boundary, Telling{});
  EXPECT_NO_THROW(validate(result.hub));
  std::int64_t stray = 0;
  expect_near(reference::dense_of(result.hub, &stray).a, expected.a, tolerance);
  EXPECT_EQ(stray, 0);
  expect_near(result.rhs, expected.rhs, tolerance > 0 ? 1e-13 : 0);
  std::vector<NodeOffset> offsets;
  for (const auto& [z, y, x] : expected.zyx)
    offsets.push_back({std::int32_t(x), std::int32_t(y), std::int32_t(z)});
  EXPECT_EQ(result.hub.offsets, offsets);
}

class DenseComparison : public ::testing::TestWithParam<unsigned> {};

TEST_P(DenseComparison, HubEqualsDense) {
  Dice dice(GetParam());
  for (int trial = 0; trial < 60; ++trial) {
    const Grid grid = random_grid(dice);
    const Stencil stencil = random_stencil(dice, grid.dimension);
    const bool of_lines = trial % 2 == 1;
    const Boundary boundary = random_boundary(dice, grid, of_lines);
    SCOPED_TRACE("trial " + std::to_string(trial) + ": " + to_string(grid) + " dof " +
                 std::to_string(grid.dof) + " " + stencil.name + " radius " + std::to_string(stencil.radius) +
                 " " + to_string(boundary, grid.dimension));
    compare<double>(grid, stencil, boundary, of_lines ? 1e-13 : 0);
    compare<float>(grid, stencil, boundary, of_lines ? 1e-6 : 0);
    if (::testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DenseComparison, ::testing::Range(0u, 8u));

}  // namespace
}  // namespace quadrille
