#include "kernels/multigrid/on_device.cuh"
#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_FEW_ROWS(extern, float, OnDevice)
QUADRILLE_ROWS(, float, OnDevice, Device)

void OnDevice::load_rows() {
  load(device::each_kernel<ScaleRows<float>>);
}

}  // namespace quadrille::multigrid
