// Interpolation between grids and its transpose, against dense matrices and PETSc's DMDA.
#include "kernels/grid_transfer.hpp"

#include <gtest/gtest.h>
#include <petscdmda.h>

#include <cmath>
#include <cstring>
#include <random>

#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/matrix/transfer_matrix.hpp"
#include "transfer_cases.hpp"

namespace quadrille {
namespace {

const FaceBoundary faces[][2] = {
    {value, value}, {clamp, clamp}, {around, around}, {value, clamp}, {clamp, value}};

struct TransferCase {
  std::string name;
  std::array<AxisInterpolation, 3> axes;
  int dof;
};

// Drawn by number: sizes down to one node, across the borders of blocks of threads, every kind of face.
std::vector<TransferCase> transfer_cases() {
  std::mt19937 random(20261121);
  const std::int64_t sizes[] = {1, 2, 3, 5, 7, 8, 16, 17};
  std::vector<TransferCase> cases;
  for (int i = 0; i < 60; ++i) {
    TransferCase c;
    c.dof = i % 3 == 0 ? 1 : 1 + static_cast<int>(random() % 5);
    for (int axis = 0; axis < 3; ++axis) {
      const auto& face = faces[random() % 5];
      const bool thin = axis == 2 && i % 2 == 0;  // 2D
      const std::int64_t fine = thin ? 1 : sizes[random() % 8];
      const std::int64_t coarse = thin ? 1 : 1 + static_cast<std::int64_t>(random() % fine);
      c.axes[axis] = random() % 3 == 0 ? nested_interpolation(fine, face[0], face[1])
                                       : interpolation_by_position(fine, coarse, face[0], face[1]);
      c.name += std::to_string(c.axes[axis].coarse) + " to " + std::to_string(fine) + ", ";
    }
    c.name += "dof " + std::to_string(c.dof);
    cases.push_back(std::move(c));
  }
  return cases;
}

// P as a dense matrix [row][column], from the weights of each fine node alone.
template <class T>
std::vector<T> dense(const TransferCase& c, std::int64_t rows, std::int64_t columns) {
  std::vector<T> p(static_cast<std::size_t>(rows * columns), 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t node = row / c.dof, r = row % c.dof;
    const std::int64_t at[] = {node % c.axes[0].fine, node / c.axes[0].fine % c.axes[1].fine,
                               node / c.axes[0].fine / c.axes[1].fine};
    for (int corner = 0; corner < 8; ++corner) {
      T weight = 1;
      std::int64_t to[3];
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t k = 2 * at[axis] + (corner >> axis & 1);
        weight *= static_cast<T>(c.axes[axis].weight[k]);
        to[axis] = c.axes[axis].node[k];
      }
      p[row * columns + ((to[2] * c.axes[1].coarse + to[1]) * c.axes[0].coarse + to[0]) * c.dof + r] +=
          weight;
    }
  }
  return p;
}

template <class T>
void agrees_with_dense(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const TransferCase& c : transfer_cases()) {
    SCOPED_TRACE(c.name);
    const auto p = make_grid_transfer<T>(c.axes, c.dof, space);
    const std::int64_t rows = p->rows(), columns = p->columns();
    if (rows * columns > 2'000'000) continue;
    const std::vector<T> matrix = dense<T>(c, rows, columns);
    for (const bool transposed : {false, true})
      for (const auto& [alpha, beta] : {std::pair<T, T>{1, 0}, {1, 1}, {T(-0.5), 2}}) {
        const std::int64_t in = transposed ? rows : columns, out = transposed ? columns : rows;
        const std::vector<T> x = test_vector<T>(in, false, 7);
        std::vector<T> before = test_vector<T>(out, false, 8);
        if (beta == 0) std::fill(before.begin(), before.end(), std::numeric_limits<T>::quiet_NaN());
        const std::vector<T> y = run(*p, x, before, transposed, alpha, beta);
        for (std::int64_t i = 0; i < out; ++i) {
          double expected = beta != 0 ? beta * before[i] : 0, size = std::abs(expected);
          for (std::int64_t j = 0; j < in; ++j) {
            const double weight = transposed ? matrix[j * columns + i] : matrix[i * columns + j];
            expected += alpha * weight * x[j];
            size += std::abs(alpha * weight * x[j]);
          }
          ASSERT_LE(std::abs(y[i] - expected), 64 * std::numeric_limits<T>::epsilon() * size)
              << "row " << i << (transposed ? ", transposed" : "") << ", alpha " << alpha << ", beta "
              << beta;
        }
        const std::vector<T> again = run(*p, x, before, transposed, alpha, beta);
        EXPECT_EQ(std::memcmp(y.data(), again.data(), y.size() * sizeof(T)), 0);
      }
  }
}

TEST(GridTransfer, AgreesWithDense_cpu_fp64) {
  agrees_with_dense<double>(SpaceKind::cpu);
}
TEST(GridTransfer, AgreesWithDense_cpu_fp32) {
  agrees_with_dense<float>(SpaceKind::cpu);
}
TEST(GridTransfer, AgreesWithDense_cuda_fp64) {
  agrees_with_dense<double>(SpaceKind::cuda);
}
TEST(GridTransfer, AgreesWithDense_cuda_fp32) {
  agrees_with_dense<float>(SpaceKind::cuda);
}

// <P x, y> = <x, P^T y>, on a grid of many blocks of threads.
void has_its_transpose(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const std::array<AxisInterpolation, 3> axes{interpolation_by_position(65, 31, value, clamp),
                                              interpolation_by_position(48, 24, clamp, clamp),
                                              nested_interpolation(31, around, around)};
  const auto p = make_grid_transfer<double>(axes, 3, space);
  const std::vector<double> x = test_vector<double>(p->columns(), false, 1),
                            y = test_vector<double>(p->rows(), false, 2);
  const std::vector<double> px = run(*p, x, std::vector<double>(y.size()), false, 1., 0.),
                            py = run(*p, y, std::vector<double>(x.size()), true, 1., 0.);
  double left = 0, right = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) left += px[i] * y[i], size += std::abs(px[i] * y[i]);
  for (std::size_t i = 0; i < x.size(); ++i) right += x[i] * py[i];
  EXPECT_NEAR(left, right, 1e-13 * size);
  EXPECT_NE(left, 0);
}

TEST(GridTransfer, HasItsTranspose_cpu) {
  has_its_transpose(SpaceKind::cpu);
}
TEST(GridTransfer, HasItsTranspose_cuda) {
  has_its_transpose(SpaceKind::cuda);
}

TEST(GridTransfer, KeepsConstantsWhereNoFaceHoldsAValue) {
  for (const auto& [low, high] : {std::pair{clamp, clamp}, std::pair{around, around}}) {
    const std::array<AxisInterpolation, 3> axes{interpolation_by_position(17, 8, low, high),
                                                nested_interpolation(10, low, high),
                                                interpolation_by_position(9, 5, low, high)};
    const auto p = make_grid_transfer<double>(axes, 2, SpaceKind::cpu);
    const std::vector<double> y =
        run(*p, std::vector<double>(static_cast<std::size_t>(p->columns()), 3.0),
            std::vector<double>(static_cast<std::size_t>(p->rows())), false, 1., 0.);
    for (const double v : y) EXPECT_NEAR(v, 3, 1e-14);
  }
}

using DmHandle = petsc::Handle<DM>;

DmHandle dmda(int dimension, const std::array<std::int64_t, 3>& n, const std::array<bool, 3>& wraps,
              int dof) {
  DM dm = nullptr;
  const auto kind = [&](int axis) { return wraps[axis] ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE; };
  const auto size = [&](int axis) { return static_cast<PetscInt>(n[axis]); };
  if (dimension == 2)
    CALL(DMDACreate2d(PETSC_COMM_SELF, kind(0), kind(1), DMDA_STENCIL_BOX, size(0), size(1), 1, 1, dof, 1,
                      nullptr, nullptr, &dm));
  else
    CALL(DMDACreate3d(PETSC_COMM_SELF, kind(0), kind(1), kind(2), DMDA_STENCIL_BOX, size(0), size(1), size(2),
                      1, 1, 1, dof, 1, nullptr, nullptr, nullptr, &dm));
  DmHandle handle(dm);
  CALL(DMSetUp(dm));
  return handle;
}

TEST(GridTransfer, IsDmdasInterpolation) {
  for (const int dimension : {2, 3})
    for (const int dof : {1, 2, 3})
      for (int wrapped = 0; wrapped < 1 << dimension; ++wrapped) {
        std::array<std::int64_t, 3> coarse{5, 3, 4}, fine{};
        std::array<bool, 3> wraps{};
        std::array<AxisInterpolation, 3> axes;
        for (int axis = 0; axis < 3; ++axis) {
          if (axis >= dimension) coarse[axis] = 1;
          wraps[axis] = wrapped >> axis & 1;
          const std::int64_t ratio = axis == 1 ? 3 : 2;
          fine[axis] = axis >= dimension ? 1
                       : wraps[axis]     ? coarse[axis] * ratio
                                         : (coarse[axis] - 1) * ratio + 1;
          axes[axis] = dmda_interpolation(fine[axis], coarse[axis], wraps[axis]);
        }
        SCOPED_TRACE(std::to_string(dimension) + "D, dof " + std::to_string(dof) + ", wraps " +
                     std::to_string(wrapped));
        const DmHandle coarse_dm = dmda(dimension, coarse, wraps, dof),
                       fine_dm = dmda(dimension, fine, wraps, dof);
        const Handle<Mat> theirs = make<Mat>("DMCreateInterpolation", [&](Mat* m) {
          return DMCreateInterpolation(coarse_dm.get(), fine_dm.get(), m, nullptr);
        });
        const Handle<Mat> ours(
            petsc::make_transfer_matrix(make_grid_transfer<double>(axes, dof, SpaceKind::cpu)));
        Vec x = nullptr, y = nullptr, y_theirs = nullptr;
        CALL(MatCreateVecs(theirs.get(), &x, &y));
        const Handle<Vec> x_owner(x), y_owner(y);
        CALL(VecDuplicate(y, &y_theirs));
        const Handle<Vec> y_theirs_owner(y_theirs);
        PetscInt columns = 0;
        CALL(VecGetSize(x, &columns));
        for (PetscInt j = 0; j < columns; ++j) {  // column by column
          CALL(VecSet(x, 0));
          CALL(VecSetValue(x, j, 1, INSERT_VALUES));
          CALL(VecAssemblyBegin(x));
          CALL(VecAssemblyEnd(x));
          CALL(MatMult(theirs.get(), x, y_theirs));
          CALL(MatMult(ours.get(), x, y));
          CALL(VecAXPY(y, -1, y_theirs));
          PetscReal largest = 1;
          CALL(VecNorm(y, NORM_INFINITY, &largest));
          ASSERT_LE(largest, 1e-15) << "column " << j;
        }
      }
}

void expect_near(Vec a, Vec b, const char* what) {
  CALL(VecAXPY(a, -1, b));
  PetscReal largest = 1;
  CALL(VecNorm(a, NORM_INFINITY, &largest));
  EXPECT_LE(largest, 1e-13) << what;
}

// Every operation of the shell against the AIJ of to_csr(), with vectors of host memory.
void shell_agrees_with_aij(SpaceKind space) {
  if (space == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const std::array<AxisInterpolation, 3> axes{interpolation_by_position(12, 7, value, clamp),
                                              nested_interpolation(9, around, around),
                                              interpolation_by_position(6, 3, clamp, clamp)};
  const std::shared_ptr<const GridTransfer<double>> p = make_grid_transfer<double>(axes, 2, space);
  const Handle<Mat> shell(petsc::make_transfer_matrix(p)), aij = aij_of(p->to_csr(), 1);
  const auto fine = [&](unsigned seed) { return vector_of(p->rows(), seed); };
  const auto coarse = [&](unsigned seed) { return vector_of(p->columns(), seed); };
  const auto x = coarse(1), a = fine(2), b = fine(2);
  CALL(MatMult(shell.get(), x.get(), a.get()));
  CALL(MatMult(aij.get(), x.get(), b.get()));
  expect_near(a.get(), b.get(), "MatMult");
  const auto c = fine(3), d = fine(3);  // z is y, as PCMG has it
  CALL(MatInterpolateAdd(shell.get(), x.get(), c.get(), c.get()));
  CALL(MatInterpolateAdd(aij.get(), x.get(), d.get(), d.get()));
  expect_near(c.get(), d.get(), "MatInterpolateAdd");
  const auto e = fine(4), f = fine(5), g = fine(6);
  CALL(MatMultAdd(shell.get(), x.get(), e.get(), f.get()));
  CALL(MatMultAdd(aij.get(), x.get(), e.get(), g.get()));
  expect_near(f.get(), g.get(), "MatMultAdd");
  const auto y = fine(7), h = coarse(8), i = coarse(8);
  CALL(MatRestrict(shell.get(), y.get(), h.get()));
  CALL(MatRestrict(aij.get(), y.get(), i.get()));
  expect_near(h.get(), i.get(), "MatRestrict");
  const auto j = coarse(9), k = coarse(9), l = coarse(10);
  CALL(MatMultTransposeAdd(shell.get(), y.get(), l.get(), j.get()));
  CALL(MatMultTransposeAdd(aij.get(), y.get(), l.get(), k.get()));
  expect_near(j.get(), k.get(), "MatMultTransposeAdd");
}

TEST(TransferMatrix, AgreesWithAij_cpu) {
  shell_agrees_with_aij(SpaceKind::cpu);
}
TEST(TransferMatrix, AgreesWithAij_cuda) {
  shell_agrees_with_aij(SpaceKind::cuda);
}

TEST(TransferMatrix, WrongUseIsAPetscErrorWithAMessage) {
  const std::array<AxisInterpolation, 3> axes{nested_interpolation(5, value, value),
                                              nested_interpolation(4, clamp, clamp),
                                              nested_interpolation(1, clamp, clamp)};
  EXPECT_THROW(make_grid_transfer<double>(axes, 0, SpaceKind::cpu), InputError);
  EXPECT_THROW(petsc::make_transfer_matrix(nullptr), FormatError);
}

}  // namespace
}  // namespace quadrille
