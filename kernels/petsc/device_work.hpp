// What products in GPU memory need beside the arrays of their vectors. Internal to kernels/petsc.
#pragma once

#include <petscdevice.h>
#include <petscvec.h>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/check.hpp"

namespace quadrille::petsc {

// Products in GPU memory run on CUDA's default stream; PETSc's own work may be on another one that does not wait for it.
class StreamOrder {
 public:
  explicit StreamOrder([[maybe_unused]] bool on_gpu) {
#if defined(PETSC_HAVE_CUDA)
    if (!on_gpu) return;
    QUADRILLE_PETSC(PetscDeviceContextGetCurrentContext(&context_));
    PetscStreamType type = PETSC_STREAM_DEFAULT;
    QUADRILLE_PETSC(PetscDeviceContextGetStreamType(context_, &type));
    if (type == PETSC_STREAM_DEFAULT) context_ = nullptr;
    if (context_ != nullptr) QUADRILLE_PETSC(PetscDeviceContextSynchronize(context_));
#endif
  }
  void after() const {
#if defined(PETSC_HAVE_CUDA)
    if (context_ != nullptr) cuda::synchronize();
#endif
  }

 private:
#if defined(PETSC_HAVE_CUDA)
  PetscDeviceContext context_ = nullptr;
#endif
};

// For -log_view.
inline void log_copy([[maybe_unused]] std::int64_t bytes, [[maybe_unused]] bool to_gpu) {
#if defined(PETSC_HAVE_DEVICE)
  const auto size = static_cast<PetscLogDouble>(bytes);
  QUADRILLE_PETSC(to_gpu ? PetscLogCpuToGpu(size) : PetscLogGpuToCpu(size));
#endif
}

}  // namespace quadrille::petsc
