#include "formats/bcsr.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(Bcsr, WorkedExample) {
  const Bcsr<double> bcsr = bcsr_from_csr(paper_matrix<double>(), 2);
  validate(bcsr);
  EXPECT_EQ(to_vector(bcsr.block_row_ptr), (std::vector<std::int32_t>{0, 3, 5, 6}));
  EXPECT_EQ(to_vector(bcsr.block_column), (std::vector<std::int32_t>{0, 1, 2, 1, 2, 2}));
  EXPECT_EQ(to_vector(bcsr.value), (std::vector<double>{1, 0, 0, 3, 0, 2, 0, 0, 0,  0, 4, 0,  //
                                                        5, 0, 7, 8, 6, 0, 9, 0, 10, 0, 0, 0}));
  EXPECT_TRUE(identical(to_csr(bcsr), paper_matrix<double>()));
}

TEST(Bcsr, BlockSizeOneIsCsr) {
  const Bcsr<double> bcsr = bcsr_from_csr(paper_matrix<double>(), 1);
  EXPECT_EQ(to_vector(bcsr.value), to_vector(paper_matrix<double>().value));
  EXPECT_EQ(to_vector(bcsr.block_row_ptr), to_vector(paper_matrix<double>().row_ptr));
}

TEST(Bcsr, RefusesWhatItCannotHold) {
  expect_refused<FormatError>([] { bcsr_from_csr(paper_matrix<double>(), 0); }, {"block size of 0"});
  expect_refused<FormatError>([] { bcsr_from_csr(paper_matrix<double>(), 65); }, {"block size of 65"});
  const std::int64_t n =
      4096;  // a diagonal matrix in 64x64 blocks: 64 times the values, and they are not few
  Csr<double> diagonal{n, n, Array<std::int32_t>(n + 1), Array<std::int32_t>(n), Array<double>(n, 1.0)};
  for (std::int32_t i = 0; i <= n; ++i) diagonal.row_ptr[i] = i;
  for (std::int32_t i = 0; i < n; ++i) diagonal.column[i] = i;
  expect_refused<FormatError>([&] { bcsr_from_csr(diagonal, 64); }, {"bcsr would store 2.0 MiB", "64.0 KiB"});
  Bcsr<double> bcsr = bcsr_from_csr(paper_matrix<double>(), 2);
  bcsr.block_column[4] = 3;
  expect_refused<FormatError>([&] { validate(bcsr); }, {"block row 1"});
}

}  // namespace
}  // namespace quadrille
