#include "kernels/format_traits.hpp"

#include "formats/format.hpp"
#include "grid/suggestion.hpp"
#include "kernels/traits/all.hpp"

namespace quadrille {

const std::vector<FormatTraits>& format_traits() {
#define QUADRILLE_DESCRIBE(name) name##_traits(),
  static const std::vector<FormatTraits> all = {QUADRILLE_FORMATS(QUADRILLE_DESCRIBE)};
#undef QUADRILLE_DESCRIBE
  return all;
}

const FormatTraits& find_format(const std::string& name) {
  std::vector<std::string> names;
  for (const FormatTraits& format : format_traits()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  refuse_format(name, names);
}

void refuse_format(const std::string& name, const std::vector<std::string>& names) {
  std::string listed;
  for (const std::string& known : names) listed += (listed.empty() ? "" : ", ") + known;
  throw FormatError("there is no format '" + name + "'; there are " + listed + suggestion(name, names));
}

}  // namespace quadrille
