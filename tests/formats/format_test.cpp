#include "formats/format.hpp"

#include <cstdint>
#include <limits>

#include "expect_refused.hpp"
#include "formats/array.hpp"

namespace quadrille {
namespace {

TEST(Format, BytesTextPicksAUnit) {
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(3 << 20), "3.0 MiB");
  EXPECT_EQ(bytes_text(std::int64_t{5} << 40), "5.0 TiB");
}

TEST(Format, ProductsThatOverflowAreRefusedWithBothFactors) {
  EXPECT_EQ(checked_product(1 << 20, 1 << 20, "x"), std::int64_t{1} << 40);
  expect_refused<FormatError>(
      [] { checked_product(std::int64_t{1} << 40, std::int64_t{1} << 40, "the table"); },
      {"the table", "1099511627776", "64 bits"});
}

TEST(Format, AbsurdFillNamesBothSizes) {
  refuse_absurd_fill("ell", 1 << 20, 1);           // small: always taken
  refuse_absurd_fill("ell", 160 << 20, 10 << 20);  // 16 times: still taken
  expect_refused<FormatError>([] { refuse_absurd_fill("ell", std::int64_t{200} << 20, 10 << 20); },
                              {"ell", "200.0 MiB", "10.0 MiB"});
}

TEST(Format, IndicesBeyond32BitsAreRefused) {
  EXPECT_EQ(to_index32(2147483647, "rows"), 2147483647);
  expect_refused<FormatError>([] { to_index32(2147483648, "non-zeros"); },
                              {"2147483648 non-zeros", "32-bit"});
  expect_refused<FormatError>([] { to_index32(-1, "rows"); }, {"-1 rows"});
}

TEST(Array, AnImpossibleRequestNamesNeededAndFreeBytes) {
  expect_refused<MemoryError>([] { Array<double>(std::int64_t{1} << 50); }, {"8.0 PiB needed", "free"});
  expect_refused<FormatError>([] { Array<char>(-1); }, {"64 bits"});
}

TEST(Array, MovesAndKeepsItsElements) {
  Array<int> a{1, 2, 3};
  Array<int> b = std::move(a);
  EXPECT_EQ(a.size(), 0);
  ASSERT_EQ(b.size(), 3);
  EXPECT_EQ(b[2], 3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0u);
  a = std::move(b);
  EXPECT_EQ(copy_of(a)[0], 1);
}

}  // namespace
}  // namespace quadrille
