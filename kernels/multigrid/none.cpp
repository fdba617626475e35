#include "kernels/multigrid/multigrid.hpp"

namespace quadrille {

std::unique_ptr<GridMultigrid> make_grid_multigrid(const BlockDiagonals<double, Device>&,
                                                   const GridMultigridOptions&,
                                                   std::unique_ptr<GridMultigrid>) {
  throw CudaError("this build has no CUDA, and the operator is in GPU memory");
}

std::unique_ptr<GridMultigrid> make_grid_multigrid(const SharedOperator<Device>&, const GridMultigridOptions&,
                                                   std::unique_ptr<GridMultigrid>) {
  throw CudaError("this Quadrille was built without CUDA");
}

}  // namespace quadrille
