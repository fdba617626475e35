// What one visit of a level moves and computes. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/level.hpp"

namespace quadrille::multigrid {

// The numbers of T that the sweeps of a smoother in place read and write, before and after the coarser grids:
// each array of a step once, of x what the other colours have.
template <class T, class Machine>
std::int64_t numbers_in_place(const Level<T, Machine>& level) {
  const std::int64_t rows = level.couplings.rows, scaled = level.scaled.size();
  std::int64_t numbers = 0;
  for (std::size_t k = 0; k < level.in_place.colours.size(); ++k) {
    const std::int64_t others = std::ssize(level.in_place.colours[k]) - 1;
    std::int64_t once = scaled + (others + 2) * rows;
    if (!level.in_place.lines.empty()) {
      const auto& line = level.in_place.lines[k];
      once += line.pivots.size();
      // The pivots forwards and backwards; y is written and read twice, and what leads on is read again.
      if (!Machine::solves_lines_in_a_step(level.couplings.dof))
        once += line.pivots.size() + 4 * rows + scaled / std::max(level.couplings.count, 1);
      if (line.split.there()) once *= 2;
    }
    numbers += once;
  }
  return 2 * level.in_place.sweeps * numbers;
}

// What one visit of a level reads and writes, each array of a step once, in numbers of T; `coarse` rows are
// on the next coarser level.
template <class T, class Machine>
std::int64_t numbers_of_visit(const Level<T, Machine>& level, std::int64_t coarse, bool from_zero) {
  const std::int64_t rows = level.couplings.rows, sweeps = static_cast<std::int64_t>(level.weights.size()),
                     transfer = 3 * rows + 2 * coarse + 2 * level.transfer.weights.size(),
                     diagonals = (from_zero ? 2 : 1) * level.diagonal.size();
  if (level.in_place.there())  // and the residual; D^-1 b and zeros
    return numbers_in_place(level) + level.scaled.size() + (from_zero ? 6 : 3) * rows + diagonals + transfer;
  // From zero the first two sweeps are one pass over the couplings, and a single one is none.
  const std::int64_t joined = from_zero ? 1 : 0, passes = 2 * sweeps + 1 - joined;
  const std::int64_t vectors = 3 * passes + (from_zero ? (sweeps > 1 ? -1 : 2) + 2 : 0);  // and D^-1 b
  // With rows in bf16 or by kind D^-1, too.
  const std::int64_t of_rows = level.scaled.size() +
                               (level.rounded.size() > 0 ? level.rounded.size() / 2 + rows : 0) +
                               (level.of_kind.size() > 0 ? level.of_kind.size() + level.inverse.size() : 0);
  return passes * of_rows + diagonals + vectors * rows + transfer;
}

template <class T, class Machine>
std::int64_t flops_of_visit(const Level<T, Machine>& level) {
  const std::int64_t dof = level.couplings.dof, count = level.couplings.count;
  if (level.in_place.there()) {
    // Of lines, by their pivots twice and by what leads on once more.
    std::int64_t blocks = level.in_place.lines.empty() ? std::ssize(level.in_place.colours) * count : 0;
    for (const auto& line : level.in_place.lines) blocks += (line.split.there() ? 2 : 1) * (count + 3);
    return level.couplings.unknowns() *
           (4 * level.in_place.sweeps * blocks * dof + 2 * (count + 1) * dof + 32);
  }
  const std::int64_t sweeps = static_cast<std::int64_t>(level.weights.size()), blocks = sweeps * count + 1;
  if (level.of_kind.size() > 0)
    return level.couplings.unknowns() * (4 * sweeps * (count + dof) + 4 * dof + 8 * sweeps + 32);
  return level.couplings.unknowns() * (4 * blocks * dof + 8 * sweeps + 32);
}

}  // namespace quadrille::multigrid
