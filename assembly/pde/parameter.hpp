// The constants of a PDE that whoever solves it may choose.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace quadrille {

// It stands at the top of the PDE's file, which reads its value by PdeInput::value_of().
struct PdeParameter {
  const char* name;
  double usual;
  const char *units, *about;  // units of "1" are none
  double least = -std::numeric_limits<double>::infinity();
  bool above_least = false;  // `least` itself is refused
  bool varies = false;       // it may be a field
};

using ParameterValues = std::vector<std::pair<std::string, double>>;

}  // namespace quadrille
