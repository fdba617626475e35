#include "formats/cmrs.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

template <class T>
void expect_entries(const Cmrs<T>& cmrs, const std::vector<std::uint32_t>& column,
                    const std::vector<std::uint32_t>& row) {
  for (std::int64_t k = 0; k < cmrs.nnz(); ++k) {
    EXPECT_EQ(entry(cmrs, k).column, column[k]) << k;
    EXPECT_EQ(entry(cmrs, k).row_in_strip, row[k]) << k;
  }
}

// The published arrays of Koza et al. 2012, section 3, height 2.
TEST(Cmrs, ThePapersExample) {
  for (const CmrsRows where : {CmrsRows::automatic, CmrsRows::separate}) {
    const Cmrs<double> cmrs = cmrs_from_csr(paper_matrix<double>(), 2, false, where);
    validate(cmrs);
    EXPECT_EQ(cmrs.packed, where == CmrsRows::automatic);
    EXPECT_EQ(to_vector(cmrs.value), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(to_vector(cmrs.strip_ptr), (std::vector<std::int32_t>{0, 4, 9, 10}));
    expect_entries(cmrs, {0, 3, 1, 4, 2, 4, 2, 3, 4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 1, 0});
    EXPECT_TRUE(identical(to_csr(cmrs), paper_matrix<double>()));
  }
}

// Section 4: the same after reordering within the strips. The paper prints column index 4 for the eighth
// value, 6, and its RowInStrip starts 0 1 0 1: both follow from sorting by column, then row.
TEST(Cmrs, ThePapersExampleReordered) {
  const Cmrs<double> cmrs = cmrs_from_csr(paper_matrix<double>(), 2, true);
  validate(cmrs);
  EXPECT_EQ(to_vector(cmrs.value), (std::vector<double>{1, 3, 2, 4, 5, 7, 8, 6, 9, 10}));
  expect_entries(cmrs, {0, 1, 3, 4, 2, 2, 3, 4, 4, 4}, {0, 1, 0, 1, 0, 1, 1, 0, 1, 0});
  EXPECT_TRUE(identical(to_csr(cmrs), paper_matrix<double>()));
}

TEST(Cmrs, PackingNeedsNoArrayForTheRows) {
  const Cmrs<double> packed = cmrs_from_csr(paper_matrix<double>(), 4, false);
  EXPECT_EQ(packed.column[4], 2u << 4 | 2u);  // value 5: column 2, third row of the strip
  EXPECT_EQ(traffic(packed).stored_bytes, 3 * 4 + 10 * 12);
  EXPECT_EQ(traffic(cmrs_from_csr(paper_matrix<double>(), 4, false, CmrsRows::separate)).stored_bytes,
            3 * 4 + 10 * 13);
}

TEST(Cmrs, ColumnsBeyond28BitsAreNotPacked) {
  const std::int64_t columns = (std::int64_t{1} << 28) + 1;
  const Csr<double> wide{2, columns, {0, 1, 2}, {1 << 28, 5}, {1, 2}};
  const Cmrs<double> cmrs = cmrs_from_csr(wide, 2, false);
  validate(cmrs);
  EXPECT_FALSE(cmrs.packed);
  EXPECT_TRUE(identical(to_csr(cmrs), wide));
}

TEST(Cmrs, EveryHeightGoesRoundTrip) {
  const Csr<double> csr = random_matrix<double>(37, 41, 6, 11, false, 3);
  for (int height = 1; height <= 16; ++height)
    for (const bool reorder : {false, true}) {
      const Cmrs<double> cmrs = cmrs_from_csr(csr, height, reorder);
      validate(cmrs);
      EXPECT_TRUE(identical(to_csr(cmrs), csr)) << height;
    }
}

TEST(Cmrs, RefusesWhatItCannotHold) {
  expect_refused<FormatError>([] { cmrs_from_csr(paper_matrix<double>(), 0, false); }, {"strip of 0"});
  expect_refused<FormatError>([] { cmrs_from_csr(paper_matrix<double>(), 17, false); }, {"strip of 17"});
  Cmrs<double> cmrs = cmrs_from_csr(paper_matrix<double>(), 2, false);
  cmrs.column[9] = 4u << 4 | 1u;  // row 5 does not exist
  expect_refused<FormatError>([&] { validate(cmrs); }, {"strip 2"});
}

}  // namespace
}  // namespace quadrille
