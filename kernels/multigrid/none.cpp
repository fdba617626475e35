#include "kernels/multigrid/in_precision.hpp"

namespace quadrille::multigrid {

#define QUADRILLE_REFUSE(T, Operator)                                                                 \
  template <>                                                                                         \
  std::unique_ptr<GridMultigrid> levels_in<T, OnDevice>(const Operator&, const GridMultigridOptions&, \
                                                        std::unique_ptr<GridMultigrid>) {             \
    throw CudaError("this build has no CUDA, and the operator is in GPU memory");                     \
  }
using Whole = BlockDiagonals<double, Device>;
QUADRILLE_REFUSE(float, Whole)
QUADRILLE_REFUSE(double, Whole)
QUADRILLE_REFUSE(float, SharedOperator<Device>)
QUADRILLE_REFUSE(double, SharedOperator<Device>)
QUADRILLE_REFUSE(float, FewRows)
QUADRILLE_REFUSE(double, FewRows)
#undef QUADRILLE_REFUSE

void load_kernels_in_fp32(int, bool) {}

}  // namespace quadrille::multigrid
