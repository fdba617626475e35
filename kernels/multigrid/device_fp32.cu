#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

template <>
void load_kernels<float>(int gpu) {
  cudaFuncAttributes any{};
  if (cudaSetDevice(gpu) == cudaSuccess)
    (void)cudaFuncGetAttributes(&any, device::each_kernel<FirstSweep<float>>);
  (void)cudaGetLastError();  // who launches them says what is wrong
}

QUADRILLE_INSTANTIATE_LEVELS(float, OnDevice, Device)

}  // namespace quadrille::multigrid
