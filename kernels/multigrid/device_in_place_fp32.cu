#include "kernels/multigrid/on_device.cuh"
#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_IN_PLACE(, float, OnDevice, Device)

}  // namespace quadrille::multigrid
