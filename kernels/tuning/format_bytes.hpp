// The bytes of each format of an operator, from its statistics, by the formulas of the formats themselves.
#pragma once

#include <string>
#include <vector>

#include "formats/format.hpp"
#include "kernels/registry.hpp"
#include "kernels/tuning/sparsity.hpp"

namespace quadrille {

struct FormatBytes {
  Traffic traffic;    // of y = A x
  bool exact = true;  // what the format's own traffic() says; else an upper bound
  std::string
      refused;  // why the format cannot hold the operator: in its own words for absurd fill; else empty
};

// `s` with these options. A format that this does not know, and bytes that overflow 64 bits, throw
// FormatError. Whether there is memory for it is not asked.
FormatBytes format_bytes(const std::string& format, const Sparsity& s, const FormatOptions& options);

}  // namespace quadrille
