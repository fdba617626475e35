#include "formats/csr.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

// The 4x4 matrix of Steinberger et al. 2016, figure 1, with its published arrays.
TEST(Csr, TheNaiveSpmvPapersExample) {
  const Csr<double> csr = csr_of<double>(4, 4, {0, 5, 0, 1, 2, 3, 6, 0, 0, 0, 7, 0, 1, 0, 0, 0});
  validate(csr);
  EXPECT_EQ(to_vector(csr.value), (std::vector<double>{5, 1, 2, 3, 6, 7, 1}));
  EXPECT_EQ(to_vector(csr.column), (std::vector<std::int32_t>{1, 3, 0, 1, 2, 2, 0}));
  EXPECT_EQ(to_vector(csr.row_ptr), (std::vector<std::int32_t>{0, 2, 5, 6, 7}));
}

TEST(Csr, TrafficCountsEveryArrayAndBothVectors) {
  const Traffic t = traffic(paper_matrix<double>());
  EXPECT_EQ(t.stored_bytes, 6 * 4 + 10 * 12);
  EXPECT_EQ(t.stored_bytes, csr_bytes(5, 10, 8));
  EXPECT_EQ(t.compulsory_bytes(), t.stored_bytes + 5 * 8 + 5 * 8);
}

TEST(Csr, BrokenArraysAreRefused) {
  Csr<double> csr = paper_matrix<double>();
  csr.column[1] = 0;  // repeats column 0 in row 0
  expect_refused<FormatError>([&] { validate(csr); }, {"row 0"});
  csr = paper_matrix<double>();
  csr.column[9] = 5;
  expect_refused<FormatError>([&] { validate(csr); }, {"row 4"});
  csr = paper_matrix<double>();
  csr.row_ptr[2] = 20;
  expect_refused<FormatError>([&] { validate(csr); }, {"row 1"});
  csr = paper_matrix<double>();
  csr.row_ptr[5] = 9;
  expect_refused<FormatError>([&] { validate(csr); }, {"row pointers"});
}

TEST(Csr, CastRoundsValuesOnly) {
  const Csr<float> csr = cast<float>(csr_of<double>(1, 2, {0.1, 0.5}));
  EXPECT_EQ(csr.value[0], 0.1f);
  EXPECT_EQ(csr.value[1], 0.5f);
}

}  // namespace
}  // namespace quadrille
