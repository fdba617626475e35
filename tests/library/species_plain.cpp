// The problem of examples/species.cpp as a program of plain PETSc writes it: a DMDA, AIJ, KSP. It solves
// on one rank, and compares each step with what the example left in FILE.h5.
//
//   species_plain FILE.h5 -n 32 -steps 20
#include <hdf5.h>
#include <petscdmda.h>
#include <petscksp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

struct Species {
  double h_m, dt_s, t_s;
  PetscInt n;
};
constexpr std::array<double, 3> spread{1e-2, 2e-2, 5e-3}, rate{2, 1, 0};

PetscErrorCode fill(DM grid, const Species& s, Mat a, Vec b) {
  PetscScalar**** rhs = nullptr;
  PetscFunctionBeginUser;
  PetscCall(MatZeroEntries(a));
  PetscCall(VecZeroEntries(b));
  PetscCall(DMDAVecGetArrayDOF(grid, b, &rhs));
  for (PetscInt k = 0; k < s.n; ++k)
    for (PetscInt j = 0; j < s.n; ++j)
      for (PetscInt i = 0; i < s.n; ++i)
        for (PetscInt r = 0; r < 3; ++r) {
          const double carried = 1 / (1 + s.t_s) / s.h_m, spreads = spread[r] / (s.h_m * s.h_m);
          const MatStencil row{k, j, i, r};
          const auto add = [&](PetscInt z, PetscInt y, PetscInt x, PetscInt c, double value) {
            const MatStencil column{z, y, x, c};
            return MatSetValuesStencil(a, 1, &row, 1, &column, &value, ADD_VALUES);
          };
          PetscCall(add(k, j, i, r, 1 / s.dt_s + carried + 6 * spreads + rate[r]));
          if (r > 0) PetscCall(add(k, j, i, r - 1, -rate[r - 1]));
          const PetscInt to[6][3] = {{k, j, i - 1}, {k, j, i + 1}, {k, j - 1, i},
                                     {k, j + 1, i}, {k - 1, j, i}, {k + 1, j, i}};
          for (const auto& [z, y, x] : to) {
            const double value = -spreads - (x < i ? carried : 0);
            if (x < 0)
              rhs[k][j][i][r] -= value * (r == 0 && 2 * j < s.n ? 1 : 0);
            else
              PetscCall(add(std::clamp<PetscInt>(z, 0, s.n - 1), std::clamp<PetscInt>(y, 0, s.n - 1),
                            std::min(x, s.n - 1), r, value));
          }
        }
  PetscCall(DMDAVecRestoreArrayDOF(grid, b, &rhs));
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

// [node] of one species at one step.
std::vector<double> read(hid_t file, const char* name, hsize_t step, hsize_t n) {
  std::vector<double> values(n * n * n, std::nan(""));
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  const std::array<hsize_t, 5> start{step, 0, 0, 0, 0}, count{1, n, n, n, 1};
  const hid_t memory = H5Screate_simple(5, count.data(), nullptr);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data());
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

// The largest difference; NaN is one.
double difference(hid_t file, hsize_t step, const Species& s, const PetscScalar* c) {
  double largest = 0;
  const char* names[] = {"a", "b", "c"};
  for (int r = 0; r < 3; ++r) {
    const std::vector<double> theirs = read(file, names[r], step, static_cast<hsize_t>(s.n));
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const double d = std::abs(theirs[i] - c[3 * i + static_cast<std::size_t>(r)]);
      largest = d <= largest ? largest : d;
    }
  }
  return largest;
}

PetscErrorCode run(const char* path, int* failed) {
  PetscInt n = 32, steps = 20;
  DM grid = nullptr;
  Mat a = nullptr;
  Vec b = nullptr, c = nullptr;
  KSP solver = nullptr;
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-steps", &steps, nullptr));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                         DMDA_STENCIL_STAR, n, n, n, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 3, 1, nullptr,
                         nullptr, nullptr, &grid));
  PetscCall(DMSetUp(grid));
  PetscCall(DMCreateMatrix(grid, &a));
  PetscCall(DMCreateGlobalVector(grid, &c));
  PetscCall(VecDuplicate(c, &b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, a, a));
  PetscCall(KSPSetType(solver, KSPGMRES));
  PetscCall(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetInitialGuessNonzero(solver, PETSC_TRUE));
  Species s{1.0 / static_cast<double>(n), 0.02, 0, n};
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  for (PetscInt step = 0; step < steps; ++step) {
    const PetscScalar* values = nullptr;
    PetscReal most = 0;
    s.t_s += s.dt_s;
    PetscCall(fill(grid, s, a, b));
    PetscCall(VecAXPY(b, 1 / s.dt_s, c));
    PetscCall(KSPSolve(solver, b, c));
    PetscCall(VecNorm(c, NORM_INFINITY, &most));
    PetscCall(VecGetArrayRead(c, &values));
    const double d = difference(file, static_cast<hsize_t>(step), s, values);
    PetscCall(VecRestoreArrayRead(c, &values));
    std::printf("step %d: largest %g, largest difference %g\n", static_cast<int>(step), most, d);
    if (!(d <= 1e-8 * most)) *failed = 1;
  }
  H5Fclose(file);
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&c));
  PetscCall(MatDestroy(&a));
  PetscCall(DMDestroy(&grid));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

}  // namespace

int main(int argc, char** argv) {
  int failed = 0;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(run(argv[1], &failed));
  PetscCall(PetscFinalize());
  return failed;
}
