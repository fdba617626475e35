#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

// Of other files (parts.hpp).
QUADRILLE_SETUP(extern, OnDevice, Device)
QUADRILLE_ROWS(extern, float, OnDevice, Device)
QUADRILLE_IN_PLACE(extern, float, OnDevice, Device)

void load_kernels_in_fp32(int gpu, bool few_rows) {
  if (cudaSetDevice(gpu) == cudaSuccess) {
    OnDevice::load_steps();
    OnDevice::load_coarsest();
    if (!few_rows) {
      OnDevice::load_setup();
      OnDevice::load_rows();
    }
  }
  (void)cudaGetLastError();  // who launches them says what is wrong
}

// And one by one those that nearly every solve launches, for which it would wait.
void OnDevice::load_steps() {
  using namespace device;
  load(small_levels_kernel<float>);
  load(before_kernel<float, ConstantStar<float, 2>>);
  load(after_kernel<float, ConstantStar<float, 1>>);
}

QUADRILLE_FEW_ROWS(, float, OnDevice)
QUADRILLE_INSTANTIATE_LEVELS(float, OnDevice, Device)

}  // namespace quadrille::multigrid
