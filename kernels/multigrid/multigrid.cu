#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille {

std::unique_ptr<GridMultigrid> make_grid_multigrid(const BlockDiagonals<double, Device>& a,
                                                   const GridMultigridOptions& options) {
  if (options.precision == CyclePrecision::fp32)
    return std::make_unique<multigrid::Levels<float, multigrid::OnDevice>>(a, options);
  return std::make_unique<multigrid::Levels<double, multigrid::OnDevice>>(a, options);
}

}  // namespace quadrille
