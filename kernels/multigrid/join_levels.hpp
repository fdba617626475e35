// Levels whose steps are made together where a GPU can: the finest one's in two passes over memory, and the
// small ones in one launch. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/multigrid/cycle.hpp"
#include "kernels/multigrid/look_at_coarse.hpp"
#include "kernels/multigrid/multigrid.hpp"

namespace quadrille::multigrid {

// The levels from cycle.small_from on are done in one launch where a GPU can.
template <class T, class Machine>
void put_small_together(Cycle<T, Machine>& cycle, const GridMultigridOptions& options) {
  if constexpr (Machine::on_gpu) {
    const auto is_small = [](const Level<T, Machine>& level) {
      return !level.shared && level.couplings.dof == 1 && level.weights.size() == 2 &&
             level.couplings.rows <= SmallLevels<T>::most_rows;
    };
    const std::size_t coarsest = cycle.levels.size() - 1;
    const std::int64_t rows = cycle.levels.back().couplings.rows;
    if (!options.small_together || options.cycle != CycleKind::v || coarsest == 0 ||
        rows > SmallLevels<T>::most_coarsest_rows || !Machine::template runs_small<T>())
      return;
    cycle.small_from = coarsest;
    while (cycle.small_from > 0 && coarsest - cycle.small_from < SmallLevels<T>::most &&
           is_small(cycle.levels[cycle.small_from - 1]))
      --cycle.small_from;
    cycle.small_from =
        std::max<std::size_t>(cycle.small_from, 1);  // the finest has its first and last step apart
    for (std::size_t i = cycle.small_from; i < coarsest; ++i) {
      Level<T, Machine>& l = cycle.levels[i];
      cycle.small.level[cycle.small.count++] = {
          l.couplings,  l.scaled.data(), l.diagonal.data(),   l.inverse.data(),
          l.b.data(),   l.g.data(),      l.x.data(),          l.y.data(),
          l.weights[0], l.weights[1],    l.transfer.tables(), cycle.restricts_to_g(i - 1)};
    }
    cycle.small.coarsest_rows = rows;
    cycle.small.inverse = cycle.coarsest.inverse.values.data();
    cycle.small.coarsest_b = cycle.levels.back().b.data();
    cycle.small.coarsest_x = cycle.levels.back().x.data();
  }
}

// Whether the steps of the finest level may be in two passes.
template <class T, class Machine>
bool may_join(const GridMultigridOptions& options, const Couplings& s,
              const LevelTransfer<T, typename Machine::Space>& transfer, bool vary) {
  if constexpr (Machine::on_gpu)
    return s.rows >= options.joined_from && options.cycle != CycleKind::f && options.sweeps == 2 &&
           !works_in_place(options.smoother) && can_be_joined(transfer.tables()) &&
           Machine::template joins<T>(vary);
  return false;
}

// The rows of that level for them, if they vary and can be stored so: the star is there then. What bounds
// the eigenvalues of D^-1 A by its rows.
template <class T, class Machine>
double pack_star(Cycle<T, Machine>& cycle, const Couplings& s, const double* values, Stability& stability,
                 Symmetry& symmetry) {
  if constexpr (Machine::on_gpu && std::is_same_v<T, float>) {
    using Space = typename Machine::Space;
    constexpr int word = rows_together<T>;
    if (s.dof != 1 || s.count != 6 || s.any_wraps || !s.whole_star || !s.stored.all || !s.in_words_of(word))
      return 0;
    auto& joined = cycle.joined;
    joined.inverse = Array<T, Space>(s.rows);
    joined.couplings = Array<Bf16, Space>(3 * s.rows);
    Bf16 *const xy = joined.couplings.data(), *const z = xy + 2 * s.rows;
    const double bound = cycle.machine.largest(PackStar{s, values, joined.inverse.data(), xy, z});
    if (bound >= PackStar::unfit) return 0;
    joined.star = {true, true, {}, s, joined.inverse.data(), xy, z};
    stability.take_as_symmetric();
    symmetry.take_as_symmetric();
    return bound;
  }
  return 0;
}

// The finest level has its steps in two passes where that may be.
template <class T, class Machine>
void join_steps(Cycle<T, Machine>& cycle, const GridMultigridOptions& options) {
  if constexpr (Machine::on_gpu) {
    const Level<T, Machine>& finest = cycle.levels.front();
    auto& joined = cycle.joined;
    const bool vary = joined.star.vary;
    joined.are = joined.star.there && cycle.levels.size() > 1 &&
                 may_join<T, Machine>(options, finest.couplings, finest.transfer, vary);
    if (!joined.are) return;
    joined.before = Machine::template tiles_before<T>(finest.couplings, vary);
    joined.after = Machine::template tiles_after<T>(finest.couplings, vary);
    joined.of_tiles = Array<double, typename Machine::Space>(joined.after.blocks);
  }
}

}  // namespace quadrille::multigrid
