// The GPU's half of the ways to both products of CSR and CSC, in builds with CUDA.
#include "formats/csc.hpp"
#include "kernels/converted_operator.hpp"
#include "kernels/transpose_methods.hpp"

namespace quadrille {
namespace {

template <class T>
std::unique_ptr<SpmvOperator<T>> converted(const Csr<T>& given, bool given_is_transposed) {
  return std::make_unique<ConvertedOperator<T, Device>>(
      std::make_shared<const Csr<T, Device>>(copy_to<Device>(given)), given_is_transposed,
      Prepared{{}, plan_on_device(given.row_ptr)});
}

}  // namespace

std::vector<FormatEntry> cuda_transpose_methods() {
  std::vector<FormatEntry> all;
  const auto add = [&](const char* name, const char* summary, const auto& make) {
    all.push_back({name, SpaceKind::cuda, false, summary, make, make});
  };
  add("csr_converted", "CSR, converted to CSC for A^T x",
      []<class T>(const FormatInput<T>& s, const FormatOptions&) { return converted(*csr_of(s), false); });
  add("csc_converted", "CSC, converted to CSR for A x",
      []<class T>(const FormatInput<T>& s, const FormatOptions&) {
        return converted(transposed(*csr_of(s)), true);
      });
  return all;
}

}  // namespace quadrille
