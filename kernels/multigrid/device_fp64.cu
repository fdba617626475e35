#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

// Of other files (parts.hpp).
QUADRILLE_SETUP(extern, OnDevice, Device)
QUADRILLE_ROWS(extern, double, OnDevice, Device)
QUADRILLE_IN_PLACE(extern, double, OnDevice, Device)

QUADRILLE_FEW_ROWS(, double, OnDevice)
QUADRILLE_INSTANTIATE_LEVELS(double, OnDevice, Device)

}  // namespace quadrille::multigrid
