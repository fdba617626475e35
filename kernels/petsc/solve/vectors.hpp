// What solves and their measurements need of vectors and clocks. Internal to kernels/petsc/solve.
#pragma once

#include <petscksp.h>

#include <chrono>
#include <string_view>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline Handle<Vec> like(Vec model) {
  return make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(model, v); });
}

// Of the ranks of the vector.
inline double longest(Vec vector, double seconds) {
  double all = seconds;
  MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX,
                PetscObjectComm(reinterpret_cast<PetscObject>(vector)));
  return all;
}

// With vectors there, or copied there and back.
inline bool multiplies_on_gpu(Mat matrix) {
  VecType vectors = nullptr;
  QUADRILLE_PETSC(MatGetVecType(matrix, &vectors));
  if (vectors != nullptr && std::string_view(vectors).find("cuda") != std::string_view::npos) return true;
  return is_typed(matrix) && typed(matrix).scaled(matrix).op()->space() == SpaceKind::cuda;
}

}  // namespace quadrille::petsc
