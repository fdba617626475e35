#include "kernels/transpose_methods.hpp"

#include "formats/csc.hpp"
#include "kernels/converted_operator.hpp"

namespace quadrille {
namespace {

template <class T>
std::unique_ptr<SpmvOperator<T>> converted(std::shared_ptr<const Csr<T>> given, bool given_is_transposed) {
  return std::make_unique<ConvertedOperator<T, Host>>(std::move(given), given_is_transposed);
}

}  // namespace

std::vector<FormatEntry> transpose_methods() {
  std::vector<FormatEntry> all;
  const auto add = [&](const char* name, const char* summary, const auto& make) {
    all.push_back({name, SpaceKind::cpu, false, summary, make, make});
  };
  add("csr_converted", "CSR, converted to CSC for A^T x",
      []<class T>(const FormatInput<T>& s, const FormatOptions&) { return converted<T>(csr_of(s), false); });
  add("csc_converted", "CSC, converted to CSR for A x",
      []<class T>(const FormatInput<T>& s, const FormatOptions&) {
        return converted<T>(std::make_shared<const Csr<T>>(transposed(*csr_of(s))), true);
      });
  for (FormatEntry& entry : cuda_transpose_methods()) all.push_back(std::move(entry));
  return all;
}

}  // namespace quadrille
