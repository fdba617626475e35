#include "grid/axis_interpolation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr FaceBoundary value{BoundaryKind::value, 3}, drop{BoundaryKind::drop, 0},
    clamp{BoundaryKind::clamp, 0}, periodic{BoundaryKind::periodic, 0};

using Nodes = std::vector<std::int32_t>;
using Weights = std::vector<double>;

TEST(AxisInterpolation, ThePictureOfTheHeader) {
  for (const AxisInterpolation& p :
       {interpolation_by_position(5, 2, value, drop), nested_interpolation(5, value, value)}) {
    EXPECT_EQ(p.node, (Nodes{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}));
    EXPECT_EQ(p.weight, (Weights{0.5, 0, 1, 0, 0.5, 0.5, 1, 0, 0.5, 0}));
    EXPECT_EQ(p.first, (Nodes{0, 3, 6}));
    EXPECT_EQ(p.reader, (Nodes{0, 1, 2, 2, 3, 4}));
    EXPECT_EQ(p.reader_weight, (Weights{0.5, 1, 0.5, 0.5, 1, 0.5}));
  }
}

TEST(AxisInterpolation, ByPositionBetweenClampsAndAround) {
  const AxisInterpolation p = interpolation_by_position(4, 2, clamp, clamp);
  EXPECT_EQ(p.node, (Nodes{0, 0, 0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(p.weight, (Weights{1, 0, 0.75, 0.25, 0.25, 0.75, 1, 0}));
  const AxisInterpolation q = interpolation_by_position(4, 2, periodic, periodic);
  EXPECT_EQ(q.node, (Nodes{0, 0, 0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(q.weight, (Weights{1, 0, 0.5, 0.5, 1, 0, 0.5, 0.5}));
}

TEST(AxisInterpolation, NestedTakesEveryOtherNodeOfAnyNumber) {
  EXPECT_EQ(nested_interpolation(6, value, value).weight,
            (Weights{0.5, 0, 1, 0, 0.5, 0.5, 1, 0, 0.5, 0.5, 1, 0}));
  EXPECT_EQ(nested_interpolation(4, clamp, clamp).weight, (Weights{1, 0, 0.5, 0.5, 1, 0, 1, 0}));
  EXPECT_EQ(nested_interpolation(4, clamp, value).weight, (Weights{1, 0, 0.5, 0.5, 1, 0, 0.5, 0}));
  EXPECT_EQ(nested_interpolation(4, periodic, periodic).node, (Nodes{0, 0, 0, 1, 1, 1, 1, 0}));
  const AxisInterpolation odd = nested_interpolation(5, periodic, periodic);
  EXPECT_EQ(odd.node, (Nodes{2, 0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(odd.weight, (Weights{0.5, 0.5, 1, 0, 1, 0, 0.5, 0.5, 1, 0}));
  for (const std::int64_t coarse : {0, 1, 2})
    EXPECT_EQ(fine_of_coarse(odd, coarse), (std::array<std::int64_t, 3>{1, 2, 4})[coarse]);
  EXPECT_EQ(nested_interpolation(2, periodic, periodic).weight, (Weights{1, 0, 1, 0}));
  EXPECT_EQ(nested_interpolation(1, value, value).weight, (Weights{1, 0}));
  EXPECT_EQ(nested_interpolation(2, value, value).coarse, 1);
}

// Whatever the number of nodes.
TEST(AxisInterpolation, NestedKeepsTheLastNodeWhereItIsAskedTo) {
  const AxisInterpolation p = nested_interpolation(8, clamp, clamp, true);
  EXPECT_EQ(p.coarse, 5);
  EXPECT_EQ(p.node, (Nodes{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4}));
  EXPECT_EQ(p.weight, (Weights{1, 0, 0.5, 0.5, 1, 0, 0.5, 0.5, 1, 0, 0.5, 0.5, 1, 0, 1, 0}));
  for (std::int64_t coarse = 0; coarse < 5; ++coarse)
    EXPECT_EQ(fine_of_coarse(p, coarse), std::min<std::int64_t>(2 * coarse, 7));
  for (const FaceBoundary& low : {clamp, value})
    for (std::int64_t fine = 3; fine < 200; ++fine) {
      const AxisInterpolation kept = nested_interpolation(fine, low, clamp, true);
      EXPECT_EQ(fine_of_coarse(kept, kept.coarse - 1), fine - 1) << fine;
      for (std::int64_t j = 0; j < kept.coarse; ++j) EXPECT_LE(kept.first[j + 1] - kept.first[j], 3) << fine;
    }
  EXPECT_EQ(nested_interpolation(8, periodic, periodic, true), nested_interpolation(8, periodic, periodic));
  EXPECT_EQ(nested_interpolation(7, clamp, clamp, true), nested_interpolation(7, clamp, clamp));
}

// What a function of s in [0, 1] becomes, from its values at the coarse nodes.
template <class Function>
double largest_error(const AxisInterpolation& p, double a, double b, const Function& f) {
  const double fine_length = static_cast<double>(p.fine - 1) + a + b,
               coarse_length = static_cast<double>(p.coarse - 1) + a + b;
  double largest = 0;
  for (std::int64_t i = 0; i < p.fine; ++i) {
    double sum = 0;
    for (const int side : {0, 1})
      sum += p.weight[2 * i + side] * f((p.node[2 * i + side] + a) / coarse_length);
    largest = std::max(largest, std::abs(sum - f((static_cast<double>(i) + a) / fine_length)));
  }
  return largest;
}

TEST(AxisInterpolation, ConstantsAndLinearFunctionsAreKept) {
  for (const std::int64_t fine : {1, 2, 3, 8, 17, 255, 256})
    for (const std::int64_t coarse : {1, 2, 5, 127, 128}) {
      if (coarse > fine) continue;
      SCOPED_TRACE(std::to_string(coarse) + " to " + std::to_string(fine));
      const auto one = [](double) { return 1.0; };
      EXPECT_LT(largest_error(interpolation_by_position(fine, coarse, clamp, clamp), 0.5, 0.5, one), 1e-15);
      EXPECT_LT(largest_error(interpolation_by_position(fine, coarse, periodic, periodic), 0, 1, one), 1e-15);
      // A linear function that vanishes in the faces that hold values, and is flat in the ones that clamp.
      const AxisInterpolation mixed = interpolation_by_position(fine, coarse, value, clamp);
      const double last = static_cast<double>(coarse) / (static_cast<double>(coarse) + 0.5);
      EXPECT_LT(largest_error(mixed, 1, 0.5, [=](double s) { return std::min(s, last); }), 1e-14);
      const AxisInterpolation between = interpolation_by_position(fine, coarse, value, value);
      for (std::int64_t i = 0; i < fine; ++i) {  // linear on each coarse interval, 0 in the faces
        double sum = 0;
        for (const int side : {0, 1}) sum += between.weight[2 * i + side] * (between.node[2 * i + side] + 1);
        const double at =
            static_cast<double>(i + 1) * static_cast<double>(coarse + 1) / static_cast<double>(fine + 1);
        const double expected = at <= static_cast<double>(coarse)
                                    ? at
                                    : static_cast<double>(coarse) * (static_cast<double>(coarse) + 1 - at);
        EXPECT_NEAR(sum, expected, 1e-12 * static_cast<double>(coarse));
      }
    }
}

TEST(AxisInterpolation, WithoutAWholeRatioDmdaHasNone) {
  EXPECT_THROW(dmda_interpolation(8, 4, false), InputError);
  EXPECT_THROW(dmda_interpolation(9, 4, true), InputError);
  EXPECT_THROW(dmda_interpolation(5, 1, false), InputError);
  EXPECT_THROW(interpolation_by_position(4, 0, clamp, clamp), InputError);
  EXPECT_NO_THROW(dmda_interpolation(10, 4, false));
  EXPECT_NO_THROW(dmda_interpolation(1, 1, false));
}

// A part gives its fine nodes the weights of the same nodes of the whole, and reads each coarse node once.
TEST(AxisInterpolation, PartsAreTheWholes) {
  for (const AxisInterpolation& whole :
       {dmda_interpolation(17, 9, false), dmda_interpolation(12, 4, true), dmda_interpolation(6, 6, false),
        interpolation_by_position(13, 5, value, clamp)})
    for (std::int64_t first = 0; first < whole.fine; ++first)
      for (std::int64_t count = 0; first + count <= whole.fine; ++count) {
        SCOPED_TRACE(std::to_string(first) + " + " + std::to_string(count));
        const auto [part, nodes] = part_of(whole, first, count);
        ASSERT_EQ(part.fine, count);
        ASSERT_EQ(part.coarse, static_cast<std::int64_t>(nodes.size()));
        EXPECT_FALSE(part.periodic);
        for (std::size_t j = 1; j < nodes.size(); ++j) EXPECT_LT(nodes[j - 1], nodes[j]);
        for (std::int64_t k = 0; k < 2 * count; ++k) {
          EXPECT_EQ(nodes[part.node[k]], whole.node[2 * first + k]);
          EXPECT_EQ(part.weight[k], whole.weight[2 * first + k]);
        }
        std::int64_t readers = 0;
        for (std::int64_t j = 0; j < part.coarse; ++j)
          for (std::int32_t k = part.first[j]; k < part.first[j + 1]; ++k, ++readers) {
            const std::int64_t i = part.reader[k];
            EXPECT_EQ(part.reader_weight[k], part.weight[2 * i + (part.node[2 * i] == j ? 0 : 1)]);
            EXPECT_GT(part.first[j + 1], part.first[j]);
          }
        EXPECT_EQ(readers,
                  std::count_if(part.weight.begin(), part.weight.end(), [](double w) { return w != 0; }));
      }
  EXPECT_THROW(part_of(dmda_interpolation(5, 3, false), 3, 3), InputError);
}

}  // namespace
}  // namespace quadrille
