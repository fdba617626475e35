// Noise in space that a grid of any spacing finds the same: numbers of a seed at points of a lattice, smooth
// between them. Source: value noise with the quintic of Perlin, Improving noise, SIGGRAPH 2002.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "assembly/pde/counter_hash.hpp"
#include "grid/grid.hpp"

namespace quadrille {

class SmoothNoise {
 public:
  // Of cells about `width_m` wide, a whole number of them along each axis, the end of which meets its
  // beginning.
  SmoothNoise(const Grid& grid, std::uint64_t seed, double width_m)
      : dimension_(grid.dimension), seed_(seed) {
    for (int axis = 0; axis < dimension_; ++axis) {
      const auto nodes = static_cast<double>(grid.extents[axis]);
      // Of cells narrower than the spacing there is nothing between the nodes to be smooth.
      cells_[axis] = std::clamp(std::round(nodes * grid.spacing_m[axis] / width_m), 1.0, nodes);
      of_node_[axis] = cells_[axis] / nodes;
    }
  }

  // In (-1, 1).
  double at(const Position& p) const {
    const std::array<std::int64_t, 3> node{p.x, p.y, p.z};
    std::array<std::int64_t, 3> low{}, high{};
    std::array<double, 3> share{};
    for (int axis = 0; axis < dimension_; ++axis) {
      const double place = static_cast<double>(node[axis]) * of_node_[axis];
      const auto cells = static_cast<std::int64_t>(cells_[axis]);
      const double t = place - std::floor(place);
      low[axis] = static_cast<std::int64_t>(place) % cells;
      high[axis] = (low[axis] + 1) % cells;
      share[axis] = t * t * t * (t * (6 * t - 15) + 10);
    }
    double sum = 0;
    for (int corner = 0; corner < 1 << dimension_; ++corner) {
      double weight = 1;
      std::uint64_t point = 0;
      for (int axis = dimension_ - 1; axis >= 0; --axis) {
        const bool upper = (corner >> axis & 1) != 0;
        weight *= upper ? share[axis] : 1 - share[axis];
        point = point * static_cast<std::uint64_t>(cells_[axis]) +
                static_cast<std::uint64_t>(upper ? high[axis] : low[axis]);
      }
      if (weight > 0) sum += weight * signed_unit(counter_hash(seed_, point));
    }
    return sum;
  }

 private:
  int dimension_;
  std::uint64_t seed_;
  std::array<double, 3> cells_{1, 1, 1}, of_node_{};
};

}  // namespace quadrille
