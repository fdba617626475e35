#include "kernels/petsc/matrix/gpu_aij.hpp"

#include <limits>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/store.hpp"

namespace quadrille::petsc {

#if defined(PETSC_HAVE_CUDA)

bool has_gpu_aij(Mat matrix) {
  if (!is_typed(matrix) || distributed(matrix)) return false;
  TypedMatrix& t = typed(matrix);
  if (!t.on_grid() || !t.multiplies_on_gpu()) return false;
  t.scaled();                        // decides on vectors
  return has_gpu_vectors(matrix) &&  // cuSPARSE's solves leave those in host memory as they were
         t.store().parts(false).hub->values.size() <= std::numeric_limits<std::int32_t>::max();
}

GpuAij::GpuAij(Mat matrix) {
  Mat made = nullptr;
  QUADRILLE_PETSC(MatConvert(as_aij(matrix), MATSEQAIJCUSPARSE, MAT_INITIAL_MATRIX, &made));
  aij_.reset(made);
  const PetscScalar* there = nullptr;  // what is asked for in GPU memory is brought there, with its columns
  QUADRILLE_PETSC(MatSeqAIJCUSPARSEGetArrayRead(made, &there));
  QUADRILLE_PETSC(MatSeqAIJCUSPARSERestoreArrayRead(made, &there));
  const std::vector<std::int32_t> places = typed(matrix).store().places_of_aij();
  const auto count = static_cast<std::int64_t>(places.size());
  from_ = {1, count, {}, Array<std::int32_t, Device>(count)};
  memory::copy_to_device(from_.entry.data(), places.data(), from_.entry.bytes());
}

void GpuAij::refresh(Mat matrix) {
  const auto hub = own_block_diagonals_on_device(matrix);
  PetscScalar* values = nullptr;
  QUADRILLE_PETSC(MatSeqAIJCUSPARSEGetArrayWrite(aij_.get(), &values));
  {
    const DefaultQueue order(true);
    cuda::gather_sum<double>({}, from_, {hub->values.data(), hub->values.size()}, values, false);
  }
  QUADRILLE_PETSC(MatSeqAIJCUSPARSERestoreArrayWrite(aij_.get(), &values));
}

#else

bool has_gpu_aij(Mat) {
  return false;
}
GpuAij::GpuAij(Mat) {
  throw PetscError("this PETSc has no CUDA");
}
void GpuAij::refresh(Mat) {}

#endif

}  // namespace quadrille::petsc
