#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

// Of other files (parts.hpp).
QUADRILLE_SETUP(extern, OnDevice, Device)
QUADRILLE_ROWS(extern, float, OnDevice, Device)
QUADRILLE_IN_PLACE(extern, float, OnDevice, Device)

void load_kernels_in_fp32(int gpu, bool few_rows) {
  cudaFuncAttributes any{};
  void* little = nullptr;
  if (cudaSetDevice(gpu) == cudaSuccess) {
    (void)cudaFuncGetAttributes(&any, device::each_kernel<FirstSweep<float>>);
    OnDevice::load_coarsest();
    if (!few_rows) {
      OnDevice::load_setup();
      OnDevice::load_rows();
    }
    // Of a program the first of these calls, by which PETSc frees vectors, takes 10 ms.
    if (cudaMalloc(&little, 1) == cudaSuccess) (void)cudaFreeAsync(little, nullptr);
  }
  (void)cudaGetLastError();  // who launches them says what is wrong
}

QUADRILLE_FEW_ROWS(, float, OnDevice)
QUADRILLE_INSTANTIATE_LEVELS(float, OnDevice, Device)

}  // namespace quadrille::multigrid
