// MatCreateSubMatrix() of this type: some unknowns of every node, as PCFIELDSPLIT asks for, stay on the grid,
// where products are ours and quadrille_mg takes them. Other index sets go by way of AIJ.
#include <petscis.h>

#include <algorithm>

#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/grid_unknowns.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
#include "kernels/petsc/matrix/part_matrix.hpp"

namespace quadrille::petsc {
namespace {

// The unknowns that all ranks name; none where some rank's indices are others. Collective.
std::vector<int> unknowns_of_all(Mat m, IS rows) {
  PetscInt first = 0, end = 0;
  const PetscInt dof = typed(m).store().dof();
  QUADRILLE_PETSC(MatGetOwnershipRange(m, &first, &end));
  const auto mine = unknowns_in(rows, first, (end - first) / dof, dof);
  std::vector<int> own(static_cast<std::size_t>(dof), -1), all(own.size());
  if (mine) std::copy(mine->begin(), mine->end(), own.begin());
  MPI_Allreduce(own.data(), all.data(), dof, MPI_INT, MPI_MAX,
                PetscObjectComm(reinterpret_cast<PetscObject>(m)));
  const bool fits = mine && (mine->empty() || own == all);  // of a rank without nodes every one does
  if (!all_ranks(m, fits)) return {};
  all.erase(std::find(all.begin(), all.end(), -1), all.end());
  return all;
}

// Those of the rows and of the columns, each with none behind them where the other ones are more; empty where
// some are no unknowns of every node. Collective.
UnknownsOfBlocks unknowns_of(Mat m, IS rows, IS columns) {
  if (!typed(m).on_grid()) return {};
  UnknownsOfBlocks unknowns{unknowns_of_all(m, rows), {}};
  if (unknowns.rows.empty()) return {};
  unknowns.columns = rows == columns ? unknowns.rows : unknowns_of_all(m, columns);
  if (unknowns.columns.empty()) return {};
  const std::size_t dof = std::max(unknowns.rows.size(), unknowns.columns.size());
  unknowns.rows.resize(dof, UnknownsOfBlocks::no_unknown);
  unknowns.columns.resize(dof, UnknownsOfBlocks::no_unknown);
  return unknowns;
}

bool is_square(const UnknownsOfBlocks& unknowns) {
  const auto fills_up = [](const std::vector<int>& of) { return of.back() == UnknownsOfBlocks::no_unknown; };
  return !fills_up(unknowns.rows) && !fills_up(unknowns.columns);
}

Handle<Mat> make_square(Mat m, const UnknownsOfBlocks& unknowns, bool gpu_vectors) {
  PetscInt rows = 0;
  QUADRILLE_PETSC(MatGetLocalSize(m, &rows, nullptr));
  Handle<Mat> part = empty_matrix(PetscObjectComm(reinterpret_cast<PetscObject>(m)),
                                  rows / typed(m).store().dof() * unknowns.dof(), unknowns.dof());
  typed(part.get()).options = typed(m).options;
  typed(part.get()).set_up(typed(m).store().of_unknowns(part.get(), unknowns));
  QUADRILLE_PETSC(MatSetUp(part.get()));
  if (gpu_vectors) set_gpu_vectors(part.get(), true);
  QUADRILLE_PETSC(MatAssemblyBegin(part.get(), MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(part.get(), MAT_FINAL_ASSEMBLY));
  return part;
}

// New values in the matrix that was made of them before, or false where it is none.
bool take_again(Mat m, const UnknownsOfBlocks& unknowns, Mat part) {
  if (unknowns.dof() == 0) return false;
  if (is_typed(part) && typed(part).store().taken_unknowns() == unknowns) {
    typed(part).store().take_unknowns(typed(m).store());
    mark_changed(part);
    return true;
  }
  if (unknowns_of_part(part) != unknowns) return false;
  take_values(part, typed(m).store());
  return true;
}

PetscErrorCode create_submatrix(Mat m, IS rows, IS columns, MatReuse reuse, Mat* part) {
  return guarded("MatCreateSubMatrix_Quadrille", [&] {
    const UnknownsOfBlocks unknowns = unknowns_of(m, rows, columns);
    if (reuse == MAT_REUSE_MATRIX && take_again(m, unknowns, *part)) return;
    const bool was_ours = reuse == MAT_REUSE_MATRIX && (is_typed(*part) || unknowns_of_part(*part).dof() > 0);
    if (was_ours)
      throw PetscError(
          "MatCreateSubMatrix: the matrix to be used again is not one of these rows and columns");
    if (reuse == MAT_REUSE_MATRIX || unknowns.dof() == 0) {
      QUADRILLE_PETSC(MatCreateSubMatrix(as_aij(m), rows, columns, reuse, part));
      return;
    }
    if (typed(m).multiplies_on_gpu()) typed(m).scaled(m);  // decides on vectors
    const bool gpu_vectors = has_cuda() && has_gpu_vectors(m);
    Handle<Mat> square = make_square(m, unknowns, gpu_vectors);
    *part = (is_square(unknowns) ? std::move(square) : make_part_matrix(std::move(square), gpu_vectors))
                .release();
  });
}

}  // namespace

void set_submatrix_operation(Mat m) {
  set_operation(m, MATOP_CREATE_SUBMATRIX, create_submatrix);
}

}  // namespace quadrille::petsc
