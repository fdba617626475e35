#include "kernels/registry.hpp"

#include <algorithm>

#include "kernels/cusparse/entries.hpp"
#include "kernels/format_table.hpp"

namespace quadrille {

const std::vector<FormatEntry>& registry() {
  static const std::vector<FormatEntry> entries = [] {
    std::vector<FormatEntry> all = formats_in<Host>();
    for (FormatEntry& entry : cuda_entries()) all.push_back(std::move(entry));
    for (FormatEntry& entry : cusparse::entries()) all.push_back(std::move(entry));
    return all;
  }();
  return entries;
}

const FormatEntry* find_entry(const std::string& name, SpaceKind space,
                              const std::vector<FormatEntry>& among) {
  for (const FormatEntry& entry : among)
    if (entry.name == name && entry.space == space) return &entry;
  return nullptr;
}

bool is_the_hub(const std::string& format) {
  const FormatEntry* const entry = find_entry(format, SpaceKind::cpu);
  return entry != nullptr && entry->traits != nullptr && entry->traits->made_from == MadeFrom::the_hub;
}

std::vector<std::string> format_names(const std::vector<FormatEntry>& among) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : among)
    if (std::find(names.begin(), names.end(), entry.name) == names.end()) names.push_back(entry.name);
  return names;
}

}  // namespace quadrille
