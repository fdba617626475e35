#include "formats/hyb.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(Hyb, WorkedExample) {
  const Hyb<double> hyb = hyb_from_csr(paper_matrix<double>());
  validate(hyb);
  EXPECT_EQ(hyb.ell.width, 2);
  EXPECT_EQ(to_vector(hyb.coo.row), (std::vector<std::int32_t>{3}));
  EXPECT_EQ(to_vector(hyb.coo.column), (std::vector<std::int32_t>{4}));
  EXPECT_EQ(to_vector(hyb.coo.value), (std::vector<double>{9}));
  EXPECT_TRUE(identical(to_csr(hyb), paper_matrix<double>()));
}

TEST(Hyb, ADenseRowGoesToCoo) {
  const Csr<double> csr = random_matrix<double>(1000, 1000, 2, 500, false, 1);
  const Hyb<double> hyb = hyb_from_csr(csr);
  validate(hyb);
  EXPECT_LE(hyb.ell.width, 3);
  EXPECT_GT(hyb.coo.nnz(), 990);
  EXPECT_TRUE(identical(to_csr(hyb), csr));
}

TEST(Hyb, AnEntryInCooBeforeItsRowIsFullIsRefused) {
  Hyb<double> hyb = hyb_from_csr(paper_matrix<double>());
  hyb.coo.row[0] = 4;  // row 4 has one entry, the ell part has room for two
  expect_refused<FormatError>([&] { validate(hyb); }, {"row 4"});
}

}  // namespace
}  // namespace quadrille
