#include "kernels/cuda/stencil_loads.hpp"

#include <algorithm>

namespace quadrille::cuda {

// From the thread's own; those of all unknowns of x stand beside each other.
std::int64_t Loads::element_of(const Place& p) const {
  return p.array < 0 ? s().linear(p.shift) * s().dof + unknown(p) : s().linear(p.shift);
}

Loads::WordPlace Loads::word_of(const Place& p) const {
  const std::int64_t word = arrays_.word, element = element_of(p),
                     before = element >= 0 ? element : element - word + 1;
  return {p.array < 0 ? -1 - vector(p) : p.array, before / word * word};
}

std::string Loads::address(std::int64_t array, std::int64_t element) const {
  if (array < 0) return "xn + " + number((-1 - array) * s().rows() + element);
  return "vn + " + number(array * s().nodes() + element);
}

std::string Loads::at(const Place& p, std::string& text) {
  if (const auto known = names_.find(p); known != names_.end()) return known->second;
  const bool of_values = p.array >= 0, stream = of_values && arrays_.reused.count(p.array) == 0,
             rounded = of_values && arrays_.rounded;
  const std::string name = "n" + std::to_string(names_.size());
  const auto as_t = [&](const std::string& loaded) { return rounded ? "value(" + loaded + ")" : loaded; };
  const auto word = words_.find(word_of(p));
  const auto& [array, first] = word->first;
  if (!in_words(p) || word->second.size() < 2) {
    text += "    const T " + name + " = " +
            as_t((stream ? "__ldcs(" : "__ldg(") + address(array, element_of(p)) + ")") + ";\n";
    return names_[p] = name;
  }
  text += std::string("    const ") + (rounded ? "ValueWord " : "Word ") + name + " = " +
          (stream ? "streamed(" : "cached(") + address(array, first) + ");\n";
  for (const Place& other : word->second)
    names_[other] = as_t(name + ".v[" + std::to_string(element_of(other) - first) + "]");
  return names_.at(p);
}

std::string Loads::once(const std::string& expression, std::string& text) {
  const auto [place, fresh] = expressions_.try_emplace(expression, "e" + std::to_string(expressions_.size()));
  if (fresh) text += "    const T " + place->second + " = " + expression + ";\n";
  return place->second;
}

}  // namespace quadrille::cuda
