// What is compiled in another way for GPUs before Hopper than for it: with PTX of compute_80, which a build
// for one architecture leaves out.
#include "kernels/multigrid/small_levels.cuh"

namespace quadrille::multigrid::device {

template __global__ void small_levels_kernel(const __grid_constant__ SmallLevels<float>);

}  // namespace quadrille::multigrid::device
