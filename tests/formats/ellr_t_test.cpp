#include "formats/ellr_t.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(EllrT, WorkedExample) {
  const EllrT<double> ellr = ellr_t_from_csr(paper_matrix<double>(), 2);
  validate(ellr);
  EXPECT_EQ(ellr.pitch, 16);
  EXPECT_EQ(ellr.width, 4);
  EXPECT_EQ(to_vector(ellr.row_length), (std::vector<std::int32_t>{2, 2, 2, 3, 1}));
  std::vector<double> value(64, 0);
  std::vector<std::int32_t> column(64, -1);
  const double first[10] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 0};
  const std::int32_t first_column[10] = {0, 3, 1, 4, 2, 4, 2, 3, 4, -1};
  std::copy(first, first + 10, value.begin());
  std::copy(first_column, first_column + 10, column.begin());
  value[32 + 6] = 9;
  column[32 + 6] = 4;
  EXPECT_EQ(to_vector(ellr.value), value);
  EXPECT_EQ(to_vector(ellr.column), column);
}

TEST(EllrT, EveryThreadCountGoesRoundTrip) {
  for (const int threads : {1, 2, 4, 8, 16, 32}) {
    const Csr<double> csr = random_matrix<double>(37, 41, 6, 11, false, 3);
    const EllrT<double> ellr = ellr_t_from_csr(csr, threads);
    validate(ellr);
    EXPECT_EQ(ellr.width % threads, 0);
    EXPECT_TRUE(identical(to_csr(ellr), csr)) << threads;
  }
}

TEST(EllrT, RefusesOtherThreadCountsAbsurdFillAndBrokenArrays) {
  for (const int threads : {-1, 0, 3, 33, 64})
    expect_refused<FormatError>([&] { ellr_t_from_csr(paper_matrix<double>(), threads); },
                                {"1, 2, 4, 8, 16 or 32"});
  const Csr<double> dense_row = random_matrix<double>(1000, 1000, 2, 500, false, 1);
  expect_refused<FormatError>([&] { ellr_t_from_csr(dense_row, 4); }, {"ellr_t would store", "MiB", "KiB"});
  EllrT<double> ellr = ellr_t_from_csr(paper_matrix<double>(), 2);
  ellr.row_length[3] = 2;  // one entry beyond the row, and one too few
  ellr.row_length[2] = 3;
  expect_refused<FormatError>([&] { validate(ellr); }, {"row 2"});
  ellr.threads = 3;
  expect_refused<FormatError>([&] { validate(ellr); }, {"T 3"});
}

TEST(EllrT, PaddingIsStoredButNotCompulsory) {
  const Traffic t = traffic(ellr_t_from_csr(paper_matrix<double>(), 2));
  EXPECT_EQ(t.stored_bytes, 5 * 4 + 64 * 12);
  EXPECT_EQ(t.read_bytes, 5 * 4 + 10 * 12 + 5 * 8);
}

}  // namespace
}  // namespace quadrille
