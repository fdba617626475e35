#include "kernels/petsc/aij/all_products.hpp"

#include <algorithm>

#include "kernels/petsc/aij/aij_operator.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille::petsc {
namespace {

FormatEntry peer(const char* name, SpaceKind space, const char* summary,
                 std::unique_ptr<SpmvOperator<double>> (*make)(std::shared_ptr<const Csr<double>>)) {
  return {name,
          space,
          true,
          summary,
          [make](const FormatInput<double>& s, const FormatOptions&) { return make(csr_of(s)); },
          nullptr,
          nullptr,
          true};
}

}  // namespace

const std::vector<FormatEntry>& all_products() {
  static const std::vector<FormatEntry> products = [] {
    std::vector<FormatEntry> own{
        peer("petsc_aij", SpaceKind::cpu, "PETSc's CSR, MatMult of MATSEQAIJ", make_aij_operator)};
    if (has_cuda())
      own.push_back(peer("petsc_aijcusparse", SpaceKind::cuda,
                         "PETSc's CSR on the GPU, MatMult of MATSEQAIJCUSPARSE", make_aijcusparse_operator));
    std::vector<FormatEntry> all = registry();
    const auto peers = std::find_if(all.begin(), all.end(), [](const FormatEntry& e) { return e.peer; });
    all.insert(peers, own.begin(), own.end());
    return all;
  }();
  return products;
}

}  // namespace quadrille::petsc
