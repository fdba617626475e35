#include "kernels/tuning/cmrs_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace quadrille {
namespace {

TEST(CmrsRule, StatisticsOfTheRows) {
  const std::vector<std::int32_t> row_ptr{0, 2, 4, 6, 9, 10};  // lengths 2 2 2 3 1
  const RowStatistics s = row_statistics(row_ptr, 7);
  EXPECT_EQ(s.rows, 5);
  EXPECT_EQ(s.columns, 7);
  EXPECT_EQ(s.nnz, 10);
  EXPECT_EQ(s.longest, 3);
  EXPECT_DOUBLE_EQ(s.mean, 2);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(2.0 / 5));
  const RowStatistics none = row_statistics(std::vector<std::int32_t>{0}, 0);
  EXPECT_EQ(none.rows, 0);
  EXPECT_EQ(none.mean, 0);
  EXPECT_EQ(none.deviation, 0);
}

// Whatever the rows, the format takes what the rule says.
TEST(CmrsRule, ChoicesAreValid) {
  for (const std::int64_t rows : {0, 1, 1000, 100000000})
    for (const double mean : {0.0, 0.5, 3.0, 40.0, 5000.0})
      for (const double deviation : {0.0, 2.0, 1000.0}) {
        const auto nnz = static_cast<std::int64_t>(mean * static_cast<double>(rows));
        const CmrsChoice choice = cmrs_choice({rows, rows, nnz, nnz, mean, deviation});
        EXPECT_GE(choice.height, 1);
        EXPECT_LE(choice.height, 16);
        EXPECT_NO_THROW(cmrs_block(choice.launch));
      }
}

TEST(CmrsRule, ARowAsLongAsATileGetsMoreThreads) {
  EXPECT_EQ(cmrs_choice({5000, 5000, 40000, 300, 8, 20}).launch.block, Launch{}.block);
  EXPECT_EQ(cmrs_choice({5000, 5000, 40000, 2600, 8, 80}).launch.block, 256);
  EXPECT_EQ(cmrs_choice({100000, 100000, 5000000, 70, 50, 10}).launch.block, 256);
  EXPECT_EQ(cmrs_choice({10000, 10000, 500000, 70, 50, 10}).launch.block, Launch{}.block);
}

TEST(CmrsRule, ManyShortRowsThatAreAlikeGetStripsOfTwo) {
  const CmrsChoice strips = cmrs_choice({1'000'000, 1'000'000, 3'000'000, 5, 3, 1});
  EXPECT_EQ(strips.height, 2);
  EXPECT_TRUE(strips.reorder);
  EXPECT_EQ(cmrs_choice({1'000'000, 1'000'000, 3'000'000, 900, 3, 50}).height, 1);  // not alike
  EXPECT_EQ(cmrs_choice({1'000'000, 1'000'000, 7'000'000, 7, 7, 0.2}).height, 1);   // not short
  EXPECT_EQ(cmrs_choice({100'000, 100'000, 300'000, 5, 3, 1}).height, 1);           // not many
}

}  // namespace
}  // namespace quadrille
