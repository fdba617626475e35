#include "formats/ell.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(Ell, WorkedExample) {
  const Ell<double> ell = ell_from_csr(paper_matrix<double>());
  validate(ell);
  EXPECT_EQ(ell.pitch, 32);
  EXPECT_EQ(ell.width, 3);
  const double value[3][5] = {{1, 3, 5, 7, 10}, {2, 4, 6, 8, 0}, {0, 0, 0, 9, 0}};
  const std::int32_t column[3][5] = {{0, 1, 2, 2, 4}, {3, 4, 4, 3, -1}, {-1, -1, -1, 4, -1}};
  for (int k = 0; k < 3; ++k)
    for (int row = 0; row < 32; ++row) {
      EXPECT_EQ(ell.value[k * 32 + row], row < 5 ? value[k][row] : 0);
      EXPECT_EQ(ell.column[k * 32 + row], row < 5 ? column[k][row] : -1);
    }
  EXPECT_TRUE(identical(to_csr(ell), paper_matrix<double>()));
}

TEST(Ell, RefusesAbsurdFillAndBrokenArrays) {
  const Csr<double> dense_row = random_matrix<double>(1000, 1000, 2, 500, false, 1);
  expect_refused<FormatError>([&] { ell_from_csr(dense_row); }, {"ell would store 11.", "MiB", "KiB"});
  Ell<double> ell = ell_from_csr(paper_matrix<double>());
  ell.column[0] = -1;  // a hole before the end of row 0
  expect_refused<FormatError>([&] { validate(ell); }, {"row 0"});
  ell = ell_from_csr(paper_matrix<double>());
  ell.value[31] = 1;
  expect_refused<FormatError>([&] { validate(ell); }, {"row 31"});
}

}  // namespace
}  // namespace quadrille
