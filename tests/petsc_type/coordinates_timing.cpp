// How long MatSetPreallocationCOO and MatSetValuesCOO take with a star stencil on a DMDA, for matrix types side by side:
//
//   coordinates_timing -n 128 -dof 1 -types aij,quadrille                                   the CPU
//   coordinates_timing -n 128 -dof 1 -types aijcusparse,quadrille -vec cuda                  the GPU, with a PETSc with CUDA
//   ... -repetitions 20 -entries 2                                                           each place this many times
//
// Every row has dof entries for each of its 7 neighbours, side by side, as a kernel that assembles rows writes them; where there is
// no neighbour they have negative numbers. The products of all types are compared: exits with 1 where they differ.
#include <petscdmda.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/check.hpp"
#include "kernels/petsc/matrix_type/register.hpp"
#include "kernels/petsc/session.hpp"

namespace quadrille {
namespace {

using petsc::Handle;
using petsc::make;

struct Options {
  PetscInt n = 32, dof = 1, repetitions = 5, entries = 1;
  std::string types = "aij,quadrille", vectors = "standard";
};

Options options_given() {
  Options o;
  char text[256];
  PetscBool given = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsGetInt(nullptr, nullptr, "-n", &o.n, nullptr));
  QUADRILLE_PETSC(PetscOptionsGetInt(nullptr, nullptr, "-dof", &o.dof, nullptr));
  QUADRILLE_PETSC(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &o.repetitions, nullptr));
  QUADRILLE_PETSC(PetscOptionsGetInt(nullptr, nullptr, "-entries", &o.entries, nullptr));
  QUADRILLE_PETSC(PetscOptionsGetString(nullptr, nullptr, "-types", text, sizeof text, &given));
  if (given) o.types = text;
  QUADRILLE_PETSC(PetscOptionsGetString(nullptr, nullptr, "-vec", text, sizeof text, &given));
  if (given) o.vectors = text;
  return o;
}

Handle<DM> make_grid(const Options& o) {
  Handle<DM> grid = make<DM>("DMDACreate3d", [&](DM* dm) {
    return DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                        DMDA_STENCIL_STAR, o.n, o.n, o.n, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, o.dof, 1,
                        nullptr, nullptr, nullptr, dm);
  });
  QUADRILLE_PETSC(DMSetVecType(grid.get(), o.vectors.c_str()));
  QUADRILLE_PETSC(DMSetUp(grid.get()));
  return grid;
}

// In DMDA's local numbers.
void coordinates(DM grid, const Options& o, std::vector<PetscInt>& rows, std::vector<PetscInt>& columns) {
  PetscInt x0, y0, z0, nx, ny, nz, gx, gy, gz, mx, my, mz;
  QUADRILLE_PETSC(DMDAGetCorners(grid, &x0, &y0, &z0, &nx, &ny, &nz));
  QUADRILLE_PETSC(DMDAGetGhostCorners(grid, &gx, &gy, &gz, &mx, &my, &mz));
  const auto node = [&](PetscInt x, PetscInt y, PetscInt z) {
    const bool inside = x >= gx && x < gx + mx && y >= gy && y < gy + my && z >= gz && z < gz + mz;
    return inside ? ((z - gz) * my + y - gy) * mx + x - gx : -1;
  };
  const PetscInt steps[7][3] = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0},
                                {1, 0, 0},  {0, 1, 0},  {0, 0, 1}};
  for (PetscInt z = z0; z < z0 + nz; ++z)
    for (PetscInt y = y0; y < y0 + ny; ++y)
      for (PetscInt x = x0; x < x0 + nx; ++x)
        for (PetscInt r = 0; r < o.dof; ++r)
          for (const auto& step : steps) {
            const PetscInt to = node(x + step[0], y + step[1], z + step[2]);
            for (PetscInt c = 0; c < o.dof * o.entries; ++c) {
              rows.push_back(node(x, y, z) * o.dof + r);
              columns.push_back(to < 0 ? -1 : to * o.dof + c % o.dof);
            }
          }
}

double ms_of(const std::function<void()>& work) {
  cuda::synchronize();
  MPI_Barrier(PETSC_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  work();
  cuda::synchronize();
  MPI_Barrier(PETSC_COMM_WORLD);
  return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Values {
  Handle<Vec> vector;
  const PetscScalar* data = nullptr;
  explicit Values(std::size_t size, const Options& o) {
    vector = make<Vec>("VecCreate", [](Vec* v) { return VecCreate(PETSC_COMM_SELF, v); });
    QUADRILLE_PETSC(VecSetSizes(vector.get(), static_cast<PetscInt>(size), PETSC_DECIDE));
    QUADRILLE_PETSC(VecSetType(vector.get(), o.vectors.c_str()));
    PetscScalar* numbers = nullptr;
    QUADRILLE_PETSC(VecGetArrayWrite(vector.get(), &numbers));
    for (std::size_t i = 0; i < size; ++i) numbers[i] = std::sin(static_cast<double>(i));
    QUADRILLE_PETSC(VecRestoreArrayWrite(vector.get(), &numbers));
    PetscMemType type = PETSC_MEMTYPE_HOST;
    QUADRILLE_PETSC(VecGetArrayReadAndMemType(vector.get(), &data, &type));
  }
  ~Values() { (void)VecRestoreArrayReadAndMemType(vector.get(), &data); }
};

// The product with x = 1, 2, 3, ...
Handle<Vec> timed(const std::string& type, const Options& o, DM grid, std::vector<PetscInt> rows,
                  std::vector<PetscInt> columns, const Values& values) {
  QUADRILLE_PETSC(DMSetMatType(grid, type.c_str()));
  QUADRILLE_PETSC(DMSetMatrixPreallocateSkip(grid, PETSC_TRUE));
  const Handle<Mat> matrix = make<Mat>("DMCreateMatrix", [&](Mat* m) { return DMCreateMatrix(grid, m); });
  const double prepare = ms_of([&] {
    QUADRILLE_PETSC(MatSetPreallocationCOOLocal(matrix.get(), static_cast<PetscCount>(rows.size()),
                                                rows.data(), columns.data()));
  });
  const auto set = [&] { QUADRILLE_PETSC(MatSetValuesCOO(matrix.get(), values.data, INSERT_VALUES)); };
  const double first = ms_of(set);
  std::vector<double> ms;
  for (PetscInt i = 0; i < o.repetitions; ++i) ms.push_back(ms_of(set));
  std::sort(ms.begin(), ms.end());
  QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "%-14s %14.2f %14.3f %14.3f %10.3f %10.3f\n", type.c_str(),
                              prepare, first, ms[ms.size() / 2], ms.front(), ms.back()));
  Vec x_vector = nullptr, y_vector = nullptr;
  QUADRILLE_PETSC(MatCreateVecs(matrix.get(), &x_vector, &y_vector));
  const Handle<Vec> x(x_vector);
  Handle<Vec> y(y_vector);
  PetscInt begin = 0, end = 0;
  PetscScalar* numbers = nullptr;
  QUADRILLE_PETSC(VecGetOwnershipRange(x.get(), &begin, &end));
  QUADRILLE_PETSC(VecGetArrayWrite(x.get(), &numbers));
  for (PetscInt i = begin; i < end; ++i) numbers[i - begin] = 1 + i % 17;
  QUADRILLE_PETSC(VecRestoreArrayWrite(x.get(), &numbers));
  QUADRILLE_PETSC(MatMult(matrix.get(), x.get(), y.get()));
  return y;
}

bool run() {
  petsc::register_matrix_type();
  const Options o = options_given();
  const Handle<DM> grid = make_grid(o);
  std::vector<PetscInt> rows, columns;
  coordinates(grid.get(), o, rows, columns);
  const Values values(rows.size(), o);
  QUADRILLE_PETSC(
      PetscPrintf(PETSC_COMM_WORLD,
                  "%d^3 nodes, %d unknowns, %zu entries on rank 0, vectors %s; MatSetValuesCOO in ms\n"
                  "%-14s %14s %14s %14s %10s %10s\n",
                  static_cast<int>(o.n), static_cast<int>(o.dof), rows.size(), o.vectors.c_str(), "type",
                  "preallocation", "first", "median", "min", "max"));
  Handle<Vec> expected;
  bool same = true;
  std::stringstream types(o.types);
  for (std::string type; std::getline(types, type, ',');) {
    Handle<Vec> y = timed(type, o, grid.get(), rows, columns, values);
    if (!expected) {
      expected = std::move(y);
      continue;
    }
    PetscReal off = 0, size = 0;
    const Handle<Vec> copy =
        make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(expected.get(), v); });
    QUADRILLE_PETSC(VecCopy(y.get(), copy.get()));
    QUADRILLE_PETSC(VecNorm(expected.get(), NORM_INFINITY, &size));
    QUADRILLE_PETSC(VecAXPY(copy.get(), -1, expected.get()));
    QUADRILLE_PETSC(VecNorm(copy.get(), NORM_INFINITY, &off));
    if (off > 1e-12 * size) {
      same = false;
      QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "the product of %s is off by %g\n", type.c_str(), off));
    }
  }
  return same;
}

}  // namespace
}  // namespace quadrille

int main(int argc, char** argv) {
  try {
    const quadrille::petsc::Session session({argv + 1, argv + argc});
    return quadrille::run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "coordinates_timing: %s\n", error.what());
    return 3;
  }
}
