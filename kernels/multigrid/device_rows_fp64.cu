#include "kernels/multigrid/on_device.cuh"
#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_FEW_ROWS(extern, double, OnDevice)
QUADRILLE_ROWS(, double, OnDevice, Device)

}  // namespace quadrille::multigrid
