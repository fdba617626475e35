#include "formats/coo.hpp"

#include "expect_refused.hpp"
#include "tests/matrices.hpp"

namespace quadrille {
namespace {

TEST(Coo, WorkedExample) {
  const Coo<double> coo = coo_from_csr(paper_matrix<double>());
  validate(coo);
  EXPECT_EQ(to_vector(coo.row), (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2, 3, 3, 3, 4}));
  EXPECT_EQ(to_vector(coo.column), (std::vector<std::int32_t>{0, 3, 1, 4, 2, 4, 2, 3, 4, 4}));
  EXPECT_EQ(to_vector(coo.value), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_TRUE(identical(to_csr(coo), paper_matrix<double>()));
}

TEST(Coo, BrokenArraysAreRefused) {
  Coo<double> coo = coo_from_csr(paper_matrix<double>());
  coo.column[4] = 4;  // repeats (2, 4)
  expect_refused<FormatError>([&] { validate(coo); }, {"entry 5"});
}

}  // namespace
}  // namespace quadrille
