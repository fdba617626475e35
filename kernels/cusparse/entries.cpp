#include "kernels/cusparse/entries.hpp"

#include "kernels/cusparse/check.hpp"
#include "kernels/cusparse/operators.hpp"

namespace quadrille::cusparse {

std::vector<FormatEntry> entries() {
  std::vector<FormatEntry> all;
  const auto add = [&](const char* name, const char* summary, const auto& make) {
    all.push_back({name, SpaceKind::cuda, true, summary, make, make});
  };
  add("cusparse_csr", "cuSPARSE's CSR, CUSPARSE_SPMV_CSR_ALG1",
      []<class T>(const FormatInput<T>& s, const FormatOptions&) { return make_csr_operator(*csr_of(s)); });
  add("cusparse_csc", "cuSPARSE's CSC, CUSPARSE_SPMV_CSR_ALG1",
      []<class T>(const FormatInput<T>& s, const FormatOptions&) { return make_csc_operator(*csr_of(s)); });
  add("cusparse_sell", "cuSPARSE's sliced ELLPACK, CUSPARSE_SPMV_SELL_ALG1",
      []<class T>(const FormatInput<T>& s, const FormatOptions&) { return make_sell_operator(*csr_of(s)); });
  add("cusparse_bsr", "cuSPARSE's block CSR, CUSPARSE_SPMV_BSR_ALG1",
      []<class T>(const FormatInput<T>& s, const FormatOptions& o) {
        return make_bsr_operator(*csr_of(s), s.hub ? s.hub->dof : o.block_size);
      });
  return all;
}

std::string version() {
  std::string text;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check(cusparseGetProperty(part, &number), "cusparseGetProperty");
    text += (text.empty() ? "" : ".") + std::to_string(number);
  }
  return text;
}

}  // namespace quadrille::cusparse
