#include "kernels/multigrid/multigrid.hpp"

#include "kernels/multigrid/levels.hpp"
#include "kernels/multigrid/on_device.cuh"

namespace quadrille {

std::unique_ptr<GridMultigrid> make_grid_multigrid(const BlockDiagonals<double, Device>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous) {
  return multigrid::levels_of<multigrid::OnDevice>(a, options, std::move(previous));
}

std::unique_ptr<GridMultigrid> make_grid_multigrid(const SharedOperator<Device>& a,
                                                   const GridMultigridOptions& options,
                                                   std::unique_ptr<GridMultigrid> previous) {
  return multigrid::levels_of<multigrid::OnDevice>(a, options, std::move(previous));
}

}  // namespace quadrille
