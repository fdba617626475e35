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

// Whether the constants are in its null space.
bool is_singular(const FewRows& few);

// The same with as many rows near faces as coarse operators ask for that are made stable (stored_nodes.hpp);
// nothing where these would be all.
std::optional<FewRows> enough_rows(FewRows few, Stability& stability);

}  // namespace quadrille::multigrid
