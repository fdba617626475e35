#include "kernels/petsc/base/vector_sums.hpp"

// The operations of a vector are of PETSc's own headers.
#include <petsc/private/vecimpl.h>

#include <cmath>
#include <deque>
#include <vector>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/vector_sums.hpp"

namespace quadrille::petsc {
namespace {

struct Operations {
  decltype(_VecOps::mdot) mdot = nullptr;
  decltype(_VecOps::norm) norm = nullptr;
};

// Also of one rank, where somebody wants that.
bool is_of_ranks(Vec vector) {
  PetscBool of_ranks = PETSC_FALSE;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(vector), VECMPICUDA, &of_ranks));
  return of_ranks;
}
// What PETSc does in their place.
Operations& of_petsc(Vec vector) {
  static Operations of_one_rank, of_ranks;
  return is_of_ranks(vector) ? of_ranks : of_one_rank;
}

// This rank's part. False where an array is in host memory.
bool multiply(Vec x, PetscInt count, const Vec y[], double* sums) {
  static VectorSums* const kernels = cuda::make_vector_sums().release();  // CUDA ends before static objects
  PetscInt rows = 0;
  QUADRILLE_PETSC(VecGetLocalSize(x, &rows));
  const ReadArray of_x(x, SpaceKind::cuda);
  bool on_gpu = of_x.space() == SpaceKind::cuda;
  std::deque<ReadArray> of_y;
  std::vector<const double*> arrays;
  for (PetscInt i = 0; i < count; ++i) {
    of_y.emplace_back(y[i], SpaceKind::cuda);
    on_gpu = on_gpu && of_y.back().space() == SpaceKind::cuda;
    arrays.push_back(of_y.back().data());
  }
  if (!on_gpu) return false;
  if (rows == 0) {
    std::fill_n(sums, count, 0.0);
    return true;
  }
  const GpuTime time(true);
  kernels->multiply(current_queue(), rows, of_x.data(), arrays, sums);
  log_flops(count * (2 * std::int64_t{rows} - 1), true);
  return true;
}

void multiply_on_all(Vec x, PetscInt count, const Vec y[], double* sums) {
  if (!multiply(x, count, y, sums)) {
    QUADRILLE_PETSC(of_petsc(x).mdot(x, count, y, sums));
  } else if (is_of_ranks(x)) {
    MPI_Allreduce(MPI_IN_PLACE, sums, count, MPI_DOUBLE, MPI_SUM,
                  PetscObjectComm(reinterpret_cast<PetscObject>(x)));
  }
}

PetscErrorCode mdot(Vec x, PetscInt count, const Vec y[], PetscScalar* sums) {
  return guarded("VecMDot_Quadrille", [&] { multiply_on_all(x, count, y, sums); });
}

// By PETSc where squares leave the range of numbers, or many of them might.
PetscErrorCode norm(Vec x, NormType type, PetscReal* result) {
  return guarded("VecNorm_Quadrille", [&] {
    constexpr double least = 0x1p-900, most = 0x1p1000;
    double square = 0;
    if (type == NORM_2 || type == NORM_FROBENIUS) multiply_on_all(x, 1, &x, &square);
    if (square > least && square < most)
      *result = std::sqrt(square);
    else
      QUADRILLE_PETSC(of_petsc(x).norm(x, type, result));
  });
}

}  // namespace

void use_own_sums(Vec vector) {
  _VecOps& now = *vector->ops;
  if (now.mdot == mdot) return;
  PetscBool of_cuda = PETSC_FALSE;
  QUADRILLE_PETSC(
      PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(vector), &of_cuda, VECSEQCUDA, VECMPICUDA, ""));
  if (!of_cuda) return;
  of_petsc(vector) = {now.mdot, now.norm};
  now.mdot = mdot;
  now.norm = norm;
}

}  // namespace quadrille::petsc
