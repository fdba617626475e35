#include "kernels/petsc/matrix/transfer_matrix.hpp"

#include <petscmat.h>

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "kernels/petsc/aij/aij_matrix.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/gathering.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/product_shell.hpp"

namespace quadrille::petsc {
namespace {

static_assert(std::is_same_v<PetscScalar, double>);

class Transfer final : public ProductOfShell {
 public:
  explicit Transfer(std::shared_ptr<const GridTransfer<double>> transfer) : transfer_(std::move(transfer)) {}
  Transfer(RankTransfer part, Vec coarse)
      : transfer_(std::move(part.own)), coarse_nodes_(to_petsc_ints(part.coarse_nodes, "coarse nodes")) {
    QUADRILLE_PETSC(VecGetLocalSize(coarse, &own_columns_));
    coarse_ = std::make_unique<Gathering>(coarse, coarse_nodes_, transfer_->dof());
  }

  void multiply(Vec x, const VecOutput& y, bool transposed) override {
    const std::int64_t columns = coarse_ ? own_columns_ : transfer_->columns();
    require_size(x, transposed ? transfer_->rows() : columns, "the vector x of the interpolation");
    require_size(y.to, transposed ? columns : transfer_->rows(), "the vector y of the interpolation");
    const auto own = [&](Vec from, const VecOutput& to) {
      product_.run(*transfer_, from, to, transposed, transfer_->entries());
    };
    if (!coarse_) return own(x, y);
    const Vec seen = coarse_->local(transposed ? y.to : x, transfer_->space() == SpaceKind::cuda);
    if (transposed) {
      own(x, {seen, nullptr, y.alpha});
      begin_sums(y);
      coarse_->add(y.to);
    } else {
      coarse_->begin(x);
      coarse_->end(x);
      own(seen, y);
    }
  }

  Mat aij(MPI_Comm comm) override {
    if (!aij_) aij_ = coarse_ ? aij_of_ranks(comm) : aij_copy(transfer_->to_csr(), transfer_->dof(), false);
    return aij_.get();
  }

 private:
  // The columns of transfer_ count the nodes of coarse_nodes_, AIJ's those of the whole grid.
  Handle<Mat> aij_of_ranks(MPI_Comm comm) const {
    const Csr<double> csr = transfer_->to_csr();
    const PetscInt rows = static_cast<PetscInt>(csr.rows), dof = transfer_->dof();
    std::vector<PetscInt> columns(static_cast<std::size_t>(csr.nnz()));
    std::vector<double> values(columns.size());
    std::vector<std::pair<PetscInt, double>> row;
    for (PetscInt i = 0; i < rows; ++i) {
      row.clear();
      for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k)
        row.emplace_back(coarse_nodes_[csr.column[k] / dof] * dof + csr.column[k] % dof, csr.value[k]);
      std::sort(row.begin(), row.end());
      for (std::size_t k = 0; k < row.size(); ++k)
        std::tie(columns[csr.row_ptr[i] + k], values[csr.row_ptr[i] + k]) = row[k];
    }
    Handle<Mat> matrix = make<Mat>("MatCreate", [=](Mat* m) { return MatCreate(comm, m); });
    QUADRILLE_PETSC(MatSetSizes(matrix.get(), rows, own_columns_, PETSC_DETERMINE, PETSC_DETERMINE));
    QUADRILLE_PETSC(MatSetType(matrix.get(), MATAIJ));
    QUADRILLE_PETSC(MatSetBlockSize(matrix.get(), dof));
    const PetscIndices begin(csr.row_ptr);
    QUADRILLE_PETSC(MatSeqAIJSetPreallocationCSR(matrix.get(), begin.data(), columns.data(), values.data()));
    QUADRILLE_PETSC(MatMPIAIJSetPreallocationCSR(matrix.get(), begin.data(), columns.data(), values.data()));
    return matrix;
  }

  std::shared_ptr<const GridTransfer<double>> transfer_;
  std::vector<PetscInt> coarse_nodes_;
  std::unique_ptr<Gathering> coarse_;  // of these nodes; null where all of them are this rank's
  PetscInt own_columns_ = 0;
  VectorProduct product_;
  Handle<Mat> aij_;
};

// Blocks as those of PETSc's MAIJ.
Handle<Mat> shell_around(MPI_Comm comm, std::unique_ptr<Transfer> context, PetscInt rows, PetscInt columns,
                         int dof, SpaceKind space) {
  return make_product_shell({comm, rows, columns, dof, dof, space == SpaceKind::cuda}, std::move(context));
}

}  // namespace

_p_Mat* aij_of_transfer(_p_Mat* matrix) {
  return dynamic_cast<Transfer*>(product_of_shell(matrix)) != nullptr ? aij_of_shell(matrix) : nullptr;
}

_p_Mat* make_transfer_matrix(std::shared_ptr<const GridTransfer<double>> transfer) {
  require_initialised();
  if (!transfer) throw FormatError("a transfer matrix needs an interpolation");
  const PetscInt rows = to_index32(transfer->rows(), "rows"),
                 columns = to_index32(transfer->columns(), "columns");
  const SpaceKind space = transfer->space();
  const int dof = transfer->dof();
  return shell_around(PETSC_COMM_SELF, std::make_unique<Transfer>(std::move(transfer)), rows, columns, dof,
                      space)
      .release();
}

_p_Mat* make_transfer_matrix(RankTransfer part, _p_Vec* coarse) {
  require_initialised();
  if (!part.own || coarse == nullptr)
    throw FormatError("a transfer matrix needs an interpolation and a vector");
  const std::int64_t nodes = static_cast<std::int64_t>(part.coarse_nodes.size());
  if (nodes * part.own->dof() != part.own->columns())
    throw FormatError("a transfer matrix has " + std::to_string(nodes) +
                      " coarse nodes, and its interpolation " + std::to_string(part.own->columns()) +
                      " columns of " + std::to_string(part.own->dof()) + " a node");
  const PetscInt rows = to_index32(part.own->rows(), "rows");
  PetscInt columns = 0;
  QUADRILLE_PETSC(VecGetLocalSize(coarse, &columns));
  const SpaceKind space = part.own->space();
  const int dof = part.own->dof();
  return shell_around(PetscObjectComm(reinterpret_cast<PetscObject>(coarse)),
                      std::make_unique<Transfer>(std::move(part), coarse), rows, columns, dof, space)
      .release();
}

_p_Mat* make_transfer_matrix(RankTransfer part, std::int64_t coarse_rows) {
  require_initialised();
  if (!part.own) throw FormatError("a transfer matrix needs an interpolation");
  const PetscInt rows = to_index32(coarse_rows, "coarse rows");
  const Handle<Vec> coarse = make<Vec>("VecCreate", [](Vec* v) { return VecCreate(PETSC_COMM_WORLD, v); });
  QUADRILLE_PETSC(VecSetSizes(coarse.get(), rows, PETSC_DETERMINE));
  const bool on_gpu = has_cuda() && part.own->space() == SpaceKind::cuda;
  QUADRILLE_PETSC(VecSetType(coarse.get(), on_gpu ? VECCUDA : VECSTANDARD));
  return make_transfer_matrix(std::move(part), coarse.get());
}

}  // namespace quadrille::petsc
