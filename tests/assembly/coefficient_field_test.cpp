#include "assembly/pde/coefficient_field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "grid/error.hpp"

namespace quadrille {
namespace {

using Regions = std::vector<std::int32_t>;

// The drawing of the header; # is 0.
Array<double> drawing() {
  return {7, 2, 0, 4, 4, 4,  //
          5, 0, 0, 0, 4, 4,  //
          0, 3, 0, 4, 4, 4};
}

TEST(CoefficientField, RegionsByHand) {
  const Grid grid = parse_grid("6x3");
  const auto of = [&](const char* sides) {
    return coefficient_field(grid, parse_boundary(sides, 2), drawing(), "a");
  };
  const CoefficientField right = of("clamp,value:0,clamp,clamp");
  EXPECT_EQ(right.region, (Regions{0, 0, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1}));
  EXPECT_EQ(right.held, (std::vector<std::int64_t>{1, 13}));  // 2 is the least of 7, 2 and 5
  EXPECT_TRUE(right.has_barriers && right.has_open_region);
  const CoefficientField below = of("clamp,clamp,clamp,value:0");  // y+ is the last line
  EXPECT_EQ(below.region, (Regions{0, 0, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
  const CoefficientField closed = of("clamp");
  EXPECT_FALSE(closed.has_open_region);
  EXPECT_EQ(closed.held, (std::vector<std::int64_t>{1, 3, 13}));
  const CoefficientField around = of("periodic");  // x joins the first two, y the last with both
  EXPECT_EQ(around.held, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(of("drop").held.size(), 0u);
}

TEST(CoefficientField, AnythingPositiveHasNoRegions) {
  const Grid grid = parse_grid("3x2");
  const CoefficientField field =
      coefficient_field(grid, parse_boundary("clamp", 2), Array<double>(6, 1e-100), "a");
  EXPECT_FALSE(field.has_barriers);
  EXPECT_TRUE(field.region.empty() && field.held.empty());
  Array<double> values{1, 2, 3, 4, 5, 6};
  balance(field, values);
  EXPECT_EQ(values[5], 6);
}

TEST(CoefficientField, BalancesClosedRegionsOnly) {
  const Grid grid = parse_grid("6x3");
  const CoefficientField field =
      coefficient_field(grid, parse_boundary("clamp,value:0,clamp,clamp", 2), drawing(), "a");
  Array<double> values(18, 1.0);
  values[0] = 4;
  balance(field, values);
  EXPECT_EQ(std::vector<double>(values.begin(), values.end()),
            (std::vector<double>{2, -1, 0, 1, 1, 1, -1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1}));
}

TEST(CoefficientField, RefusesWhatIsNoCoefficient) {
  const Grid grid = parse_grid("3x2");
  const auto reason = [&](Array<double> a) -> std::string {
    try {
      coefficient_field(grid, {}, std::move(a), "the field");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(reason({1, 2, 3, 4, 5, 0}), "");
  EXPECT_NE(reason({1, 2, 3, 4, 5}).find("has 5 numbers, the grid 3x2 6 nodes"), std::string::npos);
  EXPECT_NE(reason({0, 0, 0, 0, 0, 0}).find("0 everywhere"), std::string::npos);
  for (const double bad : {-1.0, std::nan(""), HUGE_VAL})
    EXPECT_NE(reason({1, 2, 3, 4, bad, 6}).find("at node (1, 1, 0)"), std::string::npos) << bad;
}

}  // namespace
}  // namespace quadrille
