#include "kernels/petsc/multigrid/null_space.hpp"

#include <cmath>
#include <vector>

#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"

namespace quadrille::petsc {

int block_size_of(Mat matrix) {
  PetscInt size = 1;
  QUADRILLE_PETSC(MatGetBlockSize(matrix, &size));
  return to_index32(size, "rows of a block");
}

Handle<MatNullSpace> constants(Vec model, int block_size) {
  std::vector<Handle<Vec>> basis;
  std::vector<Vec> vectors;
  PetscInt all = 0, rows = 0;
  QUADRILLE_PETSC(VecGetSize(model, &all));
  QUADRILLE_PETSC(VecGetLocalSize(model, &rows));
  const double length = std::sqrt(static_cast<double>(all / block_size));
  for (int r = 0; r < block_size && block_size > 1; ++r) {
    basis.push_back(make<Vec>("VecDuplicate", [=](Vec* v) { return VecDuplicate(model, v); }));
    WriteArray values(basis.back().get());
    for (PetscInt i = 0; i < rows; ++i) values.data()[i] = i % block_size == r ? 1 / length : 0;
    vectors.push_back(basis.back().get());
  }
  return make<MatNullSpace>("MatNullSpaceCreate", [&](MatNullSpace* space) {
    return MatNullSpaceCreate(PetscObjectComm(reinterpret_cast<PetscObject>(model)),
                              block_size == 1 ? PETSC_TRUE : PETSC_FALSE,
                              static_cast<PetscInt>(vectors.size()), vectors.data(), space);
  });
}

}  // namespace quadrille::petsc
