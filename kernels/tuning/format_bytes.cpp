#include "kernels/tuning/format_bytes.hpp"

namespace quadrille {

FormatBytes format_bytes(const std::string& format, const Sparsity& s, const FormatOptions& options) {
  const FormatTraits& traits = find_format(format);
  if (!needs_csr(traits)) return traits.bytes(s, options);
  if (!s.has_csr) return {{}, false, s.no_csr};
  FormatBytes bytes = traits.bytes(s, options);
  bytes.exact = bytes.exact && s.exact;
  return bytes;
}

}  // namespace quadrille
