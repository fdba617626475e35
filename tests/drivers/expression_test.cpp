// Formulas as text: the bits of muParser's own evaluation, and its reasons where there is none.
#include "drivers/support/expression.hpp"

#include <gtest/gtest.h>
#include <muParser.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "grid/error.hpp"

namespace quadrille {
namespace {

std::string drawn(std::mt19937_64& random, int depth) {
  static const char* const leaves[] = {"x", "y", "z", "t", "2", "0.3", "pi", "1e-3", "7"};
  if (depth == 0 || random() % 8 == 0) return leaves[random() % std::size(leaves)];
  static const char* const two[] = {"+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  static const char* const one[] = {"sin",  "cos",  "tan",   "asin",  "acos",  "atan", "sinh",
                                    "cosh", "tanh", "asinh", "acosh", "atanh", "exp",  "ln",
                                    "log",  "log2", "log10", "sqrt",  "abs",   "sign", "rint"};
  static const char* const all[] = {"min", "max", "sum", "avg"};
  const auto next = [&] { return drawn(random, depth - 1); };
  switch (random() % 7) {
    case 0:
      return std::string(one[random() % std::size(one)]) + "(" + next() + ")";
    case 1:
      return "(" + next() + " ? " + next() + " : " + next() + ")";
    case 2:
      return (random() % 2 == 0 ? "-" : "+") + next();
    case 3: {
      std::string text = std::string(all[random() % std::size(all)]) + "(" + next();
      for (auto more = random() % 3; more > 0; --more) text += ", " + next();
      return text + ")";
    }
    case 4:
      return "atan2(" + next() + "," + next() + ")";
    default: {
      std::string text = next() + two[random() % std::size(two)];
      return random() % 2 == 0 ? "(" + text + next() + ")" : text + next();
    }
  }
}

TEST(Expressions, HaveTheBitsOfMuParser) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> place(-2, 3);
  int taken = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = drawn(random, 1 + i % 6);
    if (i % 5 == 0) text += ", " + drawn(random, 2);
    double x = 0, y = 0, z = 0, t = 0;
    mu::Parser theirs;
    theirs.DefineVar("x", &x), theirs.DefineVar("y", &y), theirs.DefineVar("z", &z),
        theirs.DefineVar("t", &t);
    theirs.DefineConst("pi", std::numbers::pi);
    theirs.SetExpr(text);
    int count = 0;
    try {
      theirs.Eval(count);
    } catch (const mu::Parser::exception_type&) {
      EXPECT_THROW(parsed_formula(text, true), InputError) << text;
      continue;
    }
    ++taken;
    const Formula ours = parsed_formula(text, true);
    ASSERT_EQ(std::ssize(ours.numbers), count) << text;
    for (int k = 0; k < 20; ++k) {
      x = place(random), y = place(random), z = place(random), t = place(random);
      if (k % 4 == 0) x = std::floor(x), y = x;
      const double* const expected = theirs.Eval(count);
      for (int r = 0; r < count; ++r) {
        const Formula one{ours.steps, {ours.numbers[static_cast<std::size_t>(r)]}};
        const double value = value_at(one, {x, y, z}, t);
        if (std::isnan(expected[r]))
          ASSERT_TRUE(std::isnan(value)) << text;
        else
          ASSERT_EQ(value, expected[r]) << text;
      }
    }
  }
  EXPECT_GT(taken, 2000);
}

TEST(Expressions, SayWhatIsWrong) {
  for (const char* text :
       {"", "x +", "sin(x", "foo(x)", "w", "x = 3", "min()", "x > 1 ? min() : 2", "x > 1 ? 2", "t"})
    EXPECT_THROW(parsed_formula(text), InputError) << text;
  EXPECT_EQ(parsed_formula("1, x, y*z").numbers.size(), 3u);
  EXPECT_TRUE(depends_on_time(parsed_formula("x, sin(t)", true)));
  EXPECT_FALSE(depends_on_time(parsed_formula("x, sin(y)", true)));
}

}  // namespace
}  // namespace quadrille
