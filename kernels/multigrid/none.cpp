#include "kernels/multigrid/in_precision.hpp"

namespace quadrille::multigrid {

template <class T, class Machine, class Operator>
std::unique_ptr<GridMultigrid> levels_in(const Operator&, const GridMultigridOptions&,
                                         std::unique_ptr<GridMultigrid>) {
  throw CudaError("this build has no CUDA, and the operator is in GPU memory");
}

template <>
void load_kernels<float>(int) {}

QUADRILLE_INSTANTIATE_LEVELS(float, OnDevice, Device)
QUADRILLE_INSTANTIATE_LEVELS(double, OnDevice, Device)

}  // namespace quadrille::multigrid
