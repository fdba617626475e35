// Interpolation that follows an operator, as multigrid makes it, between every other node along all axes.
#pragma once

#include "kernels/grid_transfer.hpp"
#include "kernels/multigrid/coarsening.hpp"
#include "kernels/multigrid/on_host.hpp"

namespace quadrille::multigrid_test {

inline std::unique_ptr<GridTransfer<double>> operator_transfer(const BlockDiagonals<double>& a,
                                                               SpaceKind space) {
  multigrid::OnHost machine;
  auto next = multigrid::coarsen(machine, a, false, LevelInterpolation::by_operator);
  return make_weighted_transfer(next.axes(), a.dof, std::move(next.weights), space);
}

}  // namespace quadrille::multigrid_test
