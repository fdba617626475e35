#include "kernels/petsc/multigrid/null_space.hpp"

#include <cmath>
#include <vector>

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"

namespace quadrille::petsc {

int block_size_of(Mat matrix) {
  PetscInt size = 1;
  QUADRILLE_PETSC(MatGetBlockSize(matrix, &size));
  return to_index32(size, "rows of a block");
}

namespace {

// One unknown of every node is `value`, where the vector's memory is; the others are zero.
void set_one_of_each(Vec vector, PetscInt unknown, PetscInt block_size, double value) {
  fill(vector, 0);
  const ReadWriteArray to(vector, SpaceKind::cuda);
  PetscInt rows = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector, &rows));
  if (to.space() == SpaceKind::cuda)
    cuda::fill_memory(current_queue(), to.data() + unknown, rows / block_size, value, block_size);
  else
    for (PetscInt i = unknown; i < rows; i += block_size) to.data()[i] = value;
}

}  // namespace

Handle<MatNullSpace> constants(Vec model, int block_size) {
  std::vector<Handle<Vec>> basis;
  std::vector<Vec> vectors;
  PetscInt all = 0;
  QUADRILLE_PETSC(VecGetSize(model, &all));
  const double length = std::sqrt(static_cast<double>(all / block_size));
  for (int r = 0; r < block_size && block_size > 1; ++r) {
    basis.push_back(make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(model, v); }));
    set_one_of_each(basis.back().get(), r, block_size, 1 / length);
    vectors.push_back(basis.back().get());
  }
  return make<MatNullSpace>("MatNullSpaceCreate", [&](MatNullSpace* space) {
    return MatNullSpaceCreate(PetscObjectComm(reinterpret_cast<PetscObject>(model)),
                              block_size == 1 ? PETSC_TRUE : PETSC_FALSE,
                              static_cast<PetscInt>(vectors.size()), vectors.data(), space);
  });
}

}  // namespace quadrille::petsc
