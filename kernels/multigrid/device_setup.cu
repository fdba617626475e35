#include "kernels/multigrid/on_device.cuh"
#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_SETUP(, OnDevice, Device)

void OnDevice::load_setup() {
  load(device::each_kernel<OperatorWeights>);
}

}  // namespace quadrille::multigrid
