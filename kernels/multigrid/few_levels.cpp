#include "kernels/multigrid/few_levels.hpp"

#include <algorithm>

#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_SETUP(extern, OnHost, Host)

std::optional<FewLevel> next_few_level(FewRows& few, const GridMultigridOptions& options, Symmetry& symmetry,
                                       Stability& stability, KeptGrids<Host>& kept) {
  OnHost host;
  const Coarsening<Host> next = choose_coarsening(host, few.a, options.semi_coarsening, options.interpolation,
                                                  nullptr, few.stored, &kept);
  if (!next.there || next.by_operator) return {};
  const Couplings s = couplings_of(few.a, nullptr, few.stored);
  FewRows coarse;
  coarse.stored = stored_nodes_of_coarse(s, next);
  coarse.a =
      galerkin(host, few.a, next.nodes(s), nullptr, few.stored, coarse.stored, options.coarse_operators);
  look_at_coarse(host, coarse.a, coarse.stored, symmetry, stability);
  std::swap(few, coarse);
  return FewLevel{std::move(coarse), s, next.choice, next.grid};
}

template <class T>
LevelRows<T, Host> rows_of_few(const FewLevel& level, const GridMultigridOptions& options, bool finest,
                               const Symmetry& symmetry) {
  OnHost host;
  const Couplings& s = level.couplings;
  LevelRows<T, Host> rows =
      level_rows<T>(host, s, level.of.a.values.data(), finest, !works_in_place(options.smoother));
  if (works_in_place(options.smoother) || !options.by_symbols) return rows;
  rows.largest = rows.bound;
  if (comes_near_bound(s, rows.bound)) return rows;
  queue_symbols<T>(host, s, rows);
  double largest = 0;
  for (const auto& each : host.queued()) largest = std::max(largest, each[0]);
  if (largest > 0) rows.largest = held(largest, rows.bound, symmetry.is_far());
  return rows;
}
template LevelRows<float, Host> rows_of_few<float>(const FewLevel&, const GridMultigridOptions&, bool,
                                                   const Symmetry&);
template LevelRows<double, Host> rows_of_few<double>(const FewLevel&, const GridMultigridOptions&, bool,
                                                     const Symmetry&);

bool is_singular(const FewRows& few) {
  OnHost host;
  return is_singular(host, couplings_of(few.a, nullptr, few.stored), few.a.values.data());
}

std::optional<FewRows> enough_rows(FewRows few, Stability& stability) {
  OnHost host;
  const Couplings s = couplings_of(few.a, nullptr, few.stored);
  if (!stability.is_advective(host, s, few.a.values.data(), few.stored)) return few;
  const BoxStored more = stored_in_words(few, LineWords::none, StoredNodes::of_advection);
  if (more.stored.all) return {};
  few.a.values = take_stored(few.a.values, few, more);
  few.stored = more.stored;
  return few;
}

}  // namespace quadrille::multigrid
