#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

template <>
void load_kernels<float>(int gpu) {
  cudaFuncAttributes any{};
  void* little = nullptr;
  if (cudaSetDevice(gpu) == cudaSuccess) {
    (void)cudaFuncGetAttributes(&any, device::each_kernel<FirstSweep<float>>);
    // Of a program the first of these calls, by which PETSc frees vectors, takes 10 ms.
    if (cudaMalloc(&little, 1) == cudaSuccess) (void)cudaFreeAsync(little, nullptr);
  }
  (void)cudaGetLastError();  // who launches them says what is wrong
}

QUADRILLE_INSTANTIATE_LEVELS(float, OnDevice, Device)

}  // namespace quadrille::multigrid
