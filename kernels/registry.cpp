#include "kernels/registry.hpp"

#include <algorithm>

#include "kernels/cusparse/entries.hpp"
#include "kernels/format_table.hpp"

namespace quadrille {
namespace {

// Null where there is none.
const FormatEntry* entry_of(const std::string& name, SpaceKind space, const std::vector<FormatEntry>& among) {
  for (const FormatEntry& entry : among)
    if (entry.name == name && entry.space == space) return &entry;
  return nullptr;
}

}  // namespace

const std::vector<FormatEntry>& registry() {
  static const std::vector<FormatEntry> entries = [] {
    std::vector<FormatEntry> all = formats_in<Host>();
    for (FormatEntry& entry : cuda_entries()) all.push_back(std::move(entry));
    for (FormatEntry& entry : cusparse::entries()) all.push_back(std::move(entry));
    return all;
  }();
  return entries;
}

const FormatEntry& find_format(const std::string& name, SpaceKind space,
                               const std::vector<FormatEntry>& among) {
  if (const FormatEntry* const entry = entry_of(name, space, among)) return *entry;
  const SpaceKind other = space == SpaceKind::cpu ? SpaceKind::cuda : SpaceKind::cpu;
  if (!has_format(name, other, among)) refuse_format(name, format_names(among));
  throw FormatError("format " + name + " has no product on " +
                    (space == SpaceKind::cpu ? "the CPU" : "a GPU") + " in this build");
}

bool has_format(const std::string& name, SpaceKind space, const std::vector<FormatEntry>& among) {
  return entry_of(name, space, among) != nullptr;
}

bool is_the_hub(const std::string& format) {
  const FormatEntry* const entry = entry_of(format, SpaceKind::cpu, registry());
  return entry != nullptr && entry->traits != nullptr && entry->traits->made_from == MadeFrom::the_hub;
}

bool is_made_on_gpu(const std::string& format) {
  const FormatEntry* const entry = entry_of(format, SpaceKind::cpu, registry());
  return entry != nullptr && entry->traits != nullptr && entry->traits->made_on_gpu;
}

bool takes_few_rows(const std::string& format) {
  const FormatEntry* const entry = entry_of(format, SpaceKind::cpu, registry());
  return entry != nullptr && entry->traits != nullptr && entry->traits->takes_few_rows;
}

std::vector<std::string> format_names(const std::vector<FormatEntry>& among) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : among)
    if (std::find(names.begin(), names.end(), entry.name) == names.end()) names.push_back(entry.name);
  return names;
}

}  // namespace quadrille
