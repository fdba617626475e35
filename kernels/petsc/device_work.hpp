// What products in GPU memory need beside the arrays of their vectors. Internal to kernels/petsc.
#pragma once

#include <petscdevice.h>
#include <petscvec.h>

#include <algorithm>

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

#if defined(PETSC_HAVE_CUDA)
// The other way round: PETSc's own work on the GPU between products on the default stream.
template <class Work>
void run_between_products(const Work& work) {
  PetscDeviceContext context = nullptr;
  PetscStreamType type = PETSC_STREAM_DEFAULT;
  QUADRILLE_PETSC(PetscDeviceContextGetCurrentContext(&context));
  QUADRILLE_PETSC(PetscDeviceContextGetStreamType(context, &type));
  if (type != PETSC_STREAM_DEFAULT) cuda::synchronize();
  QUADRILLE_PETSC(work());
  if (type != PETSC_STREAM_DEFAULT) QUADRILLE_PETSC(PetscDeviceContextSynchronize(context));
}
#endif

// What runs while this lives is GPU time in -log_view. Not one within another, nor around calls of PETSc, which have their own.
class GpuTime {
 public:
  explicit GpuTime([[maybe_unused]] bool on_gpu) {
#if defined(PETSC_HAVE_CUDA)
    if (on_gpu) QUADRILLE_PETSC(PetscLogGpuTimeBegin());
    on_gpu_ = on_gpu;
#endif
  }
  ~GpuTime() {
#if defined(PETSC_HAVE_CUDA)
    if (on_gpu_) (void)PetscLogGpuTimeEnd();
#endif
  }
  GpuTime(const GpuTime&) = delete;
  GpuTime& operator=(const GpuTime&) = delete;

 private:
#if defined(PETSC_HAVE_CUDA)
  bool on_gpu_ = false;
#endif
};

// For -log_view, whose counts are the ones of PETSc's own matrices.
inline void log_flops(std::int64_t flops, [[maybe_unused]] bool on_gpu) {
#if defined(PETSC_HAVE_DEVICE)
  if (on_gpu) {
    QUADRILLE_PETSC(PetscLogGpuFlops(static_cast<PetscLogDouble>(flops)));
    return;
  }
#endif
  QUADRILLE_PETSC(PetscLogFlops(static_cast<PetscLogDouble>(flops)));
}

// A product with so many numbers, or -1. As many `sums` begin with a product instead of adding it.
inline void log_product(std::int64_t entries, std::int64_t sums, bool on_gpu) {
  if (entries >= 0) log_flops(std::max<std::int64_t>(0, 2 * entries - sums), on_gpu);
}

// For -log_view.
inline void log_copy([[maybe_unused]] std::int64_t bytes, [[maybe_unused]] bool to_gpu) {
#if defined(PETSC_HAVE_DEVICE)
  const auto size = static_cast<PetscLogDouble>(bytes);
  QUADRILLE_PETSC(to_gpu ? PetscLogCpuToGpu(size) : PetscLogGpuToCpu(size));
#endif
}

}  // namespace quadrille::petsc
