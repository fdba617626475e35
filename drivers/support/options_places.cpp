#include "drivers/support/options_places.hpp"

#include <algorithm>
#include <cmath>

#include "drivers/support/solve_text.hpp"

namespace quadrille {

namespace {

// "0 to 1.5 m along x, 0 to 2 m along y"
std::string extent_text(const Grid& grid) {
  std::string text;
  for (int axis = 0; axis < grid.dimension; ++axis)
    text += (axis > 0 ? ", " : "") + std::string("0 to ") +
            formatted("%.6g", static_cast<double>(grid.extents[axis] - 1) * grid.spacing_m[axis]) +
            " m along " + "xyz"[axis];
  return text;
}

Probe parse_probe(const Setting& setting, const std::string& text, const Grid& grid) {
  const Words parts = comma_parts(text);
  if (parts.size() != static_cast<std::size_t>(grid.dimension))
    refuse(setting, "'" + text + "' is no point of a grid in " + std::to_string(grid.dimension) + "D; give " +
                        (grid.dimension == 2 ? "X,Y" : "X,Y,Z") + " in m, several points with / between");
  Probe probe;
  std::array<std::int64_t, 3> node{};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double& at_m = probe.at_m[axis];
    if (!parse_finite(parts[axis], at_m)) refuse(setting, "'" + parts[axis] + "' is no length in m");
    const double place = std::round(at_m / grid.spacing_m[axis]);
    if (place < 0 || place > static_cast<double>(grid.extents[axis] - 1))
      refuse(setting, "'" + text + "' is outside the grid, whose nodes are from " + extent_text(grid));
    node[axis] = static_cast<std::int64_t>(place);
  }
  probe.node = {node[0], node[1], node[2]};
  return probe;
}

}  // namespace

std::string parse_slice(const Setting& setting) {
  double at_m = 0;
  const std::string& text = setting.text;
  if (text.size() < 3 || std::string("xyz").find(text[0]) == std::string::npos || text[1] != '=' ||
      !parse_finite(text.substr(2), at_m))
    refuse(setting, "write x, y or z and where in m, for example z=0.5");
  return text;
}

std::vector<Probe> parse_probes(const Setting& setting, const Grid& grid) {
  std::vector<Probe> probes;
  for (std::size_t begin = 0; begin <= setting.text.size();) {
    const std::size_t end = std::min(setting.text.find('/', begin), setting.text.size());
    probes.push_back(parse_probe(setting, setting.text.substr(begin, end - begin), grid));
    begin = end + 1;
  }
  return probes;
}

}  // namespace quadrille
