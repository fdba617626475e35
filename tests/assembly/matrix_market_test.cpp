// Every variant against hand-written CSR arrays; every malformed file against the essential words of its
// message.
#include "assembly/matrix_market.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "grid/error.hpp"

namespace quadrille {
namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

struct Expected {
  std::int64_t rows, columns;
  std::vector<std::int32_t> row_ptr, column;
  std::vector<double> value;
};

template <class T>
std::vector<double> doubles(const Array<T>& array) {
  return {array.begin(), array.end()};
}

template <class T>
void expect_same(const Csr<T>& csr, const Expected& expected) {
  EXPECT_NO_THROW(validate(csr));
  EXPECT_EQ(csr.rows, expected.rows);
  EXPECT_EQ(csr.columns, expected.columns);
  EXPECT_EQ(std::vector<std::int32_t>(csr.row_ptr.begin(), csr.row_ptr.end()), expected.row_ptr);
  EXPECT_EQ(std::vector<std::int32_t>(csr.column.begin(), csr.column.end()), expected.column);
  EXPECT_EQ(doubles(csr.value), expected.value);
}

void expect_parsed(const std::string& text, const Expected& expected) {
  SCOPED_TRACE(text);
  expect_same(parse_matrix_market<double>(text, "memory"), expected);
  expect_same(parse_matrix_market<float>(text, "memory"), expected);
}

template <class Read>
std::string message_of(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string refusal(const std::string& text) {
  return message_of([&] { parse_matrix_market<double>(text, "bad.mtx"); });
}

void expect_contains(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks " << word;
}

// A folder of its own for each test, removed with it.
class MatrixMarketFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::path(testing::TempDir()) / "quadrille_mm_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string write_gzip(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    gzFile file = gzopen(path.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path;
  }

  std::string refusal_of_file(const std::string& path) {
    return message_of([&] { read_matrix_market<double>(path); });
  }

  std::filesystem::path folder_;
};

TEST(MatrixMarket, RealGeneralInAnyOrder) {
  expect_parsed(general + "3 4 5\n3 4 -2.5\n1 3 3\n1 1 1e0\n3 1 .5\n1 2 +2.\n",
                {3, 4, {0, 3, 3, 5}, {0, 1, 2, 0, 3}, {1, 2, 3, 0.5, -2.5}});
}

TEST(MatrixMarket, IntegerAndPattern) {
  expect_parsed("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 -7\n2 1 +9\n",
                {2, 2, {0, 1, 2}, {1, 0}, {-7, 9}});
  expect_parsed("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n",
                {2, 3, {0, 1, 2}, {2, 0}, {1, 1}});
}

TEST(MatrixMarket, SymmetricIsExpanded) {
  expect_parsed("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 1 3\n3 3 4\n",
                {3, 3, {0, 3, 4, 6}, {0, 1, 2, 0, 0, 2}, {1, 2, 3, 2, 3, 4}});
  expect_parsed("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
                {2, 2, {0, 1, 2}, {1, 0}, {1, 1}});
}

TEST(MatrixMarket, SkewSymmetricIsExpandedWithTheOtherSign) {
  expect_parsed("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 2 -6\n",
                {3, 3, {0, 1, 3, 4}, {1, 0, 2, 1}, {-5, 5, 6, -6}});
}

TEST(MatrixMarket, ArrayIsReadColumnByColumn) {
  expect_parsed("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n",
                {2, 3, {0, 3, 6}, {0, 1, 2, 0, 1, 2}, {1, 3, 5, 2, 0, 6}});
  expect_parsed("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
                {2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 3}});
  expect_parsed("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
                {3, 3, {0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}, {-1, -2, 1, -3, 2, 3}});
}

TEST(MatrixMarket, EdgesOfTheSizes) {
  expect_parsed(general + "2 2 0\n", {2, 2, {0, 0, 0}, {}, {}});
  expect_parsed(general + "1 1 1\n1 1 4\n", {1, 1, {0, 1}, {0}, {4}});
  expect_parsed("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", {1, 1, {0, 0}, {}, {}});
}

TEST(MatrixMarket, LayoutOfTheText) {
  const Expected expected{2, 2, {0, 1, 2}, {0, 1}, {1, 2}};
  expect_parsed("%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\n1 1 1\r\n2 2 2\r\n", expected);
  expect_parsed(
      "%%MATRIXMARKET\tMatrix  COORDINATE Real General \n% c\n\n  %c\n2 2 2\n%x\n\n \t1 1 1 \n\n%\n2\t2  "
      "2\n%end\n\n",
      expected);
  expect_parsed("\xEF\xBB\xBF" + general + "2 2 2\n1 1 1\n2 2 2", expected);
}

TEST(MatrixMarket, Numbers) {
  expect_parsed(general + "1 4 4\n1 1 1.0D+03\n1 2 -25d-2\n1 3 1e-400\n1 4 0e999999999999999999999\n",
                {1, 4, {0, 4}, {0, 1, 2, 3}, {1000, -0.25, 0, 0}});
}

TEST(MatrixMarket, ExtremeNumbers) {
  using limits = std::numeric_limits<double>;
  const std::string text = general + "1 3 3\n1 1 5e-324\n1 2 1.7976931348623157D+308\n1 3 -1e-400\n";
  const auto csr = parse_matrix_market<double>(text, "memory");
  EXPECT_EQ(csr.value[0], limits::denorm_min());
  EXPECT_EQ(csr.value[1], limits::max());
  EXPECT_TRUE(csr.value[2] == 0 && std::signbit(csr.value[2]));
  EXPECT_EQ(parse_matrix_market<float>(text, "memory").value[1], std::numeric_limits<float>::infinity());
}

TEST(MatrixMarket, DuplicatesAreSummedAndZerosKept) {
  MatrixMarketInfo info;
  expect_same(
      parse_matrix_market<double>(general + "2 2 5\n2 1 1\n1 2 0\n2 1 2\n1 2 -0.0\n2 1 4\n", "memory", &info),
      {2, 2, {0, 1, 2}, {1, 0}, {0, 7}});
  EXPECT_EQ(info.entries, 5);
  EXPECT_EQ(info.duplicates, 3);
  EXPECT_EQ(info.explicit_zeros, 2);
  const std::string symmetric =
      "%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n2 1 1\n2 1 2\n2 2 1\n2 2 1\n";
  expect_same(parse_matrix_market<double>(symmetric, "memory", &info),
              {2, 2, {0, 1, 3}, {1, 0, 1}, {3, 3, 2}});
  EXPECT_EQ(info.duplicates, 2);
}

TEST(MatrixMarket, NonFiniteValuesAreAcceptedAndCounted) {
  MatrixMarketInfo info;
  const auto csr = parse_matrix_market<double>(
      "%%MatrixMarket matrix coordinate real general\n2 3 5\n1 1 NaN\n1 2 -inf\n1 3 Infinity\n2 1 nan\n2 2 "
      "1\n",
      "memory", &info);
  EXPECT_EQ(info.rows, 2);
  EXPECT_EQ(info.columns, 3);
  EXPECT_EQ(info.entries, 5);
  EXPECT_EQ(info.non_finite, 4);
  EXPECT_EQ(info.format, "coordinate");
  EXPECT_EQ(info.field, "real");
  EXPECT_EQ(info.symmetry, "general");
  EXPECT_TRUE(std::isnan(csr.value[0]));
  EXPECT_EQ(csr.value[1], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(csr.value[2], std::numeric_limits<double>::infinity());
}

TEST(MatrixMarket, RefusesBadBanners) {
  expect_contains(refusal(""), {"bad.mtx:1: ", "empty"});
  expect_contains(refusal("\n"), {"bad.mtx:1: ", "banner"});
  expect_contains(refusal("1 1 1\n1 1 1\n"),
                  {"bad.mtx:1: ", "not a Matrix Market banner", "%%MatrixMarket matrix"});
  expect_contains(refusal("%MatrixMarket matrix coordinate real general\n"), {"bad.mtx:1: ", "banner"});
  expect_contains(refusal("%%MatrixMarket matrix coordinate real\n"), {"bad.mtx:1: ", "five words"});
  expect_contains(refusal("%%MatrixMarket matrix coordinate real general x\n"),
                  {"bad.mtx:1: ", "five words"});
  expect_contains(refusal("%%MatrixMarket vector coordinate real general\n"), {":1: ", "'vector'", "matrix"});
  expect_contains(refusal("%%MatrixMarket matrix coordinates real general\n"),
                  {":1: ", "'coordinates'", "array"});
  expect_contains(refusal("%%MatrixMarket matrix coordinate complex general\n"),
                  {":1: ", "'complex'", "not supported"});
  expect_contains(refusal("%%MatrixMarket matrix coordinate real hermitian\n"),
                  {":1: ", "'hermitian'", "not supported"});
  expect_contains(refusal("%%MatrixMarket matrix array pattern general\n"), {":1: ", "pattern", "no values"});
  expect_contains(refusal("%%MatrixMarket matrix coordinate pattern skew-symmetric\n"),
                  {":1: ", "pattern", "no values"});
}

TEST(MatrixMarket, RefusesBadSizeLines) {
  expect_contains(refusal(general), {"bad.mtx:1: ", "before the size line"});
  expect_contains(refusal(general + "% only\n\n"), {"bad.mtx:3: ", "before the size line"});
  expect_contains(refusal(general + "2 2\n"), {"bad.mtx:2: ", "number of entries is missing"});
  expect_contains(refusal(general + "2\n"), {":2: ", "number of columns is missing"});
  expect_contains(refusal(general + "2 x 1\n"), {":2: ", "number of columns 'x'", "not a whole number"});
  expect_contains(refusal(general + "2 2.0 1\n"), {":2: ", "'2.0'", "not a whole number"});
  expect_contains(refusal(general + "2 2 1 1\n"), {":2: ", "rows, columns and entries only"});
  expect_contains(refusal(general + "-2 2 1\n"), {":2: ", "at least"});
  expect_contains(refusal(general + "2 2 -1\n"), {":2: ", "at least"});
  expect_contains(refusal(general + "0 2 0\n"), {":2: ", "at least 1"});
  expect_contains(refusal(general + "2 2 99999999999999999999\n"),
                  {":2: ", "entries", "does not fit 64 bits"});
  expect_contains(refusal(general + "2147483648 2 1\n"), {":2: ", "2^31", "32-bit"});
  expect_contains(refusal(general + "2 2147483648 1\n"), {":2: ", "2^31", "32-bit"});
  expect_contains(refusal("%%MatrixMarket matrix array real general\n50000 50000\n"),
                  {":2: ", "dense", "2^31"});
  expect_contains(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
                  {":2: ", "square", "2 x 3"});
  expect_contains(refusal("%%MatrixMarket matrix array real skew-symmetric\n2 3\n"), {":2: ", "square"});
}

TEST(MatrixMarket, RefusesBadEntries) {
  expect_contains(refusal(general + "2 2 2\n1 1 1\n"), {"bad.mtx:3: ", "after 1 of 2 entries"});
  expect_contains(refusal(general + "2 2 1\n1 1 1\n2 2 2\n"),
                  {"bad.mtx:4: ", "'2 2 2'", "follows the 1 entries"});
  expect_contains(refusal(general + "2 2 1\n1 1 1\ngarbage\n"), {":4: ", "'garbage'"});
  expect_contains(refusal(general + "2 2 1\n1 1 1 7\n"), {":3: ", "'7' follows the entry"});
  expect_contains(refusal(general + "2 2 1\n1 1\n"), {":3: ", "value is missing"});
  expect_contains(refusal(general + "2 2 1\n1\n"), {":3: ", "column index is missing"});
  expect_contains(refusal(general + "2 2 1\n%\n3 1 1\n"), {":4: ", "(3, 1)", "outside", "2 x 2"});
  expect_contains(refusal(general + "2 2 1\n1 3 1\n"), {":3: ", "(1, 3)", "outside"});
  expect_contains(refusal(general + "2 2 1\n0 1 1\n"), {":3: ", "(0, 1)", "start at 1"});
  expect_contains(refusal(general + "2 2 1\n1 -1 1\n"), {":3: ", "outside"});
  expect_contains(refusal(general + "2 2 1\n1 4294967297 1\n"), {":3: ", "outside"});
  expect_contains(refusal(general + "2 2 1\n1.0 1 1\n"), {":3: ", "row index '1.0'", "whole number"});
  expect_contains(refusal("%%MatrixMarket matrix array real general\n2 1\n1\n"), {":3: ", "after 1 of 2"});
  expect_contains(refusal("%%MatrixMarket matrix array real general\n1 1\n1 2\n"), {":3: ", "'2' follows"});
}

TEST(MatrixMarket, RefusesBadValues) {
  for (const std::string& word :
       std::vector<std::string>{"x", "1.0x", "1,5", "--1", "++1", "+-1", "1D5D5", "1D", "D5", "0x10", "1e",
                                "-", ".", "infD", "1.0+5"})
    expect_contains(refusal(general + "1 1 1\n1 1 " + word + "\n"),
                    {":3: ", "'" + word + "'", "not a number"});
  for (const std::string& word : std::vector<std::string>{"1e400", "-1D+309", "1e99999999999999999999",
                                                          "0.001e999", std::string(400, '9')})
    expect_contains(refusal(general + "1 1 1\n1 1 " + word + "\n"), {":3: ", "too large for a double"});
  const std::string integer = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 ";
  expect_contains(refusal(integer + "1.5\n"), {":3: ", "value '1.5'", "whole number"});
  expect_contains(refusal(integer + "9223372036854775808\n"), {":3: ", "64 bits"});
}

TEST(MatrixMarket, RefusesTheWrongHalf) {
  expect_contains(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
                  {":3: ", "(1, 2)", "above the diagonal", "general"});
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n";
  expect_contains(refusal(skew + "1 2 1\n"), {":3: ", "on or above the diagonal"});
  expect_contains(refusal(skew + "2 2 1\n"), {":3: ", "(2, 2)", "on or above the diagonal"});
}

TEST(MatrixMarket, MessagesShowNoRawBytes) {
  const std::string message = refusal(general + "1 1 1\n1 1 \x1b[31m\x80" + std::string(5000, 'y') + "\n");
  expect_contains(message, {"'?[31m?yyy", "...'"});
  EXPECT_LT(message.size(), 200u);
}

TEST(MatrixMarket, LongLines) {
  expect_parsed(
      general + "%" + std::string(900'000, 'c') + "\n1 1 1\n" + std::string(200'000, ' ') + "1 1 1\n",
      {1, 1, {0, 1}, {0}, {1}});
  expect_contains(refusal(general + "1 1 1\n%" + std::string(3 << 20, 'c') + "\n1 1 1\n"), {":3: ", "1 MiB"});
}

// Crosses many buffer ends and several blocks of entries, at every alignment of lines to buffers.
TEST(MatrixMarket, ManyEntries) {
  const int n = 100'003;
  std::string text =
      general + std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(2 * n) + "\n";
  for (int i = n; i > 0; --i)
    text += std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(i) + "\n" + std::to_string(i) +
            " " + std::to_string(i % n + 1) + " 0.5\n";
  const auto csr = parse_matrix_market<double>(text, "memory");
  validate(csr);
  ASSERT_EQ(csr.nnz(), 2 * n);
  for (int i = 0; i + 1 < n; ++i) {
    ASSERT_EQ(csr.column[2 * i], i);
    ASSERT_EQ(csr.value[2 * i], i + 1);
    ASSERT_EQ(csr.column[2 * i + 1], i + 1);
    ASSERT_EQ(csr.value[2 * i + 1], 0.5);
  }
  EXPECT_EQ(csr.column[2 * n - 2], 0);
  EXPECT_EQ(csr.value[2 * n - 1], n);
}

TEST_F(MatrixMarketFile, PlainAndGzipByContent) {
  const std::string text = general + "2 2 2\n2 1 3\n1 2 4\n";
  const Expected expected{2, 2, {0, 1, 2}, {1, 0}, {4, 3}};
  expect_same(read_matrix_market<double>(write("plain.mtx", text)), expected);
  expect_same(read_matrix_market<double>(write("plain_named.gz", text)), expected);
  expect_same(read_matrix_market<float>(write_gzip("packed.mtx.gz", text)), expected);
  expect_same(read_matrix_market<double>(write_gzip("packed_named.mtx", text)), expected);
}

TEST_F(MatrixMarketFile, RefusesWhatIsNoFile) {
  const std::string missing = (folder_ / "missing.mtx").string();
  expect_contains(refusal_of_file(missing), {missing, "No such file"});
  expect_contains(refusal_of_file(folder_.string()), {folder_.string(), "is a directory"});
  const std::string empty = write("empty.mtx", "");
  expect_contains(refusal_of_file(empty), {empty + ":1: ", "empty"});
  const std::string locked = write("locked.mtx", general + "1 1 0\n");
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  if (access(locked.c_str(), R_OK) != 0) expect_contains(refusal_of_file(locked), {locked, "permissions"});
}

TEST_F(MatrixMarketFile, RefusesDamagedGzip) {
  std::string text = general + "500 500 500\n";
  for (int i = 1; i <= 500; ++i)
    text += std::to_string(i) + " " + std::to_string(i * 7919 % 500 + 1) + " 0.1\n";
  const std::string whole_path = write_gzip("whole.mtx.gz", text);
  std::ifstream stream(whole_path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_NO_THROW(read_matrix_market<double>(whole_path));
  for (const std::size_t size : {std::size_t{2}, std::size_t{12}, whole.size() / 2, whole.size() - 1})
    expect_contains(refusal_of_file(write("cut.mtx.gz", whole.substr(0, size))),
                    {"cut.mtx.gz:", "cut short"});
  std::string flipped = whole;
  flipped[whole.size() - 6] ^= 1;  // within the checksum
  expect_contains(refusal_of_file(write("flipped.mtx.gz", flipped)), {"flipped.mtx.gz:", "damaged"});
}

// Address space that a test may add to what the program holds already.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(std::int64_t extra_bytes) {
    getrlimit(RLIMIT_AS, &before_);
    std::int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + extra_bytes);
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST_F(MatrixMarketFile, PromisesTakeNoMemory) {
  std::string comments;
  while (comments.size() < 64'000'000) comments += "%" + std::string(998, 'c') + "\n";
  const std::string bomb_path = write_gzip("bomb.mtx.gz", general + "9 9 1\n1 1 1\n" + comments + "x\n");
  const AddressSpaceLimit limit(32 << 20);
  expect_contains(refusal(general + "9 9 1000000000000\n1 1 1\n"), {":2: ", "2^31"});
  expect_contains(refusal(general + "9 9 2147483647\n1 1 1\n"), {":3: ", "after 1 of 2147483647 entries"});
  expect_contains(refusal("%%MatrixMarket matrix array real general\n46000 46000\n1\n"),
                  {":3: ", "after 1 of 2116000000"});
  expect_contains(refusal(general + "2147483647 2147483647 1\n1 1 1\n"),
                  {":2: ", "cannot describe", "2147483647 rows"});
  expect_contains(refusal(general + "1 16900000 1\n1 1 1\n"), {":2: ", "cannot describe"});
  expect_contains(refusal_of_file(bomb_path), {"bomb.mtx.gz:64004: ", "'x' follows"});
}

}  // namespace
}  // namespace quadrille
