// What the times of `bench transpose` say over a set.
#include "drivers/support/transpose_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace quadrille {
namespace {

constexpr std::size_t transposed_csr = 1;

OperatorTransposeTimes times_of(const std::string& matrix, const std::string& precision, TransposeTimes ours,
                                TransposeTimes once, TransposeTimes cusparse, TransposeTimes converted) {
  return {matrix,
          precision,
          {{{transposed_csr, "csr"}, ours},
           {{transposed_csr, "csr_once"}, once},
           {{transposed_csr, "cusparse_csr"}, cusparse},
           {{transposed_csr, "csr_converted"}, converted}}};
}

double value_of(const SummaryTable& table, const std::string& line, const std::string& column) {
  for (const SummaryLine& l : table.lines)
    for (std::size_t c = 0; l.name == line && c < table.columns.size(); ++c)
      if (table.columns[c] == column) return l.values[c];
  ADD_FAILURE() << "no " << column << " of " << line;
  return 0;
}

TEST(TransposeSummary, CountsTheFastestAndAveragesGeometrically) {
  // Ours with a plan of 9 is never the fastest whole; alone it is on the first operator.
  const std::vector<OperatorTransposeTimes> all{
      times_of("a", "fp64", {10, 1, 9}, {2, 2, 0}, {4, 3, 1}, {8, 1.5, 6.5}),
      times_of("b", "fp64", {10, 1, 9}, {8, 2, 0}, {1, 0.5, 0.5}, {8, 4, 4}),
      times_of("c", "fp32", {1, 1, 0}, {2, 2, 0}, {3, 3, 0}, {4, 4, 0})};
  const std::vector<SummaryTable> tables = method_tables(all);
  ASSERT_EQ(tables.size(), 2u);
  const SummaryTable& fp64 = tables.front();
  EXPECT_EQ(fp64.title, "y = A^T x from CSR, fp64: over the operators");
  ASSERT_EQ(fp64.lines.size(), 4u);
  EXPECT_EQ(fp64.lines[1].name, "csr_once");
  EXPECT_EQ(value_of(fp64, "csr", "operators"), 2);
  EXPECT_EQ(value_of(fp64, "csr", "fastest whole"), 0);
  EXPECT_EQ(value_of(fp64, "csr", "fastest only"), 1);
  EXPECT_EQ(value_of(fp64, "csr", "fastest only %"), 50);
  EXPECT_EQ(value_of(fp64, "csr_once", "fastest whole"), 1);
  EXPECT_EQ(value_of(fp64, "cusparse_csr", "fastest whole"), 1);
  EXPECT_EQ(value_of(fp64, "cusparse_csr", "fastest only"), 1);
  EXPECT_DOUBLE_EQ(value_of(fp64, "csr", "time/cuSPARSE whole"), std::sqrt(10.0 / 4 * 10 / 1));
  EXPECT_DOUBLE_EQ(value_of(fp64, "csr_once", "time/cuSPARSE whole"), std::sqrt(2.0 / 4 * 8 / 1));
  EXPECT_DOUBLE_EQ(value_of(fp64, "csr_once", "time/ours whole"), std::sqrt(2.0 / 10 * 8 / 10));
  EXPECT_DOUBLE_EQ(value_of(fp64, "cusparse_csr", "time/cuSPARSE whole"), 1);
  EXPECT_EQ(value_of(tables.back(), "csr", "fastest whole"), 1);
  const std::vector<SetSummary> profiles = whole_profiles(all);
  ASSERT_EQ(profiles.size(), 2u);
  EXPECT_EQ(profiles.front().operators, 2);
  const SummaryTable lines = operator_table(all, transposed_csr);
  EXPECT_EQ(lines.lines.size(), 3u);
  EXPECT_EQ(value_of(lines, "a fp64", "csr whole"), 10);
  EXPECT_EQ(value_of(lines, "a fp64", "csr_once only"), 2);
}

// Ahead of both of ours: in the time of the plan some products are done as well.
TEST(TransposeSummary, AConversionPaysOnceItIsAheadOfBothOfOurs) {
  const auto after = [](TransposeTimes ours, TransposeTimes once, TransposeTimes converted) {
    return pays_after(times_of("a", "fp64", ours, once, {1, 1, 0}, converted), transposed_csr,
                      "csr_converted");
  };
  EXPECT_EQ(after({6, 2, 4}, {3, 3, 0}, {11, 1, 10}), 6);    // 6 > 5 products
  EXPECT_EQ(after({6, 2, 4}, {21, 21, 0}, {11, 1, 10}), 6);  // the plan is paid for
  EXPECT_EQ(after({6, 2, 4}, {3, 3, 0}, {2, 1, 1}), 1);
  EXPECT_TRUE(std::isnan(after({6, 2, 4}, {1, 1, 0}, {11, 1, 10})));
  EXPECT_TRUE(std::isnan(pays_after({}, transposed_csr, "csr_converted")));
}

TEST(TransposeSummary, NamesWhatIsThere) {
  EXPECT_TRUE(converts_first("csc_converted"));
  EXPECT_FALSE(converts_first("csc_once"));
  EXPECT_TRUE(is_once("csr_once"));
  EXPECT_TRUE(method_tables({}).empty());
  EXPECT_TRUE(measured_methods({}, 0).empty());
  for (const TransposeTask& task : transpose_tasks())
    EXPECT_EQ(std::count(task.methods.begin(), task.methods.end(), task.storage), 1);
}

}  // namespace
}  // namespace quadrille
