#include "kernels/cuda/stencil_loads.hpp"

#include <algorithm>

namespace quadrille::cuda {

// Those of all unknowns of x stand beside each other. Where there are words, lines are whole words.
std::int64_t Loads::element_of(const Place& p) const {
  return p.array < 0 ? std::int64_t{p.shift.x} * s().dof + unknown(p) : p.shift.x;
}

Loads::WordPlace Loads::word_of(const Place& p) const {
  const std::int64_t word = arrays_.word, element = element_of(p),
                     before = element >= 0 ? element : element - word + 1;
  return {p.array < 0 ? -1 - vector(p) : p.array, p.shift.z, p.shift.y, before / word * word};
}

std::string Loads::address(const WordPlace& word) const {
  const auto& [array, z, y, first] = word;
  const bool of_x = array < 0;
  const std::int64_t before = of_x ? -1 - array : array;  // vectors, or columns
  std::string text = of_x ? "xn" : "vn";
  if (before > 0)
    text += (before > 1 ? " + " + number(before) + " * " : " + ") + (of_x ? "g.rows" : "g.nodes");
  if (const std::string nodes = lines_on(y, z); !nodes.empty())
    text += of_x && s().dof > 1 ? " + (0ll" + nodes + ") * " + number(s().dof) : nodes;
  return first == 0 ? text : text + (first > 0 ? " + " : " - ") + number(std::abs(first));
}

std::string Loads::at(const Place& p, std::string& text) {
  if (const auto known = names_.find(p); known != names_.end()) return known->second;
  const bool of_values = p.array >= 0, stream = of_values && arrays_.reused.count(p.array) == 0,
             rounded = of_values && arrays_.rounded;
  const std::string name = "n" + std::to_string(names_.size());
  const auto as_t = [&](const std::string& loaded) { return rounded ? "value(" + loaded + ")" : loaded; };
  const auto word = words_.find(word_of(p));
  if (!in_words(p) || word->second.size() < 2) {
    WordPlace one = word->first;
    one.first = element_of(p);
    text +=
        "    const T " + name + " = " + as_t((stream ? "__ldcs(" : "__ldg(") + address(one) + ")") + ";\n";
    return names_[p] = name;
  }
  text += std::string("    const ") + (rounded ? "ValueWord " : "Word ") + name + " = " +
          (stream ? "streamed(" : "cached(") + address(word->first) + ");\n";
  for (const Place& other : word->second)
    names_[other] = as_t(name + ".v[" + std::to_string(element_of(other) - word->first.first) + "]");
  return names_.at(p);
}

std::string Loads::once(const std::string& expression, std::string& text) {
  const auto [place, fresh] = expressions_.try_emplace(expression, "e" + std::to_string(expressions_.size()));
  if (fresh) text += "    const T " + place->second + " = " + expression + ";\n";
  return place->second;
}

}  // namespace quadrille::cuda
