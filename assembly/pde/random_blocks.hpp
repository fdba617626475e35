// Not a PDE: dense dof x dof blocks of random numbers, for tests and for timing products. No units, no
// symmetry.
//
//   uniform    odd multiples of 2^-52 in (-1, 1), never zero (rounded to float they can reach +-1)
//   integer    -4..-1 and 1..4, each as likely: products with small integers are exact in any order
//
// A value depends on (seed, node, stencil point, r, c) only: the same on every machine, for every thread
// count, and for every DoF that has r and c. Blocks that a boundary merges are sums of such values, which can
// be zero.
#pragma once

#include "assembly/pde/counter_hash.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

inline constexpr Discretisation random_stencils{
    .star = max_stencil_radius, .box = max_stencil_radius, .coupled = true};  // and any others

struct RandomBlocks {
  std::uint64_t seed = 1;
  bool integer = false;

  // Distinct for node < 2^42, point < 2^10 and r, c < 2^6: a box of radius 4 has 729 points.
  static constexpr std::uint64_t counter(std::int64_t node, int point, int r, int c) {
    return static_cast<std::uint64_t>(node) << 22 | static_cast<std::uint64_t>(point) << 12 |
           static_cast<std::uint64_t>(r) << 6 | static_cast<std::uint64_t>(c);
  }

  constexpr double operator()(const StencilNode& node, const StencilNeighbour& neighbour, int r,
                              int c) const {
    const std::uint64_t hash = counter_hash(seed, counter(node.index, neighbour.point, r, c));
    if (!integer) return signed_unit(hash);
    const int index = static_cast<int>(hash >> 61);  // 0..7
    return index < 4 ? index - 4 : index - 3;
  }
};

RandomBlocks random_blocks(std::uint64_t seed);

}  // namespace quadrille
