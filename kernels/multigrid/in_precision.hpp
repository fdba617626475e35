// Multigrid whose cycle is in T, on one of the machines. Each pair is compiled in a file of its own: a GPU
// takes milliseconds to load the kernels of a file, used or not.
#pragma once

#include <memory>

#include "kernels/multigrid/multigrid.hpp"

namespace quadrille::multigrid {

struct OnHost;
class OnDevice;

// Defined in levels.hpp. Operator: BlockDiagonals or SharedOperator, in the machine's memory, or FewRows.
template <class T, class Machine, class Operator>
std::unique_ptr<GridMultigrid> levels_in(const Operator& a, const GridMultigridOptions& options,
                                         std::unique_ptr<GridMultigrid> previous);

// Has the GPU of this number load the kernels of cycles in fp32. Of operators of one unknown whose rows are
// few not all are needed.
void load_kernels_in_fp32(int gpu, bool few_rows);

#define QUADRILLE_INSTANTIATE_LEVELS(T, Machine, Space)                                                      \
  template std::unique_ptr<GridMultigrid> levels_in<T, Machine>(                                             \
      const BlockDiagonals<double, Space>&, const GridMultigridOptions&, std::unique_ptr<GridMultigrid>);    \
  template std::unique_ptr<GridMultigrid> levels_in<T, Machine>(                                             \
      const SharedOperator<Space>&, const GridMultigridOptions&, std::unique_ptr<GridMultigrid>);            \
  template std::unique_ptr<GridMultigrid> levels_in<T, Machine>(const FewRows&, const GridMultigridOptions&, \
                                                                std::unique_ptr<GridMultigrid>);

}  // namespace quadrille::multigrid
