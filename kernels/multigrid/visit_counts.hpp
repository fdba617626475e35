// What a cycle, and one visit of a level in it, move and compute. Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/cycle.hpp"

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
  // With rows in bf16 or by kind D^-1, too; but not in the residual by kind, which has D instead.
  const std::int64_t of_rows = level.scaled.size() + level.entries.columns.size() +
                               (level.rounded.size() > 0 ? level.rounded.size() / 2 + rows : 0) +
                               level.of_kind.size() + (keeps_blocks(level) ? level.inverse.size() : 0);
  const std::int64_t not_in_residual = keeps_blocks(level) ? level.inverse.size() : 0;
  return passes * of_rows - not_in_residual + diagonals + vectors * rows + transfer;
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
    return level.couplings.unknowns() * (4 * sweeps * (count + dof) + 2 * dof + 8 * sweeps + 32);
  if (level.entries.there()) {
    const std::int64_t entries = level.entries.table.first[dof];
    return level.couplings.unknowns() / dof * (4 * sweeps * (entries + dof * dof) + 2 * entries) +
           level.couplings.unknowns() * (8 * sweeps + 32);
  }
  return level.couplings.unknowns() * (4 * blocks * dof + 8 * sweeps + 32);
}

// What a cycle moves and computes, and what its levels store.
template <class T, class Machine>
void count_cycle(const Cycle<T, Machine>& cycle, GridMultigridInfo& info) {
  constexpr std::int64_t value = sizeof(T);
  const auto& levels = cycle.levels;
  std::int64_t from_zero = 1, again = 0;  // visits of a level in a cycle
  const bool full = cycle.kind == CycleKind::f;
  if (full) std::swap(from_zero, again);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& level = levels[i];
    const std::int64_t rows = level.couplings.rows;
    info.stored_bytes += level.scaled.bytes() + level.of_kind.bytes() + level.rounded.bytes() +
                         level.entries.columns.bytes() + level.diagonal.bytes() + level.inverse.bytes() +
                         level.transfer.weights.bytes() + 4 * level.x.bytes();
    for (const auto& line : level.in_place.lines)
      info.stored_bytes += line.pivots.bytes() + line.split.inverse.bytes() + line.split.moves.bytes();
    if (i + 1 == levels.size()) {
      const std::int64_t visits = from_zero + (full ? 1 : 0);
      info.cycle_flops += visits * cycle.coarsest.flops();
      info.cycle_bytes += visits * (cycle.coarsest.bytes() + 2 * rows * value);
      break;
    }
    const std::int64_t coarse = levels[i + 1].couplings.rows;
    const bool joined = i == 0 && cycle.joined.are;  // b twice and x once in fp64
    const std::int64_t of_rows = cycle.joined.star.vary ? 2 * cycle.joined.star_bytes() : 0;
    info.cycle_bytes += joined ? 2 * value * (rows + coarse) + 3 * rows * 8 + of_rows
                               : value * (from_zero * numbers_of_visit(level, coarse, true) +
                                          again * numbers_of_visit(level, coarse, false));
    info.cycle_flops += (from_zero + again) * flops_of_visit(level);
    // D^-1 b (counted with a visit from zero) and D times it, restricted; zeros, and the interpolation to
    // them.
    if (full)
      info.cycle_bytes += value * (3 * level.diagonal.size() + (i > 0 ? 3 : 1) * rows + 6 * rows +
                                   2 * coarse + 2 * level.transfer.weights.size());
    if (i == 0 && !joined) info.cycle_bytes += 2 * rows * (8 - value);  // b is read and x written in fp64
    if (i == 0 && level.in_place.there()) info.cycle_bytes += 2 * rows * value;  // in a step of its own
    from_zero += again;
    again = full ? 1 : cycle.kind == CycleKind::w && i + 2 < levels.size() ? from_zero : 0;
  }
  info.stored_bytes += cycle.coarsest.bytes() + cycle.joined.star_bytes();
}

}  // namespace quadrille::multigrid
