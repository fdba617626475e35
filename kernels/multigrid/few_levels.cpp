#include "kernels/multigrid/few_levels.hpp"

#include <cmath>
#include <vector>

#include "kernels/multigrid/parts.hpp"

namespace quadrille::multigrid {

QUADRILLE_SETUP(extern, OnHost, Host)

template <class T>
LargestSymbols largest_symbols(const Couplings& s, const LevelRows<T, Host>& rows) {
  constexpr int angles = 4;  // quarters of a turn: cosines and sines are 0, 1 and -1
  const std::int64_t count = s.stored_rows, middle = s.place(s.index({s.n[0] / 2, s.n[1] / 2, s.n[2] / 2}));
  std::vector<T> sums(static_cast<std::size_t>(count));
  T of_middle = 0, of_all = 0;  // squares
  const auto column = [&](int d) { return rows.scaled.data() + d * count; };
  const auto along = [&](int axis) { return s.n[axis] > 1 ? angles : 1; };
  // A wave that goes the other way is as large: z needs no more than half a turn.
  for (int z = 0; z < std::min(along(2), angles / 2 + 1); ++z)
    for (int y = 0; y < along(1); ++y)
      for (int x = 0; x < along(0); ++x) {
        const auto turn = [&](int d) {
          return (s.offset[d][0] * x + s.offset[d][1] * y + s.offset[d][2] * z) & (angles - 1);
        };
        T parts[2] = {1, 0};  // real, imaginary
        for (int d = 0; d < s.count; ++d) parts[turn(d) % 2] += (turn(d) < 2 ? 1 : -1) * column(d)[middle];
        of_middle = std::max(of_middle, parts[0] * parts[0] + parts[1] * parts[1]);
        if (x % 2 != 0 || y % 2 != 0 || z % 2 != 0) continue;
        std::fill(sums.begin(), sums.end(), T(1));
        for (int d = 0; d < s.count; ++d)
          for (std::int64_t i = 0; i < count; ++i) sums[i] += (turn(d) < 2 ? 1 : -1) * column(d)[i];
        for (const T sum : sums) of_all = std::max(of_all, sum * sum);
      }
  return {std::sqrt(static_cast<double>(of_middle)),
          std::sqrt(static_cast<double>(std::max(of_all, of_middle)))};
}
template LargestSymbols largest_symbols(const Couplings&, const LevelRows<float, Host>&);
template LargestSymbols largest_symbols(const Couplings&, const LevelRows<double, Host>&);

double largest_eigenvalue(const LargestSymbols& symbols, double bound, bool far_from_symmetric) {
  constexpr double of_middle = 1.07, of_all = 0.92;
  return held(std::max(of_middle * symbols.middle, of_all * symbols.all), bound, far_from_symmetric);
}

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
  if (options.by_symbols && s.dof == 1)
    rows.largest = comes_near_bound(s, rows.bound)
                       ? rows.bound
                       : largest_eigenvalue(largest_symbols(s, rows), rows.bound, symmetry.is_far());
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
