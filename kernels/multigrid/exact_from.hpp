// From which level on a grid is solved exactly. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "formats/block_diagonals.hpp"
#include "kernels/multigrid/couplings.hpp"
#include "kernels/multigrid/multigrid.hpp"

namespace quadrille::multigrid {

// What couples unknowns of different nodes may be a body, and a slender one, a beam or a plate, bends, which
// a few nodes across do not show.
inline bool is_slender(const BlockStructure& a, std::array<std::int64_t, 3> n) {
  std::sort(n.begin(), n.end());
  constexpr int slender = 6;
  return a.dof > 1 && !a.fill.said() && (n[2] >= slender * n[1] || (n[0] > 1 && n[1] >= slender * n[0]));
}

template <class Machine>
struct ExactFrom {
  std::array<std::int64_t, 3> finest;  // nodes
  bool is_slender = false;
  bool is_hard = false;    // coefficients that jump, or weak axes and coefficients that vary
  bool is_wanted = false;  // where it is far from symmetric: interpolation follows it
  // Of options.saved_iterations, so many would make a larger grid the coarsest one.
  double iterations = std::numeric_limits<double>::infinity();

  // Whether a level with so many finer ones is the coarsest.
  bool begins_at(const GridSize& size, std::int64_t finer, const GridMultigridOptions& options,
                 bool far_from_symmetric) {
    if (options.levels > 0 && finer + 1 >= options.levels) return true;
    if (options.coarsest > 0) return size.rows() <= options.coarsest;
    if (size.rows() <= Machine::coarsest) return true;
    // Where coefficients vary and do not jump, coarse grids do as well as an exact solve most often.
    const bool exact = is_hard || (is_wanted && far_from_symmetric) || is_slender;
    if (exact && Machine::few_by_operator(size, finest, is_hard)) return true;
    if (!is_hard && (far_from_symmetric || is_slender)) return false;
    constexpr double in_doubt = 3;
    const double here = (is_hard ? 1 : in_doubt) * Machine::iterations_of_exact(size, finest);
    if (here <= options.saved_iterations) return true;
    iterations = std::min(iterations, here);
    return false;
  }
  // Once all levels have told.
  double iterations_to_save(bool far_from_symmetric) const {
    return is_hard || !far_from_symmetric ? iterations : std::numeric_limits<double>::infinity();
  }
};

}  // namespace quadrille::multigrid
