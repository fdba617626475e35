// A coefficient of diffusion that is given at the nodes of a grid, with cells that let nothing through, and
// what follows from those: which cells nothing that flows can leave.
//
//   # no flow, value 0 beyond the right side     region of each cell: o open, 0 and 1 closed
//
//     a a # b b b |                                  0 0 # o o o |
//     a # # # b b |                                  0 # # # o o |
//     # c # b b b |                                  # 1 # o o o |
//
// A cell of coefficient 0 takes no part: nothing flows through its faces, and u = 0 there. A region is open
// where one of its cells stands at a face that fixes u (value, drop, robin with A != 0). In a closed one u is
// known but for a constant, and there only if its sources add up to zero: their mean is taken off, and u has
// mean zero. To find it, the diagonal of one cell is made larger; with such sources that is u = 0 there and
// changes nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "assembly/node_window.hpp"
#include "formats/array.hpp"
#include "grid/boundary.hpp"
#include "grid/grid.hpp"

namespace quadrille {

struct CoefficientField {
  Array<double> a;              // [node]
  bool has_barriers = false;    // some are 0
  bool has_open_region = true;  // where it has barriers
  // [node] which closed region, -1 where it is in none; empty without barriers.
  std::vector<std::int32_t> region;
  std::vector<std::int64_t> held;  // [closed region] its cell of the least coefficient
};

// Throws InputError, with `name` of the field, unless there is one number for each node, none of them
// negative or not finite, and one of them positive; FormatError past 2^31 closed regions.
CoefficientField coefficient_field(const Grid& grid, const Boundary& boundary, Array<double> a,
                                   const std::string& name);

// Takes the mean over each closed region off values at the nodes, [node], and sets them to 0 where nothing
// flows.
void balance(const CoefficientField& field, Array<double>& values);

}  // namespace quadrille
