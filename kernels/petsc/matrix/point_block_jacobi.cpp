#include "kernels/petsc/matrix/point_block_jacobi.hpp"

#include <petscksp.h>

#include <algorithm>
#include <array>

#include "kernels/cuda/invert_blocks.hpp"
#include "kernels/make_operator.hpp"
#include "kernels/petsc/base/composed.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/guarded.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/base/uses.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/matrix/matrix.hpp"
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

// The block diagonals of a matrix on a grid with products on a GPU, and vectors there; else null.
std::shared_ptr<const BlockDiagonals<double, Device>> blocks_in_gpu_memory(Mat matrix, PetscInt size) {
  if (!has_cuda() || !is_typed(matrix)) return nullptr;
  TypedMatrix& on_grid = typed(matrix);
  if (!on_grid.on_grid() || !on_grid.multiplies_on_gpu()) return nullptr;
  auto hub = on_grid.store().parts(true).device_hub;
  const bool fits = hub && hub->dof == size && size <= cuda::most_inverted_unknowns && hub->rows() > 0 &&
                    std::find(hub->offsets.begin(), hub->offsets.end(), NodeOffset{}) != hub->offsets.end();
  return fits ? hub : nullptr;
}

// The inverted blocks, in each memory where they were wanted.
class PointBlocks {
 public:
  void set_up(Mat matrix, PC pc) {
    for (auto& product : products_) product.reset();
    hub_.reset();
    device_hub_.reset();
    PetscInt size = 1;
    QUADRILLE_PETSC(MatGetBlockSize(matrix, &size));
    refuse_several_sizes(matrix, size);
    if (const auto hub = blocks_in_gpu_memory(matrix, size)) {
      const DefaultQueue order(true);
      cuda::InvertedBlocks inverted = cuda::inverted_blocks(*hub);
      if (!inverted.singular) {  // else the host says which
        device_hub_ = std::make_shared<const BlockDiagonals<double, Device>>(std::move(inverted.hub));
        QUADRILLE_PETSC(PCSetFailedReason(pc, PC_NOERROR));
        return;
      }
    }
    set_up_on_host(matrix, size, pc);
  }

  void apply(Vec x, Vec y, bool transposed) {
    if (!there()) throw PetscError("quadrille_pbjacobi is applied before it was set up");
    require_size(x, structure().rows(), "the vector of the preconditioner");
    if (structure().rows() == 0) return;
    const bool on_gpu = in_gpu_memory(x) && has_format(product_format, SpaceKind::cuda);
    std::unique_ptr<ScaledOperator>& product = products_[on_gpu];
    if (!product) {
      FormatInput<double> source;
      if (!on_gpu && !hub_)
        hub_ = std::make_shared<const BlockDiagonals<double>>(copy_to<Host>(*device_hub_));
      source.hub = hub_;
      if (on_gpu) source.device_hub = device_hub_;
      product = std::make_unique<ScaledOperator>(
          make_operator(product_format, on_gpu ? SpaceKind::cuda : SpaceKind::cpu, source), product_format);
      if (on_gpu && !device_hub_) log_copy(hub_->values.bytes(), true);
    }
    product->multiply(x, {y}, transposed);
  }

  void view(PetscViewer viewer) const {
    PetscBool ascii = PETSC_FALSE;
    QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
    if (!ascii || !there()) return;
    const std::int64_t bytes = structure().rows() * structure().dof * std::int64_t{sizeof(double)};
    QUADRILLE_PETSC(PetscViewerASCIIPrintf(viewer, "point-block size %d, %s bytes of inverted blocks%s\n",
                                           structure().dof, std::to_string(bytes).c_str(),
                                           device_hub_    ? ", in GPU memory"
                                           : products_[1] ? ", in GPU memory as well"
                                                          : ""));
  }

 private:
  bool there() const { return hub_ || device_hub_; }
  const BlockStructure& structure() const {
    return hub_ ? static_cast<const BlockStructure&>(*hub_) : *device_hub_;
  }

  void set_up_on_host(Mat matrix, PetscInt size, PC pc) {
    PetscInt rows = 0;
    QUADRILLE_PETSC(MatGetLocalSize(matrix, &rows, nullptr));
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

  std::shared_ptr<const BlockDiagonals<double>> hub_;
  std::shared_ptr<const BlockDiagonals<double, Device>> device_hub_;  // or, where products were, there
  std::array<std::unique_ptr<ScaledOperator>, 2> products_;           // in host, in GPU memory
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
