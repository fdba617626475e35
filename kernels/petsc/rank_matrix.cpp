#include "kernels/petsc/rank_matrix.hpp"

#include "kernels/petsc/indices.hpp"
#include "kernels/petsc/matrix_type/ghost_products.hpp"
#include "kernels/petsc/ranks.hpp"
#include "kernels/petsc/scaled_operator.hpp"
#include "kernels/petsc/session.hpp"
#include "kernels/petsc/shell_context.hpp"

namespace quadrille::petsc {

Handle<Mat> make_rank_matrix(std::shared_ptr<const SpmvOperator<double>> own,
                             std::shared_ptr<const GhostPart> ghosts, const std::string& format,
                             int block_size) {
  const PetscInt rows = to_index32(own->rows(), "rows");
  to_petsc_int(sum_over_ranks(own->rows()), "rows of all ranks");
  Handle<Mat> matrix = make<Mat>("MatCreateShell", [=](Mat* m) {
    return MatCreateShell(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, nullptr, m);
  });
  QUADRILLE_PETSC(MatSetBlockSize(matrix.get(), block_size));
  set_shell_operations(matrix.get(), own->has_transpose(), true);
  if (has_cuda() && own->space() == SpaceKind::cuda) set_gpu_vectors(matrix.get(), true);
  LocalParts parts;
  parts.ghost = std::shared_ptr<const Csr<double>>(ghosts, &ghosts->values);
  parts.boundary_rows.assign(ghosts->boundary_rows.begin(), ghosts->boundary_rows.end());
  parts.ghost_columns.assign(ghosts->columns.begin(), ghosts->columns.end());
  auto coupling = std::make_shared<GhostProducts>(matrix.get(), parts, own->space());
  const auto whole_rows = [own, ghosts, first = sum_before(own->rows()), all = sum_over_ranks(own->rows())] {
    return joined_rows(own->to_csr(), *ghosts, first, all);
  };
  set_shell_context(matrix.get(), std::make_unique<ScaledOperator>(std::move(own), format,
                                                                   std::move(coupling), -1, whole_rows));
  return matrix;
}

Handle<Mat> make_rank_aij(const SpmvOperator<double>& own, const GhostPart& ghosts, int block_size,
                          bool on_gpu) {
  if (on_gpu && !has_cuda()) throw FormatError("MATMPIAIJCUSPARSE needs a PETSc with CUDA");
  const std::int64_t first = sum_before(own.rows()), all = sum_over_ranks(own.rows());
  to_petsc_int(all, "rows of all ranks");
  const JoinedRows joined = joined_rows(own.to_csr(), ghosts, first, all);
  const auto rows = static_cast<PetscInt>(joined.rows);
  const PetscIndices begin(joined.row_ptr);
  const std::vector<PetscInt> columns(joined.column.begin(), joined.column.end());
  Handle<Mat> matrix = make<Mat>("MatCreate", [](Mat* m) { return MatCreate(PETSC_COMM_WORLD, m); });
  QUADRILLE_PETSC(MatSetSizes(matrix.get(), rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  QUADRILLE_PETSC(MatSetBlockSize(matrix.get(), block_size));
  QUADRILLE_PETSC(MatSetType(matrix.get(), on_gpu ? MATAIJCUSPARSE : MATAIJ));
  QUADRILLE_PETSC(
      MatSeqAIJSetPreallocationCSR(matrix.get(), begin.data(), columns.data(), joined.value.data()));
  QUADRILLE_PETSC(
      MatMPIAIJSetPreallocationCSR(matrix.get(), begin.data(), columns.data(), joined.value.data()));
  return matrix;
}

Handle<Vec> rank_vector(std::int64_t rows, SpaceKind space) {
  const PetscInt mine = to_index32(rows, "rows");
  Handle<Vec> v = make<Vec>("VecCreate", [](Vec* made) { return VecCreate(PETSC_COMM_WORLD, made); });
  QUADRILLE_PETSC(VecSetSizes(v.get(), mine, PETSC_DETERMINE));
  QUADRILLE_PETSC(VecSetType(v.get(), has_cuda() && space == SpaceKind::cuda ? VECCUDA : VECSTANDARD));
  return v;
}

}  // namespace quadrille::petsc
