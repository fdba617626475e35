// What is seen to when P^T A P has made a coarse operator. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/advection.hpp"
#include "kernels/multigrid/symmetry.hpp"

namespace quadrille::multigrid {

// How far from symmetric it is, and that it is stable. Of one that this rank has all of, in these rows.
template <class Machine>
void look_at_coarse(Machine& machine, BlockDiagonals<double, typename Machine::Space>& a,
                    const StoredNodes& stored, Symmetry& symmetry, Stability& stability) {
  symmetry.look(machine, a, stored);
  stability.keep(machine, a, stored);
}
// Of one that ranks share.
template <class Machine>
void look_at_coarse(Machine& machine, BlockDiagonals<double, typename Machine::Space>& a,
                    const SharedLevel& level, Symmetry& symmetry, Stability& stability) {
  symmetry.look(machine, a, level);
  stability.keep(machine, a, level);
}

}  // namespace quadrille::multigrid
