#include "kernels/registry.hpp"

#include <type_traits>

#include "kernels/cuda/operators.hpp"
#include "kernels/format_operator.hpp"
#include "kernels/petsc/aij_operator.hpp"
#include "kernels/petsc/ordering.hpp"

namespace quadrille {
namespace {

template <class T>
using Made = std::unique_ptr<SpmvOperator<T>>;

// An operator that owns a format built for it.
template <class T, class Format>
Made<T> own(Format format) {
  return std::make_unique<CpuOperator<Format, T>>(std::make_shared<const Format>(std::move(format)));
}

template <class T>
Made<T> make_csr(const Source<T>& source, const FormatOptions&) {
  return std::make_unique<CpuOperator<Csr<T>, T>>(source.csr);
}

template <class T>
Made<T> make_cds(const Source<T>& source, const FormatOptions& options) {
  if (source.hub) return std::make_unique<CpuOperator<BlockDiagonals<T>, T>>(source.hub);
  return own<T>(block_diagonals_from_csr(*source.csr, options.block_size));
}

template <class T>
Array<std::int32_t> row_order(const Csr<T>& csr, RowOrdering ordering) {
  switch (ordering) {
    case RowOrdering::none:
      return {};
    case RowOrdering::descending:
      return descending_order(csr);
    case RowOrdering::rcm:
      return petsc::rcm_order(csr.rows, csr.columns, csr.row_ptr, csr.column);
  }
  return {};
}

// Both precisions of a maker written as a generic callable (source, options) -> operator.
template <class Make>
FormatEntry cpu_format(const char* name, const char* summary, const Make& make) {
  return {name, SpaceKind::cpu, false, summary, make, make};
}

std::vector<FormatEntry> cpu_formats() {
  using Options = FormatOptions;
  return {
      cpu_format("csr", "compressed sparse row",
                 [](const auto& s, const Options& o) { return make_csr(s, o); }),
      cpu_format("csc", "compressed sparse column: CSR of the transpose",
                 []<class T>(const Source<T>& s, const Options&) { return own<T>(csc_from_csr(*s.csr)); }),
      cpu_format("coo", "coordinate list, sorted by row",
                 []<class T>(const Source<T>& s, const Options&) { return own<T>(coo_from_csr(*s.csr)); }),
      cpu_format("bcsr", "block CSR (Im and Yelick 2001)",
                 []<class T>(const Source<T>& s, const Options& o) {
                   return own<T>(bcsr_from_csr(*s.csr, s.hub ? s.hub->dof : o.block_size));
                 }),
      cpu_format("dia", "scalar diagonals (Saad)",
                 []<class T>(const Source<T>& s, const Options&) { return own<T>(dia_from_csr(*s.csr)); }),
      cpu_format("cds", "column diagonal storage (Godwin et al. 2012)",
                 [](const auto& s, const Options& o) { return make_cds(s, o); }),
      cpu_format("ell", "ELLPACK (Grimes et al. 1979)",
                 []<class T>(const Source<T>& s, const Options&) { return own<T>(ell_from_csr(*s.csr)); }),
      cpu_format("ellr_t", "ELLPACK-R with T threads per row (Vazquez et al. 2011)",
                 []<class T>(const Source<T>& s, const Options& o) {
                   return own<T>(ellr_t_from_csr(*s.csr, o.ellr_t_threads));
                 }),
      cpu_format("rg_csr", "row-grouped CSR (Oberhuber et al. 2010)",
                 []<class T>(const Source<T>& s, const Options& o) {
                   return own<T>(
                       rg_csr_from_csr(*s.csr, o.rg_csr_group, row_order(*s.csr, o.rg_csr_ordering)));
                 }),
      cpu_format("cmrs", "compressed multi-row storage (Koza et al. 2012)",
                 []<class T>(const Source<T>& s, const Options& o) {
                   return own<T>(cmrs_from_csr(*s.csr, o.cmrs_height, o.cmrs_reorder));
                 }),
      cpu_format("hyb", "ELL and COO (Bell and Garland 2009)",
                 []<class T>(const Source<T>& s, const Options&) { return own<T>(hyb_from_csr(*s.csr)); }),
  };
}

}  // namespace

const std::vector<FormatEntry>& registry() {
  static const std::vector<FormatEntry> entries = [] {
    std::vector<FormatEntry> all = cpu_formats();
    for (FormatEntry& entry : cuda::formats()) all.push_back(std::move(entry));
    all.push_back(
        {"petsc_aij", SpaceKind::cpu, true, "PETSc's CSR, MatMult of MATSEQAIJ",
         [](const Source<double>& s, const FormatOptions&) { return petsc::make_aij_operator(s.csr); },
         nullptr});
    return all;
  }();
  return entries;
}

}  // namespace quadrille
