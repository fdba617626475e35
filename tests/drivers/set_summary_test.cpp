#include "drivers/support/set_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "drivers/support/text_table.hpp"

namespace quadrille {
namespace {

// Times in ms; by hand, the ratios to the fastest:
//
//                a      b      c          a     b     c
//     one        2      1      4          2     1     4
//     two        3      6      3          1     2     1
//     three      8      -      2          4     -     1
//     four       1      5      -          1     5     -
const std::vector<MethodTime> times{{"one", "a", 2},  {"one", "b", 1}, {"one", "c", 4},   {"two", "a", 3},
                                    {"two", "b", 6},  {"two", "c", 3}, {"three", "a", 8}, {"three", "c", 2},
                                    {"four", "a", 1}, {"four", "b", 5}};

const MethodSummary& method(const SetSummary& summary, const std::string& name) {
  for (const MethodSummary& m : summary.methods)
    if (m.method == name) return m;
  throw std::runtime_error("no method " + name);
}

TEST(SetSummary, ByHand) {
  const SetSummary summary = summarize("a set", times, "a");
  EXPECT_EQ(summary.title, "a set");
  EXPECT_EQ(summary.base, "a");
  EXPECT_EQ(summary.operators, 4);
  ASSERT_EQ(summary.methods.size(), 3u);
  // Two wins each for a and c, of which c has the larger speed-up; one for b.
  EXPECT_EQ(summary.methods[0].method, "c");
  EXPECT_EQ(summary.methods[1].method, "a");
  EXPECT_EQ(summary.methods[2].method, "b");

  const MethodSummary& b = method(summary, "b");
  EXPECT_EQ(b.measured, 3);
  EXPECT_EQ(b.fastest, 1);
  EXPECT_EQ(b.compared, 3);
  EXPECT_NEAR(b.speedup, std::cbrt(2.0 * 0.5 * 0.2), 1e-15);
  EXPECT_EQ(b.worst_speedup.value, 0.2);
  EXPECT_EQ(b.worst_speedup.operator_name, "four");
  EXPECT_EQ(b.best_speedup.value, 2);
  EXPECT_EQ(b.best_speedup.operator_name, "one");
  EXPECT_EQ(b.slowest.value, 5);
  EXPECT_EQ(b.slowest.operator_name, "four");

  const MethodSummary& c = method(summary, "c");
  EXPECT_EQ(c.measured, 3);
  EXPECT_EQ(c.fastest, 2);  // the tie on `two` counts for both
  EXPECT_NEAR(c.speedup, std::cbrt(0.5 * 1 * 4), 1e-15);
  EXPECT_EQ(method(summary, "a").fastest, 2);
  EXPECT_EQ(method(summary, "a").speedup, 1);
}

TEST(SetSummary, ProfilesAreStairsOverAllOperators) {
  const SetSummary summary = summarize("", times, "a");
  using Steps = std::vector<std::pair<double, double>>;
  EXPECT_EQ(method(summary, "a").profile, (Steps{{1, 0.5}, {2, 0.75}, {4, 1}}));
  EXPECT_EQ(method(summary, "b").profile, (Steps{{1, 0.25}, {2, 0.5}, {5, 0.75}}));
  EXPECT_EQ(method(summary, "c").profile, (Steps{{1, 0.5}, {4, 0.75}}));
  const MethodSummary& b = method(summary, "b");
  for (const auto& [ratio, share] :
       Steps{{0.9, 0}, {1, 0.25}, {1.999, 0.25}, {2, 0.5}, {4.9, 0.5}, {5, 0.75}, {1e9, 0.75}})
    EXPECT_EQ(share_within(b, ratio), share) << ratio;
}

TEST(SetSummary, WithoutBaseOrTimes) {
  const SetSummary without = summarize("", times, "cusparse_csr");
  EXPECT_EQ(without.base, "");
  EXPECT_EQ(method(without, "b").compared, 0);
  EXPECT_EQ(method(without, "b").fastest, 1);
  const SetSummary none = summarize("", {}, "a");
  EXPECT_EQ(none.operators, 0);
  EXPECT_TRUE(none.methods.empty());
  EXPECT_EQ(to_json(std::vector<SetSummary>{}), Json::array());
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const SetSummary odd =
      summarize("", {{"one", "a", 0}, {"one", "b", nan}, {"one", "c", inf}, {"one", "d", 2}}, "a");
  ASSERT_EQ(odd.methods.size(), 1u);
  EXPECT_EQ(odd.methods[0].method, "d");
}

TEST(SetSummary, OfSeveralTimesTheLeastCounts) {
  const SetSummary summary =
      summarize("", {{"one", "T", 4}, {"one", "T", 2}, {"one", "T", 3}, {"one", "csr", 1}}, "csr");
  EXPECT_EQ(method(summary, "T").slowest.value, 2);
  EXPECT_EQ(method(summary, "T").speedup, 0.5);
  EXPECT_EQ(method(summary, "T").measured, 1);
}

Record record(const std::string& matrix, const std::string& format, const std::string& space,
              const std::string& precision, double ms) {
  Record r;
  r.matrix = matrix, r.format = format, r.space = space, r.precision = precision, r.ms_median = ms;
  r.device = space == "cuda" ? "gpu 3" : "cpu, 2 threads";
  r.checked = true, r.error_over_bound = 0.5;
  return r;
}

TEST(SetSummary, OfRecordsTakesWhatPassedOnTheGpuWhereThereIsOne) {
  const auto by_format = [](const Record& r) { return r.format; };
  std::vector<Record> records{
      record("one", "csr", "cuda", "fp64", 2), record("one", "ell", "cuda", "fp64", 1),
      record("one", "petsc_aij", "cpu", "fp64", 0.001), record("one", "csr", "cpu", "fp32", 8),
      record("one", "petsc_aij", "cpu", "fp32", 2)};
  Record wrong = record("one", "dia", "cuda", "fp64", 0.1), refused = wrong, unchecked = wrong;
  wrong.error_over_bound = 1.5;
  refused.skipped = "too long", refused.error_over_bound.reset();
  unchecked.format = "coo", unchecked.error_over_bound.reset();
  records.insert(records.end(), {wrong, refused, unchecked});
  const std::vector<SetSummary> summaries = summarize(records, by_format);
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_EQ(summaries[0].title, "fp64, gpu 3");
  EXPECT_EQ(summaries[0].base, "csr");
  ASSERT_EQ(summaries[0].methods.size(), 2u);
  EXPECT_EQ(method(summaries[0], "ell").speedup, 2);
  EXPECT_EQ(summaries[0].brief, 0);
  EXPECT_EQ(summaries[1].title, "fp32, cpu");
  EXPECT_EQ(method(summaries[1], "petsc_aij").speedup, 4);
  records.push_back(record("one", "cusparse_csr", "cuda", "fp64", 0.005));
  const SetSummary first = summarize(records, by_format)[0];
  EXPECT_EQ(first.base, "cusparse_csr");
  EXPECT_EQ(first.brief, 1);
  EXPECT_NEAR(method(first, "ell").speedup, 0.005, 1e-17);
  EXPECT_EQ(summarize(records, by_format, "ell")[0].base, "ell");
  EXPECT_EQ(summarize(records, [](const Record& r) { return r.format + " T=4"; })[0].base, "");
}

TEST(SetSummary, PrintsATableAndJson) {
  std::ostringstream out;
  print(out, summarize("fp64, gpu 0", times, "a"));
  EXPECT_NE(out.str().find("summary: fp64, gpu 0, 4 operators; speed-up over a\n"), std::string::npos)
      << out.str();
  EXPECT_NE(
      out.str().find(
          "\nb         3        1     0.585  0.200  2.00         25 %  25 %  25 %  50 %     5.00   four\n"),
      std::string::npos)
      << out.str();
  const Json json = to_json(summarize("t", {{"one", "a", 2}, {"one", "b", 1}}, "a"));
  std::string names;
  for (const auto& [name, value] : json.items()) names += name + " ";
  EXPECT_EQ(names, "title base operators brief methods ");
  EXPECT_EQ(json["title"], "t");
  EXPECT_EQ(json["base"], "a");
  EXPECT_EQ(json["operators"], 1);
  const std::string first = json["methods"][0].dump();
  EXPECT_TRUE(
      first.starts_with("{\"method\":\"b\",\"measured\":1,\"fastest\":1,\"compared\":1,\"speedup\":2.0,"
                        "\"worst_speedup\":2.0,\"worst_speedup_operator\":\"one\","))
      << first;
  EXPECT_TRUE(first.ends_with("\"profile\":[[1.0,1.0]]}")) << first;
  const Json alone = to_json(summarize("t", {{"one", "b", 1}}, "a"))["methods"][0];
  EXPECT_TRUE(alone["speedup"].is_null() && alone["worst_speedup"].is_null());
}

TEST(TextTable, ShortNumbersAndColumns) {
  for (const auto& [value, text] : std::vector<std::pair<double, std::string>>{{0, "0.000"},
                                                                               {0.0126, "0.013"},
                                                                               {1, "1.00"},
                                                                               {9.994, "9.99"},
                                                                               {9.996, "10.0"},
                                                                               {99.96, "100"},
                                                                               {12345.6, "12346"}})
    EXPECT_EQ(short_number(value), text);
  for (const auto& [count, text] : std::vector<std::pair<std::int64_t, std::string>>{{0, "0"},
                                                                                     {999, "999"},
                                                                                     {1000, "1.00k"},
                                                                                     {9999, "10.0k"},
                                                                                     {999499, "999k"},
                                                                                     {999500, "1.00M"},
                                                                                     {123456789, "123M"},
                                                                                     {4560000000, "4.56G"}})
    EXPECT_EQ(short_count(count), text);
  std::ostringstream out;
  print_columns(out, {{"", "ms", "x"}, {"first", "1.00"}, {"2", "10.0", "y "}});
  EXPECT_EQ(out.str(), "         ms   x\nfirst  1.00\n2      10.0  y\n");
}

}  // namespace
}  // namespace quadrille
