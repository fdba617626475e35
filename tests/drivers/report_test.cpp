#include "drivers/support/report.hpp"
#include "drivers/support/solve_record.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "drivers/fields/field_file.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double inf_value = std::numeric_limits<double>::infinity();

Record measured(const std::string& format) {
  Record record;
  record.space = "cpu", record.device = "a core", record.format = format, record.precision = "fp64";
  record.operator_name = "random", record.grid = "64x64x64", record.dof = 4, record.stencil = "star";
  record.boundary = "drop", record.rows = 1048576, record.nnz = 28901376;
  record.stored_bytes = 3 << 20, record.compulsory_bytes = 4 << 20, record.ms_median = 1.25,
  record.ms_min = 1.2;
  record.ms_max = 1.5, record.repetitions = 30, record.gflops = 46.2, record.gbps = 210.5;
  record.ceiling_gbps = 220, record.fraction_of_floor = 0.957, record.checked = true;
  record.error_over_bound = 0.25;
  return record;
}

Report report_of(std::vector<Record> records) {
  Report report;
  report.ceilings = {{"read", 4646}, {"copy", 4262.4}};
  report.records = std::move(records);
  return report;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string table(const Report& report) {
  std::ostringstream out;
  print_table(out, report);
  return out.str();
}

TEST(Json, NamesAreTheContracts) {
  const std::string json = to_json(report_of({measured("cds")}));
  std::string names;
  const std::string record = json.substr(json.find("\"records\""));
  for (std::size_t end = record.find("\": "); end != std::string::npos; end = record.find("\": ", end + 1)) {
    const std::size_t begin = record.rfind('"', end - 1) + 1;
    names += record.substr(begin, end - begin) + " ";
  }
  EXPECT_EQ(names,
            "records bench space device format precision operator matrix grid dof stencil boundary product "
            "rows nnz "
            "stored_bytes "
            "compulsory_bytes ms_median ms_min ms_max repetitions gflops gbps ceiling_gbps fraction_of_floor "
            "in_cache "
            "convert_ms upload_ms checked rows_checked error_over_bound skipped ");
}

TEST(Json, MissingValuesAreNull) {
  Record unchecked = measured("cds");
  unchecked.checked = false, unchecked.error_over_bound.reset();
  const std::string json = to_json(report_of({unchecked}));
  EXPECT_TRUE(
      has(json, "\"checked\": false, \"rows_checked\": null, \"error_over_bound\": null, \"skipped\": null}"))
      << json;
  unchecked.skipped = "too wide";
  EXPECT_TRUE(has(to_json(report_of({unchecked})), "\"skipped\": \"too wide\"}"));
}

TEST(Json, NumbersRoundTripAndOddOnesAreStrings) {
  Record record = measured("cds");
  record.ms_median = 0.1 + 0.2, record.ms_min = nan_value, record.ms_max = -inf_value, record.gbps = 5;
  record.error_over_bound = inf_value, record.nnz = 9007199254740993;
  const std::string json = to_json(report_of({record}));
  EXPECT_TRUE(has(json, "\"ms_median\": 0.30000000000000004,")) << json;
  EXPECT_TRUE(has(json, "\"ms_min\": \"nan\", \"ms_max\": \"-inf\","));
  EXPECT_TRUE(has(json, "\"error_over_bound\": \"inf\""));
  EXPECT_TRUE(has(json, "\"gbps\": 5.0,"));
  EXPECT_TRUE(has(json, "\"nnz\": 9007199254740993,"));
}

TEST(Json, StringsAreEscaped) {
  Report report = report_of({});
  report.command = "a \"b\" \\ \n\x01\x7f \xc3\xa9 \xff \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82";
  const std::string json = to_json(report);
  EXPECT_TRUE(has(json, "\"a \\\"b\\\" \\\\ \\n\\u0001\x7f \xc3\xa9 \xef\xbf\xbd \xef\xbf\xbd")) << json;
  EXPECT_TRUE(has(json, " \xf0\x9f\x98\x80 \xef\xbf\xbd\"")) << json;
}

TEST(Csv, QuotesAsRfc4180) {
  Record record = measured("cds");
  record.device = "a \"fast\", new core", record.skipped = "one\ntwo", record.error_over_bound.reset();
  record.ms_min = nan_value;
  const std::string csv = to_csv(report_of({record}));
  const std::string header = csv.substr(0, csv.find('\n'));
  EXPECT_EQ(header.substr(0, 26), "bench,space,device,format,");
  EXPECT_EQ(std::count(header.begin(), header.end(), ','), 30);
  EXPECT_TRUE(has(csv, "\nspmv,cpu,\"a \"\"fast\"\", new core\",cds,fp64,random,,64x64x64,4,star,drop,"))
      << csv;
  EXPECT_TRUE(has(csv, ",1.25,nan,1.5,30,"));
  EXPECT_TRUE(has(csv, ",true,,,\"one\ntwo\"\n"));
}

TEST(Report, ExtraFieldsStandAtTheEndAndTheSummaryAfterTheRecords) {
  Record first = measured("cds"), second = measured("ellr_t"), third = measured("csr");
  first.extra = {extra_field("zeros", 1.5), extra_field("why", "a, b")};
  second.extra = {
      extra_field("why", "c"), {"best", Json{{"t", 4}}, "4"}, extra_field("strips", std::int64_t{7})};
  Report report = report_of({first, second, third});
  report.summary = Json::array({1, 2});
  const std::string json = to_json(report);
  EXPECT_TRUE(has(json, "\"skipped\": null, \"zeros\": 1.5, \"why\": \"a, b\"}")) << json;
  EXPECT_TRUE(has(json, "\"skipped\": null, \"why\": \"c\", \"best\": {\"t\": 4}, \"strips\": 7}"));
  EXPECT_TRUE(json.ends_with("\"skipped\": null}\n  ],\n  \"summary\": [1, 2]\n}\n"));
  const std::vector<std::string> csv = lines(to_csv(report));
  EXPECT_TRUE(csv.at(0).ends_with(",skipped,zeros,why,best,strips"));
  EXPECT_TRUE(csv.at(1).ends_with(",,1.5,\"a, b\",,"));
  EXPECT_TRUE(csv.at(2).ends_with(",,,c,4,7"));
  EXPECT_TRUE(csv.at(3).ends_with(",,,,,"));
}

TEST(Table, ShowsAlignedColumnsAndRefusals) {
  Record refused = measured("dia");
  refused.skipped = "1201 diagonals,\nmore than 512";
  Record wrong = measured("cusparse_csr");
  wrong.error_over_bound = nan_value, wrong.ms_median = 12345.678, wrong.in_cache = true;
  Record unchecked = measured("csr");
  unchecked.checked = false, unchecked.error_over_bound.reset();
  const std::vector<std::string> out = lines(table(report_of({measured("cds"), refused, wrong, unchecked})));
  ASSERT_EQ(out.size(), 10u);
  EXPECT_EQ(out[0],
            "spmv, random, 64x64x64, DoF 4, star, boundary drop, fp64: 1048576 rows, 28901376 non-zeros");
  EXPECT_EQ(out[1], "format        space    MiB       ms   GB/s  of floor  error/bound  ok");
  EXPECT_EQ(out[2], "cds           cpu    3.000    1.250  210.5    95.7 %       0.2500  yes");
  EXPECT_EQ(out[3], "csr           cpu    3.000    1.250  210.5    95.7 %            -  -");
  EXPECT_EQ(
      out[4],
      "cusparse_csr  cpu    3.000  12345.7  210.5    95.7 %          nan  NO  in cache");  // the slowest last
  EXPECT_EQ(out[5], "refused:");
  EXPECT_EQ(out[6], "  dia (cpu): 1201 diagonals, more than 512");
  EXPECT_TRUE(out[7].starts_with("MiB: stored."));
  EXPECT_EQ(out[9], "ceilings: read 4646 GB/s, copy 4262 GB/s");
  for (const std::string& line : out) EXPECT_LE(line.size(), 100u);
}

TEST(Table, WrongResultsSayNo) {
  Record record = measured("cds");
  for (const double error : {1.0001, inf_value, nan_value}) {
    record.error_over_bound = error;
    EXPECT_TRUE(has(table(report_of({record})), "  NO\n"));
  }
  record.error_over_bound = 1;
  EXPECT_TRUE(has(table(report_of({record})), "  yes\n"));
  record.error_over_bound.reset();  // said to be checked, with nothing to show
  EXPECT_TRUE(has(table(report_of({record})), "  NO\n"));
}

TEST(Table, SaysWhyALineIsFasterThanItsFloor) {
  Record fast = measured("cds");
  EXPECT_FALSE(has(table(report_of({fast})), "above 100 %"));
  fast.fraction_of_floor = 1.0001;  // shown as 100.0 %
  EXPECT_FALSE(has(table(report_of({fast})), "above 100 %"));
  fast.fraction_of_floor = 1.2;
  EXPECT_TRUE(
      has(table(report_of({fast, measured("csr")})), "above 100 %: something else slowed the stream"));
  fast.in_cache = true;
  const std::string text = table(report_of({fast}));
  EXPECT_TRUE(has(text, "above 100 %, in cache: "));
  EXPECT_FALSE(has(text, "something else"));
  for (const std::string& line : lines(text)) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Table, WrapsManyCeilingsAndSeparatesGroups) {
  Record other = measured("cds");
  other.dof = 2;
  Report report = report_of({measured("cds"), other});
  for (int i = 0; i < 12; ++i) report.ceilings.emplace_back("stream number " + std::to_string(i), 1000.0 + i);
  const std::string text = table(report);
  for (const std::string& line : lines(text)) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_TRUE(has(text, "stream number 11 1011 GB/s"));
  EXPECT_TRUE(has(text, "DoF 4")) << text;
  EXPECT_TRUE(has(text, "\n\nspmv, random, 64x64x64, DoF 2")) << text;
  EXPECT_EQ(table(Report{}), "");
}

class TextFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "quadrille_text_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = (folder_ / "a.json").string();
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
  std::string path_;
};

TEST_F(TextFileTest, ReplacesTheOldFile) {
  write_text_file(path_, "a longer old text");
  write_text_file(path_, "new");
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(count(), 1);
}

TEST_F(TextFileTest, FullDiskLeavesTheOldFile) {
  write_text_file(path_, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_text_file(path_, std::string(5000, 'x'));
    } catch (const OutputError& error) {
      std::_Exit(has(error.what(), path_ + ": File too large") ? 3 : 4);
    }
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(count(), 1);
}

TEST_F(TextFileTest, RefusesWhatIsNoFile) {
  EXPECT_THROW(write_text_file((folder_ / "none" / "a").string(), "x"), OutputError);
  EXPECT_THROW(write_text_file(folder_.string(), "x"), OutputError);
  write_text_file(path_, "old");
  EXPECT_THROW(write_text_file(path_ + "/below", "x"), OutputError);
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(count(), 1);
}

TEST_F(TextFileTest, WritesDevicesInPlace) {
  write_text_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_text_file("/dev/full", "x"), OutputError);
}

TEST(SolveRecord, TellsTheFloorWhereItIsKnown) {
  SolveRecord record;
  record.matmult_ms = 0.125, record.jacobian_ms = 2, record.residual_ms = 0.5;
  EXPECT_EQ(times_text(record), "0.125 ms per product, 2 ms to make it, 0.5 ms per residual");
  record.residual_fraction_of_floor = 0.8;
  EXPECT_EQ(times_text(record),
            "0.125 ms per product, 2 ms to make it, 0.5 ms per residual (1.2 times the floor)");
  record.jacobian_fraction_of_floor = 0.5;
  EXPECT_EQ(times_text(record),
            "0.125 ms per product, 2 ms to make it (2 times the floor), 0.5 ms per residual (1.2 times the "
            "floor)");
}

TEST(UtcNow, IsIso8601) {
  const std::string now = utc_now();
  std::tm parts{};
  const char* end = strptime(now.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  EXPECT_EQ(end, now.c_str() + now.size()) << now;
  EXPECT_EQ(now.size(), 20u) << now;
  EXPECT_GE(parts.tm_year, 100) << now;
}

}  // namespace
}  // namespace quadrille
