#include "kernels/petsc/matrix/compact_aij.hpp"

#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/matrix.hpp"

namespace quadrille::petsc {
namespace {

struct Rows {
  std::vector<PetscInt> begin{0}, column;
  std::vector<double> value;

  void add(PetscInt at, double entry) {
    column.push_back(at);
    value.push_back(entry);
  }
};

// Entries of one row, from `k` to `end`.
struct Run {
  std::int32_t k = 0, end = 0;
};

// The own columns with a zero on the diagonal where there is nothing.
void add_own(Rows& rows, const Csr<double>& own, PetscInt first, std::int64_t row) {
  bool on_diagonal = false;
  for (std::int32_t k = own.row_ptr[row]; k < own.row_ptr[row + 1]; ++k) {
    if (!on_diagonal && own.column[k] > row) rows.add(first + static_cast<PetscInt>(row), 0);
    on_diagonal = on_diagonal || own.column[k] >= row;
    rows.add(first + own.column[k], own.value[k]);
  }
  if (!on_diagonal) rows.add(first + static_cast<PetscInt>(row), 0);
}

// Columns ascend: those of lower ranks, the own ones, those of higher ranks.
Rows joined(const Csr<double>& own, const LocalParts& parts, PetscInt first) {
  Rows rows;
  const BlockFill& fill = parts.hub->fill;
  const std::int64_t dof = parts.hub->dof;
  const auto entries = static_cast<std::size_t>(own.nnz() + (parts.ghost ? parts.ghost->nnz() : 0));
  rows.column.reserve(entries);
  rows.value.reserve(entries);
  std::size_t boundary = 0;
  for (std::int64_t row = 0; row < own.rows; ++row) {
    Run ghosts;
    if (boundary < parts.boundary_rows.size() && parts.boundary_rows[boundary] == row) {
      ghosts = {parts.ghost->row_ptr[static_cast<std::int64_t>(boundary)],
                parts.ghost->row_ptr[static_cast<std::int64_t>(boundary) + 1]};
      ++boundary;
    }
    const auto couples = [&](PetscInt column) {
      return fill.said() && fill.beside[static_cast<std::size_t>(row % dof * dof + column % dof)] != 0;
    };
    const auto add_ghosts = [&](bool lower) {
      for (; ghosts.k < ghosts.end; ++ghosts.k) {
        const PetscInt column = parts.ghost_columns[static_cast<std::size_t>(parts.ghost->column[ghosts.k])];
        if (lower && column >= first) return;
        if (const double value = parts.ghost->value[ghosts.k]; value != 0 || couples(column))
          rows.add(column, value);
      }
    };
    add_ghosts(true);
    add_own(rows, own, first, row);
    add_ghosts(false);
    rows.begin.push_back(to_petsc_int(static_cast<std::int64_t>(rows.column.size()), "the entries of AIJ"));
  }
  return rows;
}

}  // namespace

Handle<Mat> compact_aij(Mat matrix, bool on_gpu) {
  if (on_gpu && !has_cuda()) throw FormatError("MATAIJCUSPARSE needs a PETSc with CUDA");
  const LocalParts parts = typed(matrix).store().parts(false);
  if (!parts.hub) throw FormatError("this matrix of type quadrille has no grid");
  PetscInt first = 0, block_size = 1;
  QUADRILLE_PETSC(MatGetOwnershipRange(matrix, &first, nullptr));
  QUADRILLE_PETSC(MatGetBlockSize(matrix, &block_size));
  const Csr<double> own =
      parts.hub->rows() > 0 ? to_csr(*parts.hub) : Csr<double>{0, 0, Array<std::int32_t>(1, 0), {}, {}};
  const Rows rows = joined(own, parts, first);
  const auto count = static_cast<PetscInt>(own.rows);
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  Handle<Mat> made = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
  QUADRILLE_PETSC(MatSetSizes(made.get(), count, count, PETSC_DETERMINE, PETSC_DETERMINE));
  QUADRILLE_PETSC(MatSetBlockSize(made.get(), block_size));
  QUADRILLE_PETSC(MatSetType(made.get(), on_gpu ? MATAIJCUSPARSE : MATAIJ));
  QUADRILLE_PETSC(
      MatSeqAIJSetPreallocationCSR(made.get(), rows.begin.data(), rows.column.data(), rows.value.data()));
  QUADRILLE_PETSC(
      MatMPIAIJSetPreallocationCSR(made.get(), rows.begin.data(), rows.column.data(), rows.value.data()));
  return made;
}

}  // namespace quadrille::petsc
