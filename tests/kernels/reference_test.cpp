// The check itself: it must be able to fail.
#include "kernels/petsc/aij/reference.hpp"
#include "kernels/petsc/aij/all_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/matrices.hpp"

namespace quadrille {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Reference, ByHandOnThePapersMatrix) {
  const std::vector<double> x{1, 2, 3, 4, 5};
  const petsc::Reference reference(paper_matrix<double>(), x.data());
  EXPECT_EQ(to_vector(reference.y()), (std::vector<double>{9, 26, 45, 98, 50}));
  std::vector<double> y{9, 26, 45, 98, 50};
  EXPECT_EQ(reference.compare(y.data()).error_over_bound, 0);
}

TEST(Reference, TheBoundIsPerRow) {
  // Row 0 is tiny beside row 1: an error that a norm over all rows would hide fails.
  const Csr<double> csr = csr_of<double>(2, 2, {1e-8, 0, 0, 1e8});
  const std::vector<double> x{1, 1};
  const petsc::Reference reference(csr, x.data());
  std::vector<double> y{1e-8 * (1 + 1e-10), 1e8};
  const CheckResult check = reference.compare(y.data());
  EXPECT_GT(check.error_over_bound, 1);
  EXPECT_EQ(check.worst_row, 0);
}

TEST(Reference, TheBoundIsTwiceEntriesPlusTwoEpsilons) {
  const Csr<double> csr = csr_of<double>(1, 2, {3, -4});
  const std::vector<double> x{1, -2};
  const petsc::Reference reference(csr, x.data());  // y = 11, |A||x| = 11, two entries: bound 2*4*eps*11
  const std::vector<double> y{11 + 44 * eps};
  EXPECT_NEAR(reference.compare(y.data()).error_over_bound, (y[0] - 11) / (88 * eps), 1e-12);
  const std::vector<float> y_float{11.0f + 1e-6f};
  EXPECT_NEAR(reference.compare(y_float.data()).error_over_bound,
              (static_cast<double>(y_float[0]) - 11) / (88 * std::numeric_limits<float>::epsilon()), 1e-9);
}

TEST(Reference, NanNeverPassesForANumberNorANumberForNan) {
  const Csr<double> csr = csr_of<double>(3, 1, {1, nan_value, infinity});
  const std::vector<double> x{1};
  const petsc::Reference reference(csr, x.data());
  EXPECT_EQ(reference.non_finite_rows(), 2);
  EXPECT_EQ(reference.compare(std::vector<double>{1, nan_value, infinity}.data()).error_over_bound, 0);
  EXPECT_EQ(reference.compare(std::vector<double>{nan_value, nan_value, infinity}.data()).error_over_bound,
            infinity);
  EXPECT_EQ(reference.compare(std::vector<double>{1, 7, infinity}.data()).error_over_bound, infinity);
  EXPECT_EQ(reference.compare(std::vector<double>{1, nan_value, -infinity}.data()).error_over_bound,
            infinity);
}

TEST(Reference, ARowWithoutEntriesMustBeMetExactly) {
  const Csr<double> csr = csr_of<double>(1, 1, {0});
  const std::vector<double> x{1};
  const petsc::Reference reference(csr, x.data());
  EXPECT_EQ(reference.compare(std::vector<double>{0}.data()).error_over_bound, 0);
  EXPECT_EQ(reference.compare(std::vector<double>{1e-300}.data()).error_over_bound, infinity);
}

TEST(Reference, ProductsThatUnderflowInFloatPass) {
  const float a = 3e-30f, b = 2.3e-10f;  // both normal, their product is not
  const Csr<double> csr = csr_of<double>(1, 1, {static_cast<double>(a)});
  const std::vector<double> x{static_cast<double>(b)};
  const petsc::Reference reference(csr, x.data());
  EXPECT_LE(reference.compare(std::vector<float>{a * b}.data()).error_over_bound, 1);
  EXPECT_GT(reference.compare(std::vector<float>{2 * a * b}.data()).error_over_bound, 1);
}

TEST(AllProducts, AreTheRegistrysWithPetscsBeforeTheOtherPeers) {
  const std::vector<FormatEntry>& all = petsc::all_products();
  std::vector<std::string> names;
  for (const FormatEntry& entry : all)
    if (entry.name.rfind("petsc_", 0) != 0) names.push_back(entry.name + to_string(entry.space));
  std::vector<std::string> own;
  for (const FormatEntry& entry : registry()) own.push_back(entry.name + to_string(entry.space));
  EXPECT_EQ(names, own);
  EXPECT_FALSE(has_format("petsc_aij", SpaceKind::cpu));
  const FormatEntry* const aij = &find_format("petsc_aij", SpaceKind::cpu, all);
  EXPECT_TRUE(aij->peer && aij->logs_flops && aij->make_fp64 && !aij->make_fp32);
  EXPECT_FALSE((aij - 1)->peer);
}

// Whether 1e308 + 1e308 - 1e308 is infinite depends on the order: no answer is wrong.
TEST(Reference, RowsThatOverflowOnTheWayAreNotCompared) {
  const Csr<double> csr = csr_of<double>(2, 3, {1e308, 1e308, -1e308, 1, 0, 0});
  const std::vector<double> x{1.5, 1.5, 1.5};
  const petsc::Reference reference(csr, x.data());
  EXPECT_EQ(reference.compare(std::vector<double>{infinity, 1.5}.data()).error_over_bound, 0);
  EXPECT_EQ(reference.compare(std::vector<double>{1.5e308, 1.5}.data()).error_over_bound, 0);
  EXPECT_GT(reference.compare(std::vector<double>{infinity, 1.6}.data()).error_over_bound, 1);
}

}  // namespace
}  // namespace quadrille
