#include "kernels/registry.hpp"

#include "kernels/cusparse/entries.hpp"
#include "kernels/format_table.hpp"
#include "kernels/petsc/aij_operator.hpp"
#include "kernels/petsc/session.hpp"

namespace quadrille {

const std::vector<FormatEntry>& registry() {
  static const std::vector<FormatEntry> entries = [] {
    std::vector<FormatEntry> all = formats_in<Host>();
    for (FormatEntry& entry : cuda_entries()) all.push_back(std::move(entry));
    all.push_back(
        {"petsc_aij", SpaceKind::cpu, true, "PETSc's CSR, MatMult of MATSEQAIJ",
         [](const Source<double>& s, const FormatOptions&) { return petsc::make_aij_operator(csr_of(s)); },
         nullptr});
    if (petsc::has_cuda())
      all.push_back({"petsc_aijcusparse", SpaceKind::cuda, true,
                     "PETSc's CSR on the GPU, MatMult of MATSEQAIJCUSPARSE",
                     [](const Source<double>& s, const FormatOptions&) {
                       return petsc::make_aijcusparse_operator(csr_of(s));
                     },
                     nullptr});
    for (FormatEntry& entry : cusparse::entries()) all.push_back(std::move(entry));
    return all;
  }();
  return entries;
}

}  // namespace quadrille
