// What the programs that time the matrix type beside PETSc's have in common. They time what the tests check.
#pragma once

#include <petscdmda.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/check.hpp"

namespace quadrille::type_timing {

using petsc::Handle;
using petsc::make;

// On all ranks, and on the GPU where there is one; with -cpu_time this process's own time, where others use
// the machine.
inline double ms_of(const std::function<void()>& work) {
  static const bool own_time = [] {
    PetscBool given = PETSC_FALSE;
    QUADRILLE_PETSC(PetscOptionsGetBool(nullptr, nullptr, "-cpu_time", &given, nullptr));
    return given == PETSC_TRUE;
  }();
  const auto now = [] {
    cuda::synchronize();
    MPI_Barrier(PETSC_COMM_WORLD);
    timespec time{};
    clock_gettime(own_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

inline std::string text_option(const char* name, const std::string& otherwise) {
  char text[256];
  PetscBool given = PETSC_FALSE;
  QUADRILLE_PETSC(PetscOptionsGetString(nullptr, nullptr, name, text, sizeof text, &given));
  return given ? text : otherwise;
}

inline PetscInt int_option(const char* name, PetscInt otherwise) {
  QUADRILLE_PETSC(PetscOptionsGetInt(nullptr, nullptr, name, &otherwise, nullptr));
  return otherwise;
}

inline std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::stringstream rest(list);
  for (std::string word; std::getline(rest, word, ',');) words.push_back(word);
  return words;
}

// A star stencil of width 1 on n^dimension nodes.
inline Handle<DM> make_grid(PetscInt dimension, PetscInt n, PetscInt dof, const std::string& vectors) {
  Handle<DM> grid = make<DM>("DMDACreate", [](DM* dm) { return DMDACreate(PETSC_COMM_WORLD, dm); });
  QUADRILLE_PETSC(DMSetDimension(grid.get(), dimension));
  QUADRILLE_PETSC(DMDASetSizes(grid.get(), n, dimension > 1 ? n : 1, dimension > 2 ? n : 1));
  QUADRILLE_PETSC(DMDASetDof(grid.get(), dof));
  QUADRILLE_PETSC(DMDASetStencilWidth(grid.get(), 1));
  QUADRILLE_PETSC(DMDASetStencilType(grid.get(), DMDA_STENCIL_STAR));
  QUADRILLE_PETSC(DMSetVecType(grid.get(), vectors.c_str()));
  QUADRILLE_PETSC(DMSetUp(grid.get()));
  return grid;
}

// The product with x = 1, 2, 3, ...
inline Handle<Vec> product_of(Mat matrix) {
  Vec x_vector = nullptr, y_vector = nullptr;
  QUADRILLE_PETSC(MatCreateVecs(matrix, &x_vector, &y_vector));
  const Handle<Vec> x(x_vector);
  Handle<Vec> y(y_vector);
  PetscInt begin = 0, end = 0;
  PetscScalar* numbers = nullptr;
  QUADRILLE_PETSC(VecGetOwnershipRange(x.get(), &begin, &end));
  QUADRILLE_PETSC(VecGetArrayWrite(x.get(), &numbers));
  for (PetscInt i = begin; i < end; ++i) numbers[i - begin] = 1 + i % 17;
  QUADRILLE_PETSC(VecRestoreArrayWrite(x.get(), &numbers));
  QUADRILLE_PETSC(MatMult(matrix, x.get(), y.get()));
  return y;
}

// How far the two are apart, by the largest number of `expected`.
inline double off_by(Vec found, Vec expected) {
  PetscReal off = 0, size = 0;
  const Handle<Vec> copy = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(expected, v); });
  QUADRILLE_PETSC(VecCopy(found, copy.get()));
  QUADRILLE_PETSC(VecNorm(expected, NORM_INFINITY, &size));
  QUADRILLE_PETSC(VecAXPY(copy.get(), -1, expected));
  QUADRILLE_PETSC(VecNorm(copy.get(), NORM_INFINITY, &off));
  return size > 0 ? off / size : off;
}

}  // namespace quadrille::type_timing
