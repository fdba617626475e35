#include "kernels/registry.hpp"

#include <algorithm>

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
         nullptr, nullptr, true});
    if (petsc::has_cuda())
      all.push_back({"petsc_aijcusparse", SpaceKind::cuda, true,
                     "PETSc's CSR on the GPU, MatMult of MATSEQAIJCUSPARSE",
                     [](const Source<double>& s, const FormatOptions&) {
                       return petsc::make_aijcusparse_operator(csr_of(s));
                     },
                     nullptr, nullptr, true});
    for (FormatEntry& entry : cusparse::entries()) all.push_back(std::move(entry));
    return all;
  }();
  return entries;
}

const FormatEntry* find_entry(const std::string& name, SpaceKind space) {
  for (const FormatEntry& entry : registry())
    if (entry.name == name && entry.space == space) return &entry;
  return nullptr;
}

bool is_the_hub(const std::string& format) {
  const FormatEntry* const entry = find_entry(format, SpaceKind::cpu);
  return entry != nullptr && entry->traits != nullptr && entry->traits->made_from == MadeFrom::the_hub;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatEntry& entry : registry())
    if (std::find(names.begin(), names.end(), entry.name) == names.end()) names.push_back(entry.name);
  return names;
}

}  // namespace quadrille
