// A build without cuSPARSE: no entries.
#include "kernels/cusparse/entries.hpp"

namespace quadrille::cusparse {

std::vector<FormatEntry> entries() {
  return {};
}

std::string version() {
  return "not built in";
}

}  // namespace quadrille::cusparse
