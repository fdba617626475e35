// The tables of `bench rgcsr` from times by hand, as a GPU gives them: the CPU has no kernel of the paper.
#include "drivers/support/rg_csr_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace quadrille {
namespace {

using Layout = RgCsrSearch::Layout;

// One operator of so many rows and entries; by the paper's kernel, by ours with one thread a row, and with
// four, which is the rule.
RgCsrSearch search_of(const std::string& matrix, std::int64_t rows, std::int64_t nnz, double paper,
                      double single, double ruled, double hyb) {
  RgCsrSearch s;
  s.matrix = matrix;
  s.precision = "fp64";
  s.rows = s.columns = rows;
  s.nnz = nnz;
  s.longest = 9;
  s.shortest = 1;
  for (const RowOrdering ordering : {RowOrdering::none, RowOrdering::amd}) {
    const double slower = ordering == RowOrdering::amd ? 2 : 1;
    const auto add = [&](Kernel kernel, int threads, double ms) {
      s.variants.push_back({papers_group, ordering, kernel, threads, slower * ms,
                            2e-6 * static_cast<double>(nnz) / (slower * ms), 10 * slower, 0.5});
    };
    add(Kernel::paper, 1, paper);
    if (ordering == RowOrdering::none) add(Kernel::ours, 1, single);
    add(Kernel::ours, 4, ruled);
    s.zeros[{papers_group, ordering}] = 10 * slower;
    s.ruled[{papers_group, ordering}] = 4;
    s.order_ms[ordering] = slower - 1;
  }
  s.x_cache = {{CachePath::read_only, paper}, {CachePath::l1, paper}, {CachePath::l2, 2 * paper}};
  s.peer_ms = {{"csr", 1}, {"hyb", hyb}, {"petsc_aij", 100}};
  return s;
}

std::vector<RgCsrSearch> four_operators() {
  return {search_of("a", 100, 1000, 1, 0.8, 0.5, 4), search_of("b", 20000, 4000, 2, 1, 1, 2),
          search_of("c", 30000, 6000, 2, 1, 1, 1), search_of("d", 200, 2000, 4, 2, 1, 0.5)};
}

const SummaryTable& table_of(const std::vector<SummaryTable>& tables, const std::string& start) {
  for (const SummaryTable& table : tables)
    if (table.title.starts_with(start)) return table;
  throw std::runtime_error("no " + start);
}

double value(const SummaryTable& table, const std::string& line, const std::string& column) {
  for (const SummaryLine& l : table.lines)
    for (std::size_t c = 0; l.name == line && c < table.columns.size(); ++c)
      if (table.columns[c] == column) return l.values[c];
  throw std::runtime_error("no " + line + ", " + column);
}

TEST(RgCsrSearch, TellsTheKernelsApart) {
  const RgCsrSearch s = four_operators()[0];
  EXPECT_EQ(s.paper(papers_layout)->ms, 1);
  EXPECT_EQ(s.single(papers_layout)->ms, 0.8);
  EXPECT_EQ(s.modern(papers_layout)->threads, 4);
  EXPECT_EQ(s.best(), s.modern(papers_layout));
  const Layout amd{papers_group, RowOrdering::amd};
  EXPECT_EQ(s.paper(amd)->ms, 2);
  EXPECT_EQ(s.single(amd), nullptr);
  EXPECT_EQ(s.paper({32, RowOrdering::none}), nullptr);
  EXPECT_TRUE(to_json(s.paper(amd))
                  .dump()
                  .starts_with("{\"group\":" + std::to_string(papers_group) +
                               ",\"ordering\":\"amd\",\"kernel\":\"paper\",\"threads\":1,"));
  EXPECT_EQ(to_json(s.x_cache).dump(), "{\"read_only\":1.0,\"l1\":1.0,\"l2\":2.0}");
  EXPECT_TRUE(to_json(XCacheTimes{}).is_null());
}

// The paper's estimate on its GTX 280: 14.1 and 23.5 GFLOP/s in double precision, 23.5 and 35.25 in single.
TEST(RgCsrTables, EstimateThePeakAsThePaper) {
  std::vector<RgCsrSearch> found = four_operators();
  found.push_back(found.front());
  found.back().precision = "fp32";
  found.back().in_cache = true;
  const std::vector<SummaryTable> tables = rg_csr_tables(found, 141);
  const SummaryTable& table = table_of(tables, "Table 1");
  EXPECT_DOUBLE_EQ(value(table, "without", "fp64 estimated"), 14.1);
  EXPECT_DOUBLE_EQ(value(table, "with", "fp64 estimated"), 23.5);
  EXPECT_DOUBLE_EQ(value(table, "without", "fp32 estimated"), 23.5);
  EXPECT_DOUBLE_EQ(value(table, "with", "fp32 estimated"), 35.25);
  // the most of the four is c's
  EXPECT_DOUBLE_EQ(value(table, "with", "fp64 measured"), 2e-6 * 6000 / 2);
  EXPECT_DOUBLE_EQ(value(table, "without", "fp64 measured"), 2e-6 * 6000 / 4);
  EXPECT_DOUBLE_EQ(value(table, "with", "fp64 of the estimate %"), 100 * 6e-3 / 23.5);
  EXPECT_TRUE(
      std::isnan(value(table, "with", "fp32 measured")));  // what the cache holds is no measure of the memory
}

TEST(RgCsrTables, DescribeTheOperators) {
  const std::vector<SummaryTable> tables = rg_csr_tables(four_operators(), 141);
  const SummaryTable& table = table_of(tables, "Table 2");
  EXPECT_EQ(value(table, "operators", "all"), 4);
  EXPECT_EQ(value(table, "operators", "large"), 2);
  EXPECT_EQ(value(table, "rows, min", "small"), 100);
  EXPECT_EQ(value(table, "rows, max", "small"), 200);
  EXPECT_EQ(value(table, "rows, mean", "large"), 25000);
  EXPECT_EQ(value(table, "non-zeros, mean", "all"), 3250);
  EXPECT_DOUBLE_EQ(value(table, "non-zeros, % of all entries, max", "all"), 10);
}

TEST(RgCsrTables, HaveALineForEachKernel) {
  const std::vector<SummaryTable> tables = rg_csr_tables(four_operators(), 141);
  const SummaryTable& speeds = table_of(tables, "Table 4, fp64, all (4 operators)");
  EXPECT_DOUBLE_EQ(value(speeds, "128, paper's kernel", "/csr max"), 1);
  EXPECT_DOUBLE_EQ(value(speeds, "128, T 1", "/csr max"), 1.25);
  EXPECT_DOUBLE_EQ(value(speeds, "128, T by rule", "/csr max"), 2);
  EXPECT_EQ(speeds.lines.size(), 3u);  // no other group was measured
  const SummaryTable& shares = table_of(tables, "Table 5, fp64");
  EXPECT_EQ(value(shares, "group 128, paper's kernel faster than hyb", "all"), 25);
  EXPECT_EQ(value(shares, "group 128, T by rule faster than hyb", "all"), 50);
  EXPECT_EQ(value(shares, "group 128, paper's kernel faster than petsc_aij", "large"), 100);
  const SummaryTable& orders = table_of(tables, "Table 7, fp64");
  ASSERT_EQ(orders.lines.size(), 2u);
  EXPECT_EQ(orders.lines[1].name, "amd");
  EXPECT_EQ(value(orders, "amd", "zeros mean %"), 20);
  EXPECT_EQ(value(orders, "amd", "its faster than none %"), 0);
  EXPECT_DOUBLE_EQ(value(orders, "amd", "GFLOP/s paper's kernel"),
                   value(orders, "none", "GFLOP/s paper's kernel") / 2);
}

// Of six operators the two at either end.
TEST(RgCsrTables, ShowWhereRgCsrAndHybDifferMost) {
  std::vector<RgCsrSearch> found = four_operators();
  found.push_back(search_of("e", 400, 1000, 1, 1, 1, 0.9));
  found.push_back(search_of("f", 400, 1000, 1, 1, 1, 1.1));
  const std::vector<SummaryTable> tables = rg_csr_tables(found, 141);
  const SummaryTable& table = table_of(tables, "Table 6, fp64");
  ASSERT_EQ(table.lines.size(), 4u);
  EXPECT_EQ(table.lines[0].name, "a");
  EXPECT_EQ(table.lines[1].name, "f");
  EXPECT_EQ(table.lines[2].name, "c");
  EXPECT_EQ(table.lines[3].name, "d");
  EXPECT_EQ(value(table, "d", "ratio"), 0.125);
  EXPECT_EQ(value(table, "d", "row mean"), 10);
  EXPECT_EQ(value(table, "d", "row max"), 9);
  EXPECT_DOUBLE_EQ(value(table, "d", "RgCSR GFLOP/s"), 2e-6 * 2000 / 4);
  EXPECT_DOUBLE_EQ(value(table, "d", "HYB GFLOP/s"), 2e-6 * 2000 / 0.5);
  EXPECT_DOUBLE_EQ(value(table, "d", "CSR on the CPU GFLOP/s"), 2e-6 * 2000 / 100);
}

}  // namespace
}  // namespace quadrille
