// What products in GPU memory need beside the arrays of their vectors. Internal to kernels/petsc.
#pragma once

#include <petscdevice.h>
#include <petscvec.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"

namespace quadrille::petsc {

// The queue of PETSc's own work in GPU memory.
inline Queue current_queue() {
#if defined(PETSC_HAVE_CUDA)
  PetscDeviceContext context = nullptr;
  PetscDeviceType type = PETSC_DEVICE_HOST;
  QUADRILLE_PETSC(PetscDeviceContextGetCurrentContext(&context));
  QUADRILLE_PETSC(PetscDeviceContextGetDeviceType(context, &type));
  if (type != PETSC_DEVICE_CUDA) return {};
  void* stream = nullptr;  // PETSc gives the place of its cudaStream_t
  QUADRILLE_PETSC(PetscDeviceContextGetStreamHandle(context, &stream));
  return {*static_cast<void**>(stream)};
#else
  return {};
#endif
}

// While this lives, work in the default queue (copies between host and GPU memory, too) waits for PETSc's
// work before it, and PETSc's work after it for that. Nothing waits on the host.
class DefaultQueue {
 public:
  explicit DefaultQueue(bool on_gpu) : on_gpu_(on_gpu) {
    if (!on_gpu_) return;
    petsc_ = current_queue();
    cuda::wait_for(petsc_, {});
  }
  ~DefaultQueue() noexcept(false) {
    if (on_gpu_ && std::uncaught_exceptions() == exceptions_) cuda::wait_for({}, petsc_);
  }
  DefaultQueue(const DefaultQueue&) = delete;
  DefaultQueue& operator=(const DefaultQueue&) = delete;

 private:
  bool on_gpu_;
  int exceptions_ = std::uncaught_exceptions();
  Queue petsc_;
};

// VecSet() without PETSc's own kernel: to load its file of them takes a GPU 5 ms.
inline void fill(Vec vector, PetscScalar value) {
  const WriteArray to(vector, SpaceKind::cuda);
  PetscInt size = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector, &size));
  if (to.space() == SpaceKind::cuda)
    cuda::fill_memory(current_queue(), to.data(), size, value);
  else
    std::fill_n(to.data(), size, value);
}

// The same of each unknown of all nodes.
inline void fill(Vec vector, std::span<const double> of_unknowns) {
  const WriteArray to(vector, SpaceKind::cuda);
  PetscInt size = 0;
  QUADRILLE_PETSC(VecGetLocalSize(vector, &size));
  const std::int64_t dof = std::ssize(of_unknowns);
  if (to.space() == SpaceKind::cuda)
    for (std::int64_t r = 0; r < dof; ++r)
      cuda::fill_memory(current_queue(), to.data() + r, size / dof, of_unknowns[r], dof);
  else
    for (std::int64_t i = 0; i < size; ++i) to.data()[i] = of_unknowns[i % dof];
}

// What runs while this lives is GPU time in -log_view. Not one within another, nor around calls of PETSc,
// which have their own.
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
