// VecMDot() and the 2-norm of the vectors that a matrix makes, and of their duplicates: those in GPU memory
// have kernels of ours. On any number of ranks.
#include <cmath>

#include "comparison.hpp"

namespace quadrille::type_test {
namespace {

using Vectors = std::vector<Handle<Vec>>;

// Duplicates of what the matrix makes, in one piece and one by one, as Krylov methods make theirs.
Vectors vectors_of(Mat matrix, PetscInt count) {
  Vectors all;
  all.push_back(random_vector(matrix, 1));
  Vec* together = nullptr;
  CALL(VecDuplicateVecs(all[0].get(), count, &together));
  for (PetscInt i = 0; i < count; ++i) {
    Vec from = together[i];
    all.push_back(make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(from, v); }));
    CALL(VecCopy(random_vector(matrix, static_cast<unsigned>(i) + 2).get(), together[i]));
    CALL(VecCopy(together[i], all.back().get()));
  }
  CALL(VecDestroyVecs(count, &together));
  return all;
}

std::vector<double> numbers_of(Vec v) {
  PetscInt size = 0;
  const PetscScalar* values = nullptr;
  CALL(VecGetLocalSize(v, &size));
  CALL(VecGetArrayRead(v, &values));
  const std::vector<double> numbers(values, values + size);
  CALL(VecRestoreArrayRead(v, &values));
  return numbers;
}

// And the sum of the products' sizes, which its rounding is a part of.
std::array<long double, 2> product_of(Vec x, Vec y) {
  const std::vector<double> a = numbers_of(x), b = numbers_of(y);
  long double sums[2] = {}, of_all[2] = {};
  for (std::size_t i = 0; i < a.size(); ++i) {
    sums[0] += static_cast<long double>(a[i]) * b[i];
    sums[1] += std::abs(static_cast<long double>(a[i]) * b[i]);
  }
  MPI_Allreduce(sums, of_all, 2, MPI_LONG_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return {of_all[0], of_all[1]};
}

void expect_right_sums(const Vectors& vectors, PetscInt count) {
  std::vector<Vec> y;
  for (PetscInt i = 0; i < count; ++i) y.push_back(vectors[static_cast<std::size_t>(i)].get());
  const Vec x = vectors.back().get();
  std::vector<double> sums(y.size()), again(y.size());
  CALL(VecMDot(x, count, y.data(), sums.data()));
  CALL(VecMDot(x, count, y.data(), again.data()));
  EXPECT_EQ(sums, again);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto [sum, size] = product_of(x, y[i]);
    EXPECT_NEAR(sums[i], static_cast<double>(sum), 1e-13 * static_cast<double>(size)) << i;
  }
}

void expect_right_norm(Vec v) {
  PetscReal two = 0, one = 0, largest = 0, frobenius = 0;
  PetscScalar* values = nullptr;  // who asked for them may have changed them: no norm is kept
  CALL(VecGetArray(v, &values));
  CALL(VecRestoreArray(v, &values));
  CALL(VecNorm(v, NORM_2, &two));
  CALL(VecNorm(v, NORM_FROBENIUS, &frobenius));
  CALL(VecNorm(v, NORM_1, &one));
  CALL(VecNorm(v, NORM_INFINITY, &largest));
  const auto expected = static_cast<double>(std::sqrt(product_of(v, v)[0]));
  EXPECT_NEAR(two, expected, 1e-13 * expected);
  EXPECT_NEAR(frobenius, expected, 1e-13 * expected);
  EXPECT_LE(largest, two * (1 + 1e-13));
  EXPECT_GE(one, two * (1 - 1e-13));
}

TEST_F(MatrixType, SumsOfItsVectorsAreRight) {
  for (const Case& c : {Case{.dimension = 2, .size = {7, 9, 1}}, Case{.size = {33, 21, 17}, .dof = 3},
                        Case{.dimension = 2, .size = {512, 263, 1}}}) {
    SCOPED_TRACE(c.name());
    const Grid grid = make_grid(c);
    const Handle<Mat> matrix = make_matrix(grid.get(), "cds");
    fill(matrix.get(), grid.get(), c, Filling::local, 1);
    const Vectors vectors = vectors_of(matrix.get(), 70);
    for (const PetscInt count : {1, 2, 7, 8, 9, 17, 70}) expect_right_sums(vectors, count);
    for (std::size_t i : {std::size_t{0}, std::size_t{3}}) expect_right_norm(vectors[i].get());
  }
}

// Squares of which leave the range of numbers (PETSc's own norm bears that on one rank of a GPU alone), or
// that are lost among others.
TEST_F(MatrixType, NormsOfItsVectorsAreRightAtAnySize) {
  const Case c{.dimension = 2, .size = {700, 411, 1}};
  const Grid grid = make_grid(c);
  const Handle<Mat> matrix = make_matrix(grid.get(), "cds");
  fill(matrix.get(), grid.get(), c, Filling::local, 1);
  const Handle<Vec> v = random_vector(matrix.get(), 3);
  if (ranks() == 1 && space() == SpaceKind::cuda)
    for (const double factor : {1e200, 1e-300, 1e-200}) {
      CALL(VecScale(v.get(), factor));
      expect_right_norm(v.get());
    }
  CALL(VecSet(v.get(), 0));
  PetscReal norm = 1;
  CALL(VecNorm(v.get(), NORM_2, &norm));
  EXPECT_EQ(norm, 0);
  PetscInt first = 0, last = 0;
  CALL(VecGetOwnershipRange(v.get(), &first, &last));
  for (PetscInt i = first; i < last; ++i)
    CALL(VecSetValue(v.get(), i, i % 5 == 0 ? 1 + value_at(i, 0, 4) : 1e-310, INSERT_VALUES));
  CALL(VecAssemblyBegin(v.get()));
  CALL(VecAssemblyEnd(v.get()));
  expect_right_norm(v.get());
}

}  // namespace
}  // namespace quadrille::type_test
