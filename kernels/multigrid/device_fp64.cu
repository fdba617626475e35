#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

QUADRILLE_INSTANTIATE_LEVELS(double, OnDevice, Device)

}  // namespace quadrille::multigrid
