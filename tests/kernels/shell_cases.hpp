// Shell matrices beside PETSc's own MATSEQAIJ of the same operator.
#pragma once

#include <petscksp.h>

#include <cmath>
#include <limits>

#include "assembly/operators.hpp"
#include "cases.hpp"
#include "entry_test.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/shell_matrix.hpp"

namespace quadrille {

using petsc::check;
using petsc::Handle;
using petsc::make;

#define CALL(call) check(call, #call)

inline Handle<Mat> aij_of(const Csr<double>& csr, int block_size) {
  Handle<Mat> matrix = make<Mat>("MatCreateSeqAIJ", [&](Mat* m) {
    return MatCreateSeqAIJ(PETSC_COMM_SELF, static_cast<PetscInt>(csr.rows),
                           static_cast<PetscInt>(csr.columns), 1 + static_cast<PetscInt>(csr.columns),
                           nullptr, m);
  });
  CALL(MatSetBlockSize(matrix.get(), block_size));
  const petsc::PetscIndices columns(csr.column);
  for (PetscInt i = 0; i < csr.rows; ++i) {
    if (csr.rows == csr.columns) CALL(MatSetValue(matrix.get(), i, i, 0.0, ADD_VALUES));  // MatShift wants it
    CALL(MatSetValues(matrix.get(), 1, &i, csr.row_ptr[i + 1] - csr.row_ptr[i],
                      columns.data() + csr.row_ptr[i], csr.value.data() + csr.row_ptr[i], ADD_VALUES));
  }
  CALL(MatAssemblyBegin(matrix.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(matrix.get(), MAT_FINAL_ASSEMBLY));
  return matrix;
}

// Of a type: VECSEQ, VECSEQCUDA.
inline Handle<Vec> vector_of(std::int64_t size, unsigned seed, double offset = 0, VecType type = VECSEQ) {
  const auto v = make<Vec>("VecCreate", [](Vec* w) { return VecCreate(PETSC_COMM_SELF, w); });
  CALL(VecSetSizes(v.get(), static_cast<PetscInt>(size), PETSC_DECIDE));
  CALL(VecSetType(v.get(), type));
  const std::vector<double> values = test_vector<double>(size, false, seed);
  for (PetscInt i = 0; i < size; ++i) CALL(VecSetValue(v.get(), i, values[i] + offset, INSERT_VALUES));
  CALL(VecAssemblyBegin(v.get()));
  CALL(VecAssemblyEnd(v.get()));
  Handle<Vec> result = make<Vec>("VecDuplicate", [&](Vec* w) { return VecDuplicate(v.get(), w); });
  CALL(VecCopy(v.get(), result.get()));
  return result;
}

inline Handle<Vec> nan_vector(std::int64_t size, VecType type = VECSEQ) {
  Handle<Vec> v = vector_of(size, 1, 0, type);
  CALL(VecSet(v.get(), std::numeric_limits<double>::quiet_NaN()));
  return v;
}

inline void expect_equal(Vec a, Vec b, const char* what) {
  PetscInt size = 0;
  const PetscScalar *pa = nullptr, *pb = nullptr;
  CALL(VecGetSize(a, &size));
  CALL(VecGetArrayRead(a, &pa));
  CALL(VecGetArrayRead(b, &pb));
  for (PetscInt i = 0; i < size; ++i)
    if (!(std::abs(pa[i] - pb[i]) <= 1e-13 * (1 + std::abs(pb[i])) * 50)) {
      ADD_FAILURE() << what << ": element " << i << " is " << pa[i] << ", and PETSc's " << pb[i];
      break;
    }
  CALL(VecRestoreArrayRead(a, &pa));
  CALL(VecRestoreArrayRead(b, &pb));
}

// The kinds of vectors that this PETSc can hand to an operator.
inline std::vector<VecType> vector_types(SpaceKind space) {
  if (petsc::has_cuda() && space == SpaceKind::cuda) return {VECSEQ, VECSEQCUDA};
  return {VECSEQ};
}

struct Pair {
  Handle<Mat> shell, aij;
  std::int64_t rows, columns;
};

inline Pair pair_of(const FormatEntry& entry, const Case<double>& c, int block_size) {
  std::shared_ptr<const SpmvOperator<double>> op = entry.make<double>()(c.source, c.options);
  return {Handle<Mat>(petsc::make_shell_matrix(op, entry.name, block_size)),
          aij_of(*c.source.csr, block_size), op->rows(), op->columns()};
}

inline Case<double> grid_operator(const Grid& grid, bool with_centre = true) {
  Stencil stencil = star_stencil(grid.dimension, 1);
  if (!with_centre) std::erase(stencil.offsets, Offset{});
  return grid_case<double>(grid, stencil, parse_boundary("periodic,periodic,clamp,value:2,drop,clamp", 3),
                           RandomBlocks{5, false});
}

// Of one registry entry in double precision.
class ShellTest : public RegistryTest {
 protected:
  const FormatEntry& entry() const { return GetParam().entry(); }
  bool transposes(const Case<double>& c) const {
    return entry().make<double>()(c.source, c.options)->has_transpose();
  }
};

inline std::vector<EntryParameter> entries_in_double() {
  std::vector<EntryParameter> all = all_entries();
  std::erase_if(all, [](const EntryParameter& p) { return !p.fp64; });
  return all;
}

}  // namespace quadrille
