// Formulas made step by step: a line at a time against a place at a time, and on the GPU against the host.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "assembly/device_formula.hpp"
#include "formats/array.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

using Op = FormulaOperation;

const Op exact[] = {Op::add,     Op::subtract,      Op::multiply, Op::divide,           Op::negate,
                    Op::less,    Op::less_or_equal, Op::greater,  Op::greater_or_equal, Op::equal,
                    Op::unequal, Op::both,          Op::either,   Op::choose,           Op::smaller,
                    Op::larger,  Op::absolute,      Op::sign,     Op::nearest,          Op::square_root};

// Of `numbers` numbers, with operations that every machine rounds alike unless `all`.
Formula drawn(std::mt19937_64& random, int steps, int numbers, bool all) {
  Formula formula;
  const Op places[] = {Op::x, Op::y, Op::z, Op::t};
  for (const Op place : places) formula.add(place);
  formula.add(0.75);
  const auto earlier = [&] { return static_cast<std::int32_t>(random() % formula.steps.size()); };
  for (int i = 0; i < steps; ++i) {
    const auto last = static_cast<unsigned>(Op::area_tangent), first = static_cast<unsigned>(Op::add);
    const Op op =
        all ? static_cast<Op>(first + random() % (last - first + 1)) : exact[random() % std::size(exact)];
    const std::int32_t a = earlier(), b = earlier(), c = earlier();
    formula.add(op, a, b, c);
  }
  for (int i = 0; i < numbers; ++i) formula.numbers.push_back(earlier());
  return formula;
}

std::uint64_t bits(double number) {
  return std::isnan(number) ? 0 : std::bit_cast<std::uint64_t>(number);
}

struct Case {
  Grid grid;
  NodeBox box;
};
Case drawn_case(std::mt19937_64& random) {
  Case result;
  result.grid.extents = {700, 9, 8};
  result.grid.spacing_m = {0.3, 0.7, 1.1};
  result.box.first = {static_cast<std::int64_t>(random() % 50), 2, 1};
  result.box.size = {1 + static_cast<std::int64_t>(random() % 600),
                     1 + static_cast<std::int64_t>(random() % 5), 3};
  return result;
}

TEST(Formulas, OfALineAreThoseOfEachPlace) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const Case c = drawn_case(random);
    const int unknowns = 1 + i % 3;
    const Formula formula = drawn(random, 1 + i, i % 2 == 0 ? 1 : unknowns, true);
    const double t_s = 0.1 * i;
    std::vector<double> values(static_cast<std::size_t>(c.box.nodes() * unknowns));
    evaluate(formula, c.grid, c.box, unknowns, t_s, values);
    for (std::int64_t row = 0; row < std::ssize(values); ++row) {
      const NodePosition first = c.box.first_of_line(row / unknowns / c.box.size[0]);
      const std::array<double, 3> place_m{
          static_cast<double>(first[0] + row / unknowns % c.box.size[0]) * c.grid.spacing_m[0],
          static_cast<double>(first[1]) * c.grid.spacing_m[1],
          static_cast<double>(first[2]) * c.grid.spacing_m[2]};
      const std::size_t number = formula.numbers.size() == 1 ? 0 : static_cast<std::size_t>(row % unknowns);
      const Formula one{formula.steps, {formula.numbers[number]}};
      const double expected = value_at(one, place_m, t_s);
      ASSERT_EQ(bits(values[static_cast<std::size_t>(row)]), bits(expected)) << i << " " << row;
      ASSERT_EQ(bits(value_at(at_time(one, t_s), place_m, 0)), bits(expected)) << i << " " << row;
    }
  }
}

TEST(Formulas, OfLinesAlongAnyAxisAreThoseOfEachPlace) {
  std::mt19937_64 random(4);
  const std::array<double, 3> h{0.3, 0.7, 1.1};
  for (int i = 0; i < 30; ++i) {
    const Formula formula = drawn(random, 1 + i, 1, true);
    const int axis = i % 3, stride = 1 + i % 4;
    const std::int64_t count = 1 + i * 20;
    std::array<std::int64_t, 3> first{-1, 4, 2}, swapped = first;
    std::array<double, 3> swapped_h = h;
    std::swap(swapped[0], swapped[static_cast<std::size_t>(axis)]);
    std::swap(swapped_h[0], swapped_h[static_cast<std::size_t>(axis)]);
    std::vector<double> values(static_cast<std::size_t>(count * stride), 5.0);
    evaluate_line(with_x_for(formula, axis), swapped_h, swapped, count, 0.4, stride, values.data());
    for (std::int64_t k = 0; k < std::ssize(values); ++k) {
      std::array<std::int64_t, 3> at = first;
      at[static_cast<std::size_t>(axis)] += k / stride;
      const double expected =
          k % stride != 0 ? 5
                          : value_at(formula,
                                     {static_cast<double>(at[0]) * h[0], static_cast<double>(at[1]) * h[1],
                                      static_cast<double>(at[2]) * h[2]},
                                     0.4);
      ASSERT_EQ(bits(values[static_cast<std::size_t>(k)]), bits(expected)) << i << " " << k;
    }
  }
}

TEST(Formulas, AStepIsThereOnce) {
  Formula formula;
  const std::int32_t x = formula.add(Op::x), y = formula.add(Op::y);
  const std::int32_t sum = formula.add(Op::add, x, y);
  EXPECT_EQ(formula.add(Op::add, x, y), sum);
  EXPECT_NE(formula.add(Op::add, y, x), sum);
  EXPECT_NE(formula.add(0.0), formula.add(-0.0));
  const std::int32_t t = formula.add(Op::t), swings = formula.add(Op::sine, t);
  formula.numbers = {formula.add(Op::multiply, x, swings)};
  EXPECT_TRUE(depends_on_time(formula));
  const Formula then = at_time(formula, 2);  // x * sin(2)
  EXPECT_FALSE(depends_on_time(then));
  EXPECT_EQ(then.steps.size(), 3u);
  EXPECT_EQ(value_at(then, {5, 0, 0}, 0), 5 * std::sin(2.0));
}

TEST(FormulasOnDevice, cuda_AreTheHostsBits) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::mt19937_64 random(5);
  int fitted = 0;
  for (int i = 0; i < 120; ++i) {
    const Case c = drawn_case(random);
    const int unknowns = 1 + i % 3;
    const Formula formula = drawn(random, 1 + i, i % 2 == 0 ? 1 : unknowns, false);
    if (!fits_device(formula, 0.1 * i)) continue;
    ++fitted;
    std::vector<double> expected(static_cast<std::size_t>(c.box.nodes() * unknowns));
    evaluate(formula, c.grid, c.box, unknowns, 0.1 * i, expected);
    Array<double, Device> there(std::ssize(expected));
    const double bad = evaluate_on_device(formula, c.grid, c.box, unknowns, 0.1 * i, there.data());
    const Array<double> values = copy_to<Host>(there);
    bool finite = true;
    for (std::int64_t row = 0; row < values.size(); ++row) {
      finite = finite && std::isfinite(expected[static_cast<std::size_t>(row)]);
      ASSERT_EQ(bits(values[row]), bits(expected[static_cast<std::size_t>(row)])) << i << " " << row;
    }
    EXPECT_EQ(bad == 0, finite) << i;
  }
  EXPECT_GT(fitted, 60);
}

// At t = 0 all sums of x and t times a number are x, and one step; later each is one of its own.
TEST(FormulasOnDevice, cuda_AreAskedAtTheirTime) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  Formula formula;
  const std::int32_t x = formula.add(Op::x), t = formula.add(Op::t);
  std::int32_t all = x;
  for (int i = 1; i < 100; ++i) {
    const std::int32_t part = formula.add(Op::multiply, t, formula.add(static_cast<double>(i)));
    all = formula.add(Op::larger, all, formula.add(Op::add, x, part));
  }
  formula.numbers = {all};
  EXPECT_TRUE(fits_device(formula, 0));
  EXPECT_FALSE(fits_device(formula, 1));
}

TEST(FormulasOnDevice, cuda_OfFunctionsAreTheHostsButForRounding) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  std::mt19937_64 random(6);
  const Case c = drawn_case(random);
  for (unsigned i = static_cast<unsigned>(Op::add); i <= static_cast<unsigned>(Op::area_tangent); ++i) {
    Formula formula;
    const std::int32_t a = formula.add(Op::multiply, formula.add(Op::x), formula.add(0.004));
    const std::int32_t b = formula.add(Op::multiply, formula.add(Op::y), formula.add(0.1));
    formula.numbers = {formula.add(static_cast<Op>(i), a, b, formula.add(Op::z))};
    std::vector<double> expected(static_cast<std::size_t>(c.box.nodes()));
    evaluate(formula, c.grid, c.box, 1, 0, expected);
    Array<double, Device> there(std::ssize(expected));
    evaluate_on_device(formula, c.grid, c.box, 1, 0, there.data());
    const Array<double> values = copy_to<Host>(there);
    for (std::int64_t row = 0; row < values.size(); ++row) {
      const double one = expected[static_cast<std::size_t>(row)];
      if (std::isfinite(one)) {
        ASSERT_NEAR(values[row], one, 1e-14 * (1 + std::abs(one))) << i << " " << row;
      } else {
        ASSERT_EQ(bits(values[row]), bits(one)) << i << " " << row;
      }
    }
  }
}

}  // namespace
}  // namespace quadrille
