// A named field on a grid: one number per unknown, in row order, with what a reader of a file needs to know
// of it.
#pragma once

#include <string>
#include <vector>

#include "grid/grid.hpp"

namespace quadrille {

struct Field {
  std::string name;            // of the dataset, for example "result"
  std::string long_name;       // for people, for example "A x"
  std::string units;           // "1" for a number without units
  std::vector<double> values;  // [z][y][x][dof], grid.rows() of them
};

}  // namespace quadrille
