// What P^T A P takes of each axis: which fine nodes read a coarse one, and what of the coarse grid those read
// that they couple with. Internal to kernels/multigrid.
#pragma once

#include <cstdint>
#include <vector>

#include "grid/axis_interpolation.hpp"
#include "kernels/multigrid/coarsening_steps.hpp"

namespace quadrille::multigrid {

// The tables of coarsening_steps.hpp (Nodes).
struct GalerkinAxis {
  std::vector<std::int32_t> fine;
  std::vector<double> shares;
  std::vector<std::int8_t> corner;
};

inline GalerkinAxis galerkin_axis(const AxisInterpolation& axis, bool wraps) {
  const std::int64_t n = axis.coarse;
  GalerkinAxis result{std::vector<std::int32_t>(3 * n, 0), std::vector<double>(27 * n, 0.0),
                      std::vector<std::int8_t>(27 * n, std::int8_t{-1})};
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int32_t k = 0; k < axis.first[c + 1] - axis.first[c]; ++k) {
      const std::int64_t reader = axis.reader[axis.first[c] + k];
      result.fine[k * n + c] = static_cast<std::int32_t>(reader);
      for (std::int64_t offset = -1; offset <= 1; ++offset) {
        std::int64_t to = reader + offset;
        if (wraps) to = (to + axis.fine) % axis.fine;
        for (int which = 0; which < 2 && to >= 0 && to < axis.fine; ++which) {
          std::int64_t step = axis.node[2 * to + which] - c;
          if (wraps && step > 1) step -= n;
          if (wraps && step < -1) step += n;
          if (step < -1 || step > 1) continue;
          const std::int64_t place = (9 * k + 3 * (offset + 1) + (n == 1 ? 1 : step + 1)) * n + c;
          result.shares[place] += axis.reader_weight[axis.first[c] + k] * axis.weight[2 * to + which];
          if (axis.weight[2 * to + which] != 0) result.corner[place] = static_cast<std::int8_t>(which);
        }
      }
    }
  return result;
}

// The weights of HalvedAxis, or none, if coarse node j is not fine node 2 j + first, or fine nodes read
// others than those beside them.
inline std::vector<double> halved_weights(const AxisInterpolation& axis, bool wraps, int first) {
  std::vector<double> weights(4 * axis.coarse, 0.0);
  std::int64_t alike = 0;  // coarse nodes that are fine ones
  for (std::int64_t i = 0; i < 2 * axis.fine; ++i) {
    const double weight = axis.weight[i];
    const std::int64_t coarse = axis.node[i], step = i / 2 - (2 * coarse + first), beyond = coarse + step;
    if (weight == 0) continue;
    if (step < -1 || step > 1 || (step == 0 && weight != 1)) return {};
    if (step == 0) {
      ++alike;
      continue;
    }
    weights[4 * coarse + (step < 0 ? 0 : 2)] += weight;
    if (beyond >= 0 && beyond < axis.coarse) weights[4 * beyond + (step < 0 ? 3 : 1)] += weight;
  }
  return alike == axis.coarse && !wraps ? weights : std::vector<double>{};
}

// Those between the irregular ones at the ends of the axis.
inline RegularNodes regular_nodes(const GalerkinAxis& tables, const AxisInterpolation& axis, bool halved) {
  const int n = static_cast<int>(axis.coarse), middle = n / 2, readers = halved ? 3 : 1;
  RegularNodes nodes{middle, middle, 0, halved};
  if (n == 0) return nodes;
  nodes.shift = tables.fine[(readers / 2) * n + middle] - (halved ? 2 : 1) * middle;
  const auto is_regular = [&](int c) {
    const int first = (halved ? 2 * c - 1 : c) + nodes.shift;
    if (axis.first[c + 1] - axis.first[c] != readers) return false;
    if ((n > 1 || halved) && (first < 1 || first + readers >= axis.fine)) return false;
    for (int k = 0; k < readers; ++k) {
      if (tables.fine[k * n + c] != first + k || (axis.node[2 * (first + k)] != c) != (halved && k == 0))
        return false;
      for (int i = 0; i < 9 && n > 1; ++i)
        if (tables.corner[(9 * k + i) * n + c] != regular_corner(halved, k, i / 3, i % 3)) return false;
    }
    return true;
  };
  while (nodes.first > 0 && is_regular(nodes.first - 1)) --nodes.first;
  while (nodes.end < n && is_regular(nodes.end)) ++nodes.end;
  return nodes;
}

}  // namespace quadrille::multigrid
