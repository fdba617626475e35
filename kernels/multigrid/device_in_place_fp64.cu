#include "kernels/multigrid/on_device.cuh"
#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_IN_PLACE(, double, OnDevice, Device)

}  // namespace quadrille::multigrid
