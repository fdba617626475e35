// Places in a grid, in m, as options have them. Internal to the options.
#pragma once

#include <string>
#include <vector>

#include "drivers/support/options.hpp"
#include "drivers/support/options_values.hpp"

namespace quadrille {

// "z=0.5" as it is: x, y or z and a length in m.
std::string parse_slice(const Setting& setting);
// Points with slashes between, in m, each within half a spacing of a node.
std::vector<Probe> parse_probes(const Setting& setting, const Grid& grid);

}  // namespace quadrille
