// How long MatSetPreallocationCOO and MatSetValuesCOO take with a star stencil on a DMDA, for matrix types
// side by side:
//
//   coordinates_timing -n 128 -dof 1 -types aij,quadrille                                   the CPU
//   coordinates_timing -n 128 -dof 1 -types aijcusparse,quadrille -vec cuda                  the GPU, with a
//                                                                                            PETSc with CUDA
//   ... -repetitions 20 -entries 2                                                           each place this
//                                                                                            many times
//
// Every row has dof entries for each of its 7 neighbours, side by side, as a kernel that assembles rows
// writes them; where there is no neighbour they have negative numbers. The products of all types are
// compared: exits with 1 where they differ.
#include <cmath>
#include <cstdio>

#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "timing.hpp"

namespace quadrille::type_timing {
namespace {

struct Options {
  PetscInt n = 32, dof = 1, repetitions = 5, entries = 1;
  std::string types = "aij,quadrille", vectors = "standard";
};

Options options_given() {
  const Options o;
  return {int_option("-n", o.n),
          int_option("-dof", o.dof),
          int_option("-repetitions", o.repetitions),
          int_option("-entries", o.entries),
          text_option("-types", o.types),
          text_option("-vec", o.vectors)};
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

// The product that they give.
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
  return product_of(matrix.get());
}

bool run() {
  petsc::register_matrix_type();
  const Options o = options_given();
  const Handle<DM> grid = make_grid(3, o.n, o.dof, o.vectors);
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
  for (const std::string& type : words_of(o.types)) {
    Handle<Vec> y = timed(type, o, grid.get(), rows, columns, values);
    if (!expected) {
      expected = std::move(y);
    } else if (const double off = off_by(y.get(), expected.get()); off > 1e-12) {
      same = false;
      QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "the product of %s is off by %g\n", type.c_str(), off));
    }
  }
  return same;
}

}  // namespace
}  // namespace quadrille::type_timing

int main(int argc, char** argv) {
  try {
    const quadrille::petsc::Session session({argv + 1, argv + argc});
    return quadrille::type_timing::run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "coordinates_timing: %s\n", error.what());
    return 3;
  }
}
