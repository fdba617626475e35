#include "formats/rg_csr.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(RgCsr, WorkedExample) {
  const RgCsr<double> rg = rg_csr_from_csr(paper_matrix<double>(), 2);
  validate(rg);
  EXPECT_EQ(to_vector(rg.value), (std::vector<double>{1, 3, 2, 4, 5, 7, 6, 8, 0, 9, 10}));
  EXPECT_EQ(to_vector(rg.column), (std::vector<std::int32_t>{0, 1, 3, 4, 2, 2, 4, 3, -1, 4, 4}));
  EXPECT_EQ(to_vector(rg.group_ptr), (std::vector<std::int32_t>{0, 4, 10, 11}));
  EXPECT_EQ(to_vector(rg.row_length), (std::vector<std::int32_t>{2, 2, 2, 3, 1}));
  EXPECT_TRUE(identical(to_csr(rg), paper_matrix<double>()));
}

// The row lengths of the paper's figures 1 to 5 (the rows start at 0 2 3 4 5 6 8 11 of 13 entries): RgCSR in
// groups of four allocates 7 artificial zeros, ELLPACK 11.
TEST(RgCsr, ThePapersArtificialZeros) {
  const int length[8] = {2, 1, 1, 1, 1, 2, 3, 2};
  std::vector<double> dense(64, 0.0);
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < length[i]; ++k) dense[i * 8 + k] = 1;
  const Csr<double> csr = csr_of(8, 8, dense);
  EXPECT_EQ(to_vector(csr.row_ptr), (std::vector<std::int32_t>{0, 2, 3, 4, 5, 6, 8, 11, 13}));
  EXPECT_EQ(rg_csr_from_csr(csr, 4).value.size() - csr.nnz(), 7);
  EXPECT_EQ(8 * 3 - csr.nnz(), 11);
}

TEST(RgCsr, DescendingOrderSavesPaddingAndIsUndone) {
  const Csr<double> csr = paper_matrix<double>();
  EXPECT_EQ(to_vector(descending_order(csr)), (std::vector<std::int32_t>{3, 0, 1, 2, 4}));
  const RgCsr<double> rg = rg_csr_from_csr(csr, 2, descending_order(csr));
  validate(rg);
  EXPECT_EQ(rg.row_length[0], 3);
  EXPECT_TRUE(identical(to_csr(rg), csr));

  const Csr<double> uneven = random_matrix<double>(400, 400, 12, 17, false, 5);
  const RgCsr<double> plain = rg_csr_from_csr(uneven, 32),
                      sorted = rg_csr_from_csr(uneven, 32, descending_order(uneven));
  EXPECT_LT(sorted.value.size(), plain.value.size());
  EXPECT_EQ(rg_csr_slots(uneven, 32, {}), plain.value.size());
  EXPECT_EQ(rg_csr_slots(uneven, 32, descending_order(uneven)), sorted.value.size());
  EXPECT_TRUE(identical(to_csr(sorted), uneven));
}

TEST(RgCsr, RefusesWhatItCannotHold) {
  expect_refused<FormatError>([] { rg_csr_from_csr(paper_matrix<double>(), 0); }, {"group of 0"});
  expect_refused<FormatError>(
      [] {
        rg_csr_from_csr(paper_matrix<double>(), 32, {0, 1, 2, 2, 4});
      },
      {"no permutation"});
  expect_refused<FormatError>(
      [] {
        rg_csr_from_csr(paper_matrix<double>(), 32, {0, 1});
      },
      {"no permutation"});
  const Csr<double> dense_row = random_matrix<double>(1000, 1000, 2, 500, false, 1);
  expect_refused<FormatError>([&] { rg_csr_from_csr(dense_row, 1000); },
                              {"rg_csr would store", "MiB", "KiB"});
  RgCsr<double> rg = rg_csr_from_csr(paper_matrix<double>(), 2);
  rg.column[8] = 4;  // padding that looks like an entry
  expect_refused<FormatError>([&] { validate(rg); }, {"stored row 2"});
}

}  // namespace
}  // namespace quadrille
