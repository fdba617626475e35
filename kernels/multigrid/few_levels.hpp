// Levels of which few rows are all (formats/few_rows.hpp), made on the host: that needs no GPU, whose kernels
// take longer to load, and to be waited for, than these rows take. Internal to kernels/multigrid.
#pragma once

#include <optional>

#include "kernels/multigrid/box_stored.hpp"
#include "kernels/multigrid/coarsening.hpp"
#include "kernels/multigrid/level_rows.hpp"
#include "kernels/multigrid/look_at_coarse.hpp"
#include "kernels/multigrid/on_host.hpp"

namespace quadrille::multigrid {

struct FewLevel {
  FewRows of;           // its operator
  Couplings couplings;  // as `of` has them
  // Of the next coarser one.
  GridChoice choice;
  std::shared_ptr<const CoarseGrid<Host>> grid;
};

// The level of `few`, which is the next coarser one's operator then; nothing, and `few` as it is, where no
// coarser one is made, or by weights of all rows.
std::optional<FewLevel> next_few_level(FewRows& few, const GridMultigridOptions& options, Symmetry& symmetry,
                                       Stability& stability, KeptGrids<Host>& kept);
// Its rows, as `of` has them, without lines.
template <class T>
LevelRows<T, Host> rows_of_few(const FewLevel& level, const GridMultigridOptions& options, bool finest,
                               const Symmetry& symmetry);

// |1 + sum of a row's couplings, each times exp(i angles . offset)|, the largest over a few angles along each
// axis: what D^-1 A makes of waves where the coefficients of the row are those of all. With the same
// couplings on both sides of a node along each axis it is largest for waves of which a half or nothing fits
// between two nodes. Of the row in the middle, over quarters of a turn from node to node; and the largest of
// all rows, over halves, for the waves that are large at faces are of that kind. Of one unknown a node.
struct LargestSymbols {
  double middle, all;
};
template <class T>
LargestSymbols largest_symbols(const Couplings& s, const LevelRows<T, Host>& rows);

// The largest eigenvalue of D^-1 A that a smoother takes from them. Waves in the middle there are; those at
// faces are damped by what is beside them, and sweeps hold them up to 1.2 times what they are made for.
double largest_eigenvalue(const LargestSymbols& symbols, double bound, bool far_from_symmetric);

// Whether the constants are in its null space.
bool is_singular(const FewRows& few);

// The same with as many rows near faces as coarse operators ask for that are made stable (stored_nodes.hpp);
// nothing where these would be all.
std::optional<FewRows> enough_rows(FewRows few, Stability& stability);

}  // namespace quadrille::multigrid
