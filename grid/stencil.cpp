#include "grid/stencil.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "grid/error.hpp"

namespace quadrille {
namespace {

void check(int dimension, int radius) {
  if (dimension != 2 && dimension != 3)
    throw InputError("a stencil has 2 or 3 dimensions, not " + std::to_string(dimension));
  if (radius < 1 || radius > max_stencil_radius)
    throw InputError("stencil radius " + std::to_string(radius) + ": must be 1 to " +
                     std::to_string(max_stencil_radius));
}

std::tuple<int, int, int> memory_order(const Offset& o) {
  return {o.z, o.y, o.x};
}

int largest_component(const Offset& o) {
  return std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)});
}

// All offsets of the box that `keep` accepts, in memory order.
template <class Keep>
Stencil points_of_box(const std::string& name, int dimension, int radius, Keep keep) {
  check(dimension, radius);
  Stencil stencil{name, radius, {}};
  const int radius_z = dimension == 3 ? radius : 0;
  for (int z = -radius_z; z <= radius_z; ++z)
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x)
        if (keep(Offset{x, y, z})) stencil.offsets.push_back({x, y, z});
  return stencil;
}

// The components on one line of a stencil file, without its comment. `where` names file and line.
std::vector<int> parse_components(const std::string& line, const std::string& where) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::vector<int> components;
  for (std::string word; words >> word;) {
    const char* begin = word.c_str() + (word[0] == '+' ? 1 : 0);
    const char* end = word.c_str() + word.size();
    int component = 0;
    const auto [stop, error] = std::from_chars(begin, end, component);
    const bool out_of_range = error == std::errc::result_out_of_range;
    if (stop != end || (error != std::errc{} && !out_of_range) || (begin != word.c_str() && *begin == '-'))
      throw InputError(where + ": '" + word +
                       "' is not a whole number; write one offset a line, such as '-1 0'");
    if (out_of_range || component < -max_stencil_radius || component > max_stencil_radius)
      throw InputError(where + ": component " + word + " is too large; components must be -" +
                       std::to_string(max_stencil_radius) + " to " + std::to_string(max_stencil_radius));
    components.push_back(component);
  }
  return components;
}

// A line of at most 4096 characters: a device or a binary file ends here and not in memory.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  for (int c = 0; line.size() < 4096 && (c = in.get()) != std::char_traits<char>::eof();) {
    if (c == '\n') return true;
    line += static_cast<char>(c);
  }
  return !line.empty();
}

}  // namespace

Stencil star_stencil(int dimension, int radius) {
  return points_of_box("star", dimension, radius,
                       [](const Offset& o) { return (o.x != 0) + (o.y != 0) + (o.z != 0) <= 1; });
}

Stencil box_stencil(int dimension, int radius) {
  return points_of_box("box", dimension, radius, [](const Offset&) { return true; });
}

Stencil read_stencil(const std::string& path, int dimension) {
  check(dimension, 1);
  std::ifstream file(path);
  if (!file)
    throw InputError("stencil '" + path +
                     "': no such file can be read; write star, box, or the path of a stencil file");
  Stencil stencil{path, 0, {}};
  std::map<Offset, int> line_of;
  constexpr int max_lines = 100000;
  int line_number = 0;
  for (std::string line; read_line(file, line);) {
    const std::string where = path + ":" + std::to_string(++line_number);
    if (line_number > max_lines)
      throw InputError(where + ": a stencil file has at most " + std::to_string(max_lines) + " lines");
    const std::vector<int> components = parse_components(line, where);
    if (components.empty()) continue;
    if (static_cast<int>(components.size()) != dimension)
      throw InputError(where + ": " + std::to_string(components.size()) + " numbers; an offset on a " +
                       std::to_string(dimension) + "D grid is '" + (dimension == 2 ? "dx dy" : "dx dy dz") +
                       "'");
    const Offset offset{components[0], components[1], dimension == 3 ? components[2] : 0};
    const auto [seen, is_new] = line_of.emplace(offset, line_number);
    if (!is_new)
      throw InputError(where + ": this offset already stands on line " + std::to_string(seen->second) +
                       "; remove one of the two");
    stencil.radius = std::max(stencil.radius, largest_component(offset));
    stencil.offsets.push_back(offset);
  }
  if (file.bad()) throw InputError("stencil '" + path + "' cannot be read to its end");
  if (stencil.offsets.empty())
    throw InputError("stencil file " + path + " has no offsets; write one a line, such as '-1 0'");
  std::sort(stencil.offsets.begin(), stencil.offsets.end(),
            [](const Offset& a, const Offset& b) { return memory_order(a) < memory_order(b); });
  return stencil;
}

Stencil make_stencil(const std::string& name_or_path, int dimension, int radius) {
  if (name_or_path == "star") return star_stencil(dimension, radius);
  if (name_or_path == "box") return box_stencil(dimension, radius);
  return read_stencil(name_or_path, dimension);
}

}  // namespace quadrille
