#include "kernels/petsc/transfer_matrix.hpp"

#include <petscmat.h>

#include <type_traits>

#include "kernels/petsc/aij_matrix.hpp"
#include "kernels/petsc/check.hpp"
#include "kernels/petsc/device_work.hpp"
#include "kernels/petsc/guarded.hpp"
#include "kernels/petsc/vector_arrays.hpp"

namespace quadrille::petsc {
namespace {

static_assert(std::is_same_v<PetscScalar, double> && sizeof(PetscInt) == sizeof(std::int32_t));

class Transfer {
 public:
  explicit Transfer(std::shared_ptr<const GridTransfer<double>> transfer) : transfer_(std::move(transfer)) {}

  // y = P x or y = P^T x; or y += them.
  void multiply(Vec x, Vec y, bool transposed, bool add) {
    const std::int64_t rows = transfer_->rows(), columns = transfer_->columns();
    require_size(x, transposed ? rows : columns, "the vector x of the interpolation");
    require_size(y, transposed ? columns : rows, "the vector y of the interpolation");
    const SpaceKind space = transfer_->space();
    const ReadArray from(x, space);
    const double* in = from.data();
    if (from.space() != space) {
      in = on_device(device_x_, transposed ? rows : columns);
      copy_in(device_x_, from.data(), transposed ? rows : columns);
    }
    if (add) {
      ReadWriteArray to(y, space);
      into(in, to.data(), to.space(), transposed, true);
    } else {
      WriteArray to(y, space);
      into(in, to.data(), to.space(), transposed, false);
    }
  }
  // A MATSEQAIJ of it, made when first asked for.
  Mat aij() {
    if (!aij_) aij_ = aij_copy(transfer_->to_csr(), 1, false);
    return aij_.get();
  }
  void multiply_add(Vec x, Vec y, Vec z, bool transposed) {
    if (y != z) QUADRILLE_PETSC(VecCopy(y, z));
    multiply(x, z, transposed, true);
  }

 private:
  void into(const double* in, double* y, SpaceKind y_space, bool transposed, bool add) {
    const std::int64_t size = transposed ? transfer_->columns() : transfer_->rows();
    double* out = y;
    if (y_space != transfer_->space()) {
      out = on_device(device_y_, size);
      if (add) copy_in(device_y_, y, size);
    }
    const StreamOrder order(transfer_->space() == SpaceKind::cuda);
    if (transposed && add)
      transfer_->apply_transpose_add(in, out);
    else if (transposed)
      transfer_->apply_transpose(in, out);
    else if (add)
      transfer_->apply_add(in, out);
    else
      transfer_->apply(in, out);
    order.after();
    if (out == y) return;
    memory::copy_to_host(y, out, bytes(size));
    log_copy(bytes(size), false);
  }
  static std::int64_t bytes(std::int64_t size) { return size * static_cast<std::int64_t>(sizeof(double)); }
  static double* on_device(Array<double, Device>& array, std::int64_t size) {
    if (array.size() < size) array = Array<double, Device>(size);
    return array.data();
  }
  static void copy_in(Array<double, Device>& array, const double* from, std::int64_t size) {
    memory::copy_to_device(array.data(), from, bytes(size));
    log_copy(bytes(size), true);
  }

  std::shared_ptr<const GridTransfer<double>> transfer_;
  Array<double, Device> device_x_, device_y_;  // of vectors in host memory
  Handle<Mat> aij_;
};

Transfer& of(Mat matrix) {
  Transfer* transfer = nullptr;
  QUADRILLE_PETSC(MatShellGetContext(matrix, &transfer));
  return *transfer;
}

PetscErrorCode mult(Mat m, Vec x, Vec y) {
  return guarded("MatMult_QuadrilleTransfer", [=] { of(m).multiply(x, y, false, false); });
}
PetscErrorCode mult_transpose(Mat m, Vec x, Vec y) {
  return guarded("MatMultTranspose_QuadrilleTransfer", [=] { of(m).multiply(x, y, true, false); });
}
PetscErrorCode mult_add(Mat m, Vec x, Vec y, Vec z) {
  return guarded("MatMultAdd_QuadrilleTransfer", [=] { of(m).multiply_add(x, y, z, false); });
}
PetscErrorCode mult_transpose_add(Mat m, Vec x, Vec y, Vec z) {
  return guarded("MatMultTransposeAdd_QuadrilleTransfer", [=] { of(m).multiply_add(x, y, z, true); });
}
PetscErrorCode destroy(Mat m) {
  return guarded("MatDestroy_QuadrilleTransfer", [=] {
    Transfer* transfer = nullptr;
    QUADRILLE_PETSC(MatShellGetContext(m, &transfer));
    delete transfer;
    QUADRILLE_PETSC(MatShellSetContext(m, nullptr));
  });
}

template <class Callback>
void set(Mat matrix, MatOperation operation, Callback* callback) {
  QUADRILLE_PETSC(MatShellSetOperation(matrix, operation, reinterpret_cast<void (*)(void)>(callback)));
}

}  // namespace

_p_Mat* aij_of_transfer(_p_Mat* matrix) {
  PetscBool is_shell = PETSC_FALSE;
  void (*multiply)(void) = nullptr;
  QUADRILLE_PETSC(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(matrix), MATSHELL, &is_shell));
  if (is_shell) QUADRILLE_PETSC(MatShellGetOperation(matrix, MATOP_MULT, &multiply));
  return multiply == reinterpret_cast<void (*)(void)>(mult) ? of(matrix).aij() : nullptr;
}

_p_Mat* make_transfer_matrix(std::shared_ptr<const GridTransfer<double>> transfer) {
  require_initialised();
  if (!transfer) throw FormatError("a transfer matrix needs an interpolation");
  const PetscInt rows = to_index32(transfer->rows(), "rows"),
                 columns = to_index32(transfer->columns(), "columns");
#if defined(PETSC_HAVE_CUDA)
  const bool vectors_on_gpu = transfer->space() == SpaceKind::cuda;
#endif
  auto context = std::make_unique<Transfer>(std::move(transfer));
  Handle<Mat> matrix = make<Mat>("MatCreateShell", [&](Mat* m) {
    return MatCreateShell(PETSC_COMM_SELF, rows, columns, rows, columns, nullptr, m);
  });
#if defined(PETSC_HAVE_CUDA)
  if (vectors_on_gpu) QUADRILLE_PETSC(MatShellSetVecType(matrix.get(), VECCUDA));
#endif
  QUADRILLE_PETSC(MatShellSetManageScalingShifts(matrix.get()));  // off: there are none
  set(matrix.get(), MATOP_MULT, mult);
  set(matrix.get(), MATOP_MULT_ADD, mult_add);
  set(matrix.get(), MATOP_MULT_TRANSPOSE, mult_transpose);
  set(matrix.get(), MATOP_MULT_TRANSPOSE_ADD, mult_transpose_add);
  set(matrix.get(), MATOP_DESTROY, destroy);
  QUADRILLE_PETSC(MatShellSetContext(matrix.get(), context.get()));
  context.release();  // the matrix's own from here on
  return matrix.release();
}

}  // namespace quadrille::petsc
