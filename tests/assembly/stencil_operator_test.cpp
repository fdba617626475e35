#include "assembly/stencil_operator.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/random_blocks.hpp"
#include "grid/error.hpp"
#include "tests/assembly/dense_reference.hpp"

namespace quadrille {
namespace {

using Offsets = std::vector<NodeOffset>;
using Doubles = std::vector<double>;

Stencil custom(std::vector<Offset> offsets) {
  return {"custom", max_stencil_radius, std::move(offsets)};
}

Offsets offsets_of(const std::string& grid, const Stencil& stencil, const std::string& boundary) {
  const Grid parsed = parse_grid(grid);
  return block_structure(parsed, stencil, parse_boundary(boundary, parsed.dimension)).offsets;
}

// 5-point Laplacian on 3x2 nodes with h_x = 1, h_y = 1/2: 1/h^2 is 1 and 4, the centre 2*1 + 2*4 = 10.
AssembledOperator<double> five_point(const std::string& boundary) {
  Grid grid = parse_grid("3x2");
  grid.spacing_m = {1, 0.5, 1};
  const Stencil stencil = star_stencil(2, 1);
  return assemble<double>(grid, stencil, parse_boundary(boundary, 2), laplacian(grid, stencil));
}

const Doubles dropped{10, -1, 0,  -4, 0,  0,   //
                      -1, 10, -1, 0,  -4, 0,   //
                      0,  -1, 10, 0,  0,  -4,  //
                      -4, 0,  0,  10, -1, 0,   //
                      0,  -4, 0,  -1, 10, -1,  //
                      0,  0,  -4, 0,  -1, 10};

TEST(StencilOperator, FivePointDrop) {
  const auto result = five_point("drop");
  EXPECT_EQ(reference::dense_of(result.hub).a, dropped);
  EXPECT_EQ(result.rhs, Doubles(6, 0.0));
  EXPECT_EQ(result.stencil, "star radius 1");
  EXPECT_EQ(result.hub.offsets, (Offsets{{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
  const Doubles stored{0,  0,  0,  -4, -4, -4,  //
                       0,  -1, -1, 0,  -1, -1,  //
                       10, 10, 10, 10, 10, 10,  //
                       -1, -1, 0,  -1, -1, 0,   //
                       -4, -4, -4, 0,  0,  0};
  EXPECT_EQ(Doubles(result.hub.values.begin(), result.hub.values.end()), stored);
}

TEST(StencilOperator, FivePointValues) {
  const auto result = five_point("value:2,value:3,value:5,value:7");
  EXPECT_EQ(reference::dense_of(result.hub).a, dropped);
  EXPECT_EQ(result.rhs, (Doubles{2 + 20, 20, 3 + 20, 2 + 28, 28, 3 + 28}));
}

TEST(StencilOperator, FivePointClamp) {
  Doubles expected = dropped;
  const Doubles centre{5, 6, 5, 5, 6, 5};
  for (int row = 0; row < 6; ++row) expected[row * 7] = centre[row];
  const auto result = five_point("clamp");
  EXPECT_EQ(reference::dense_of(result.hub).a, expected);
  EXPECT_EQ(result.hub.diagonals(), 5);
}

TEST(StencilOperator, FivePointPeriodic) {
  const auto result = five_point("periodic");
  EXPECT_EQ(result.hub.offsets,
            (Offsets{{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));  // y: two nodes, +-1 alias
  EXPECT_EQ(result.hub.periodic, (std::array<bool, 3>{true, true, false}));
  EXPECT_EQ(reference::dense_of(result.hub).a, (Doubles{10, -1, -1, -8, 0,  0,   //
                                                        -1, 10, -1, 0,  -8, 0,   //
                                                        -1, -1, 10, 0,  0,  -8,  //
                                                        -8, 0,  0,  10, -1, -1,  //
                                                        0,  -8, 0,  -1, 10, -1,  //
                                                        0,  0,  -8, -1, -1, 10}));
}

TEST(StencilOperator, FivePointMixedFaces) {
  const auto result = five_point("clamp,value:3,drop,clamp");
  Doubles expected = dropped;
  const Doubles centre{9, 10, 10, 5, 6, 6};
  for (int row = 0; row < 6; ++row) expected[row * 7] = centre[row];
  EXPECT_EQ(reference::dense_of(result.hub).a, expected);
  EXPECT_EQ(result.rhs, (Doubles{0, 0, 3, 0, 0, 3}));
}

TEST(BlockStructure, PeriodicAliasesMerge) {
  const Stencil stencil = star_stencil(2, 2);
  EXPECT_EQ(offsets_of("1x1", stencil, "periodic"), (Offsets{{0, 0, 0}}));
  EXPECT_EQ(offsets_of("2x1", stencil, "periodic"), (Offsets{{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(offsets_of("3x1", stencil, "periodic"), (Offsets{{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(offsets_of("4x1", stencil, "periodic"), (Offsets{{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(offsets_of("5x1", stencil, "periodic").size(), 5u);
}

TEST(BlockStructure, OffsetsBeyondTheGridArePruned) {
  EXPECT_EQ(offsets_of("1x2", box_stencil(2, 2), "drop"), (Offsets{{0, -1, 0}, {0, 0, 0}, {0, 1, 0}}));
  EXPECT_EQ(offsets_of("2x1", star_stencil(2, 4), "value:1"), (Offsets{{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}));
}

TEST(BlockStructure, ClampingShrinksTowardsZeroOnItsFaceOnly) {
  const Stencil right = custom({{2, 0, 0}}), diagonal = custom({{2, -1, 0}});
  EXPECT_EQ(offsets_of("5x5", right, "drop,clamp,drop,drop"), (Offsets{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(offsets_of("5x5", right, "clamp,drop,drop,drop"), (Offsets{{2, 0, 0}}));
  EXPECT_EQ(offsets_of("2x5", right, "drop,clamp,drop,drop"), (Offsets{{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(offsets_of("5x5", diagonal, "drop,clamp,drop,drop"),
            (Offsets{{0, -1, 0}, {1, -1, 0}, {2, -1, 0}}));
  EXPECT_EQ(offsets_of("5x5", diagonal, "drop,clamp,clamp,drop"),
            (Offsets{{0, -1, 0}, {1, -1, 0}, {2, -1, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}));
}

TEST(BlockStructure, BoxOfRadiusTwoIsClosedUnderClamping) {
  EXPECT_EQ(offsets_of("7x7", box_stencil(2, 2), "clamp").size(), 25u);
  EXPECT_EQ(offsets_of("7x7x7", box_stencil(3, 2), "clamp").size(), 125u);
  EXPECT_EQ(offsets_of("2x2", box_stencil(2, 2), "clamp").size(), 9u);
  EXPECT_EQ(offsets_of("1x1", box_stencil(2, 2), "clamp"), (Offsets{{0, 0, 0}}));
}

TEST(BlockStructure, RefusesStencilsThatDoNotFit) {
  const Grid flat = parse_grid("4x4");
  EXPECT_THROW(block_structure(flat, star_stencil(3, 1), {}), InputError);
  EXPECT_THROW(block_structure(flat, custom({}), {}), InputError);
  EXPECT_THROW(block_structure(flat, custom({{1, 0, 0}, {0, 0, 0}, {1, 0, 0}}), {}), InputError);
  EXPECT_THROW(block_structure(flat, custom({{0, -5, 0}}), {}), InputError);
  Boundary half_periodic;
  half_periodic.faces[3].kind = BoundaryKind::periodic;
  EXPECT_THROW(block_structure(flat, star_stencil(2, 1), half_periodic), InputError);
}

// 1e8 + 1 - 1e8 in one block of a grid one node wide: 1 when summed in double, 0 in float.
struct Cancelling {
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int, int) const {
    return neighbour.offset.x == 0 ? 1.0 : -1e8 * neighbour.offset.x;
  }
};

TEST(Fill, FloatSumsAreRoundedOnce) {
  const Stencil line = custom({{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}});
  const auto result = assemble<float>(parse_grid("1x3"), line, parse_boundary("periodic", 2), Cancelling{});
  ASSERT_EQ(result.hub.values.size(), 3);
  for (const float value : result.hub.values) EXPECT_EQ(value, 1.0f);
}

// (1 + 1e16) - 1e16 is 0, the other way round it is 1.
struct OrderDependent {
  constexpr double operator()(const StencilNode&, const StencilNeighbour& neighbour, int, int) const {
    return neighbour.point == 0 ? 1.0 : neighbour.point == 1 ? 1e16 : -1e16;
  }
};

TEST(Fill, AddsInStencilOrder) {
  const Stencil line = custom({{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}});
  const auto merged = assemble<double>(parse_grid("1x3"), line, parse_boundary("clamp", 2), OrderDependent{});
  ASSERT_EQ(merged.hub.values.size(), 3);
  for (const double value : merged.hub.values) EXPECT_EQ(value, 0.0);
}

TEST(Assemble, SameBitsForEveryThreadCount) {
  Grid grid = parse_grid("13x7x5");
  grid.dof = 3;
  const Stencil stencil = box_stencil(3, 2);
  const Boundary boundary = parse_boundary("periodic,periodic,clamp,value:0.3,clamp,clamp", 3);
  const int threads_before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto expected = assemble<double>(grid, stencil, boundary, random_blocks(5));
  for (const int threads : {2, 3, 8}) {
    omp_set_num_threads(threads);
    const auto again = assemble<double>(grid, stencil, boundary, random_blocks(5));
    EXPECT_EQ(std::memcmp(again.hub.values.data(), expected.hub.values.data(), expected.hub.values.bytes()),
              0)
        << threads << " threads";
    EXPECT_EQ(again.rhs, expected.rhs) << threads << " threads";
  }
  omp_set_num_threads(threads_before);
}

TEST(Assemble, OverflowingSizesAreRefused) {
  Grid grid = parse_grid("2000000000x1000000000");
  grid.dof = 4;
  EXPECT_THROW(assemble<double>(grid, star_stencil(2, 1), {}, random_blocks(1)), FormatError);
}

// Two unknowns; a value where couples() has none at one node, if any.
struct SaidToCouple {
  std::int64_t wrong_at = -1;

  static constexpr bool couples(bool centre, int r, int c) { return centre ? c == 1 : r == 0 && c == 0; }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    if (node.index == wrong_at && to.offset == Offset{1, 0, 0} && r == 1 && c == 0) return 0.25;
    if (to.offset == Offset{}) return r == c ? 4 : 0;
    return r == 0 && c == 0 ? -1 : 0;
  }
};

BlockFill fill_by(const char* grid, const char* boundary) {
  Grid parsed = parse_grid(grid);
  parsed.dof = 2;
  return block_structure(parsed, star_stencil(parsed.dimension, 1),
                         parse_boundary(boundary, parsed.dimension), fill_of(SaidToCouple{}, 2))
      .fill;
}

TEST(StencilOperator, WhatCouplesIsStored) {
  Grid grid = parse_grid("3x2");
  grid.dof = 2;
  const auto assembled = assemble<double>(grid, star_stencil(2, 1), {}, SaidToCouple{});
  const BlockFill said{{1, 1, 0, 1}, {1, 0, 0, 0}};  // the diagonal always couples
  EXPECT_EQ(assembled.hub.fill, said);
  validate(assembled.hub);
  EXPECT_EQ(to_csr(assembled.hub).nnz(), 6 * 3 + 14);  // with the zero of row 0, column 1 in the centre
  EXPECT_EQ(assemble_rows<double>(grid, star_stencil(2, 1), {}, SaidToCouple{}, {1, 1}).nnz(), 3 * 3 + 7);
  EXPECT_FALSE(assemble<double>(grid, star_stencil(2, 1), {}, random_blocks(1)).hub.fill.said());
}

TEST(StencilOperator, NeighboursThatAreTheNodeItselfCoupleInTheCentre) {
  const BlockFill said{{1, 1, 0, 1}, {1, 0, 0, 0}};
  EXPECT_EQ(fill_by("3x2", "drop"), said);
  EXPECT_EQ(fill_by("3x2", "periodic"), said);
  const auto crossed = [](const Grid& grid, const char* boundary) {
    return block_structure(grid, star_stencil(2, 1), parse_boundary(boundary, 2),
                           {{1, 0, 0, 1}, {0, 1, 0, 0}})
        .fill.centre;
  };
  Grid grid = parse_grid("3x2");
  grid.dof = 2;
  EXPECT_EQ(crossed(grid, "drop"), (std::vector<std::uint8_t>{1, 0, 0, 1}));
  EXPECT_EQ(crossed(grid, "clamp"), (std::vector<std::uint8_t>{1, 1, 0, 1}));
  grid.extents = {3, 1, 1};  // around an axis of one node
  EXPECT_EQ(crossed(grid, "drop,drop,periodic,periodic"), (std::vector<std::uint8_t>{1, 1, 0, 1}));
}

TEST(StencilOperator, CoefficientsOutsideWhatCouplesAreRefusedByPlace) {
  Grid grid = parse_grid("3x2");
  grid.dof = 2;
  const Stencil star = star_stencil(2, 1);
  const auto refusal = [](const auto& body) {
    try {
      body();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  const SaidToCouple wrong{4};
  const std::string expected =
      "node (1, 1, 0) couples to the node at (1, 0, 0) by 0.250000 in row 1, column 0 of the block, where "
      "couples() of the coefficients has nothing; correct one of them";
  EXPECT_EQ(refusal([&] { assemble<double>(grid, star, {}, wrong); }), expected);
  EXPECT_EQ(refusal([&] { assemble_box<float>(grid, star, {}, wrong, {{1, 1, 0}, {2, 1, 1}}); }), expected);
  EXPECT_EQ(refusal([&] { assemble_rows<double>(grid, star, {}, wrong, {1, 1}); }), expected);
  EXPECT_EQ(refusal([&] { assemble<double>(grid, star, {}, SaidToCouple{5}); }), "nothing was refused");
  const auto assembled = assemble<double>(grid, star, {}, SaidToCouple{});
  Array<double> values(assembled.hub.values.size());
  EXPECT_EQ(refusal([&] {
              refill_box(grid, star, {}, wrong, whole_box(grid.extents), assembled.hub, values.data(), {});
            }),
            expected);
}

}  // namespace
}  // namespace quadrille
