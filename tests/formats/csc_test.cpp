#include "formats/csc.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(Csc, WorkedExample) {
  const Csc<double> csc = csc_from_csr(paper_matrix<double>());
  validate(csc);
  EXPECT_EQ(to_vector(csc.value), (std::vector<double>{1, 3, 5, 7, 2, 8, 4, 6, 9, 10}));
  EXPECT_EQ(to_vector(csc.row), (std::vector<std::int32_t>{0, 1, 2, 3, 0, 3, 1, 2, 3, 4}));
  EXPECT_EQ(to_vector(csc.column_ptr), (std::vector<std::int32_t>{0, 1, 2, 4, 6, 10}));
  EXPECT_TRUE(identical(to_csr(csc), paper_matrix<double>()));
}

TEST(Csc, BrokenArraysAreRefused) {
  Csc<double> csc = csc_from_csr(paper_matrix<double>());
  csc.row[3] = 1;
  expect_refused<FormatError>([&] { validate(csc); }, {"column 2"});
}

}  // namespace
}  // namespace quadrille
