#include "kernels/petsc/matrix/point_block_jacobi.hpp"

#include <petscksp.h>

#include <algorithm>
#include <array>

#include "kernels/make_operator.hpp"
#include "kernels/petsc/base/composed.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/uses.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/scaled_operator.hpp"

namespace quadrille::petsc {
namespace {

constexpr const char* type_name = "quadrille_pbjacobi";
constexpr const char* product_format = "cds";  // block diagonals with one block diagonal

bool in_gpu_memory(Vec v) {
  PetscBool cuda = PETSC_FALSE;
  QUADRILLE_PETSC(
      PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(v), &cuda, VECSEQCUDA, VECMPICUDA, ""));
  return cuda;
}

void refuse_several_sizes(Mat matrix, PetscInt size) {
  PetscInt count = 0;
  const PetscInt* sizes = nullptr;
  QUADRILLE_PETSC(MatGetVariableBlockSizes(matrix, &count, &sizes));
  const PetscInt* const other =
      std::find_if(sizes, sizes + count, [=](PetscInt found) { return found != size; });
  if (other != sizes + count)
    throw FormatError("quadrille_pbjacobi inverts blocks of one size, here " + std::to_string(size) +
                      ", and block " + std::to_string(other - sizes) + " of this matrix has " +
                      std::to_string(*other) + " rows: -pc_type vpbjacobi takes several sizes");
}

// The inverted blocks, in each memory where they were wanted.
class PointBlocks {
 public:
  void set_up(Mat matrix, PC pc) {
    for (auto& product : products_) product.reset();
    hub_.reset();
    PetscInt size = 1, rows = 0;
    QUADRILLE_PETSC(MatGetBlockSize(matrix, &size));
    QUADRILLE_PETSC(MatGetLocalSize(matrix, &rows, nullptr));
    refuse_several_sizes(matrix, size);
    const PetscScalar* inverses = nullptr;  // [block][column][row]
    MatFactorError error = MAT_FACTOR_NOERROR;
    QUADRILLE_PETSC(MatInvertBlockDiagonal(matrix, &inverses));
    QUADRILLE_PETSC(MatFactorGetError(matrix, &error));
    QUADRILLE_PETSC(PCSetFailedReason(pc, static_cast<PCFailedReason>(error)));
    auto hub = std::make_shared<BlockDiagonals<double>>();
    hub->extents = {rows / size, 1, 1};
    hub->dof = to_index32(size, "rows of a block");
    hub->offsets = {{0, 0, 0}};
    hub->values = Array<double>(std::int64_t{rows} * size);
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t c = 0; c < size; ++c)
        hub->values[c * rows + row] = inverses[(row / size * size + c) * size + row % size];
    hub_ = std::move(hub);
  }

  void apply(Vec x, Vec y, bool transposed) {
    if (!hub_) throw PetscError("quadrille_pbjacobi is applied before it was set up");
    require_size(x, hub_->rows(), "the vector of the preconditioner");
    if (hub_->rows() == 0) return;
    const bool on_gpu = in_gpu_memory(x) && has_format(product_format, SpaceKind::cuda);
    std::unique_ptr<ScaledOperator>& product = products_[on_gpu];
    if (!product) {
      FormatInput<double> source;
      source.hub = hub_;
      product = std::make_unique<ScaledOperator>(
          make_operator(product_format, on_gpu ? SpaceKind::cuda : SpaceKind::cpu, source), product_format);
      if (on_gpu) log_copy(hub_->values.bytes(), true);
    }
    product->multiply(x, {y}, transposed);
  }

  void view(PetscViewer viewer) const {
    PetscBool ascii = PETSC_FALSE;
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    if (!ascii || !hub_) return;
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "point-block size %d, %s bytes of inverted blocks%s\n",
                                           hub_->dof, std::to_string(hub_->values.bytes()).c_str(),
                                           products_[1] ? ", in GPU memory as well" : ""));
  }

 private:
  std::shared_ptr<const BlockDiagonals<double>> hub_;
  std::array<std::unique_ptr<ScaledOperator>, 2> products_;  // in host, in GPU memory
};

PointBlocks& of(PC pc) {
  return composed<PointBlocks>(reinterpret_cast<PetscObject>(pc), type_name);
}

PetscErrorCode set_up(PC pc) {
  return guarded("PCSetUp_QuadrillePBJacobi", [&] {
    Mat matrix = nullptr;
    QUADRILLE_PETSC(PCGetOperators(pc, nullptr, &matrix));
    of(pc).set_up(matrix, pc);
  });
}
PetscErrorCode apply(PC pc, Vec x, Vec y) {
  return guarded("PCApply_QuadrillePBJacobi", [&] { of(pc).apply(x, y, false); });
}
PetscErrorCode apply_transpose(PC pc, Vec x, Vec y) {
  return guarded("PCApplyTranspose_QuadrillePBJacobi", [&] { of(pc).apply(x, y, true); });
}
PetscErrorCode view(PC pc, PetscViewer viewer) {
  return guarded("PCView_QuadrillePBJacobi", [&] { of(pc).view(viewer); });
}
PetscErrorCode destroy(PC pc) {
  return guarded("PCDestroy_QuadrillePBJacobi", [&] {
    QUADRILLE_PETSC(PetscObjectCompose(reinterpret_cast<PetscObject>(pc), type_name, nullptr));
  });
}

// A PCSHELL under another name: PETSc's private headers are not needed.
PetscErrorCode create(PC pc) {
  return guarded("PCCreate_QuadrillePBJacobi", [&] {
    QUADRILLE_PETSC(PCSetType(pc, PCSHELL));
    QUADRILLE_PETSC(PCShellSetName(pc, "inverted blocks on the diagonal"));
    QUADRILLE_PETSC(PCShellSetSetUp(pc, set_up));
    QUADRILLE_PETSC(PCShellSetApply(pc, apply));
    QUADRILLE_PETSC(PCShellSetApplyTranspose(pc, apply_transpose));
    QUADRILLE_PETSC(PCShellSetView(pc, view));
    QUADRILLE_PETSC(PCShellSetDestroy(pc, destroy));
    compose(reinterpret_cast<PetscObject>(pc), type_name, std::make_unique<PointBlocks>());
    ++uses();
    QUADRILLE_PETSC(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(pc), type_name));
  });
}

}  // namespace

void register_point_block_jacobi() {
  QUADRILLE_PETSC(PCRegister(type_name, create));
}

}  // namespace quadrille::petsc
