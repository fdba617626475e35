#include "drivers/support/options_matrices.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "assembly/generated_matrices.hpp"
#include "drivers/fields/paths.hpp"
#include "drivers/support/options.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t full_set_rows = 1000000;
constexpr std::int64_t most_set_rows = 100000000;

bool is_matrix_file(const std::string& name) {
  return name.ends_with(".mtx") || name.ends_with(".mtx.gz");
}

// Of a folder, by name. Throws fs::filesystem_error where it cannot be read.
Words matrices_in(const fs::path& folder) {
  Words files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (is_matrix_file(entry.path().filename().string()) && !entry.is_directory(ignored))
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// The name of a file beside a path that is not there; "" for none.
std::string near_file(const fs::path& path) {
  Words names;
  try {
    for (const std::string& file : matrices_in(path.has_parent_path() ? path.parent_path() : fs::path(".")))
      names.push_back(fs::path(file).filename().string());
  } catch (const fs::filesystem_error&) {
  }
  const std::string name = nearest(path.filename().string(), names);
  return name.empty() ? "" : (path.parent_path() / name).string();
}

// Of a path that is not there: a kind of generated matrix, or a file beside it.
std::string hint(const std::string& part) {
  Words known = generated_kinds();
  known.push_back("generated");
  const std::size_t colon = std::min(part.find(':'), part.size());
  std::string near = part.find('/') == std::string::npos ? nearest(part.substr(0, colon), known) : "";
  near = near.empty() ? near_file(part) : near + part.substr(colon);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

// Refuses `part` of the setting, which is the whole of it where there is one part alone.
[[noreturn]] void refuse_part(const Setting& setting, const std::string& part, const std::string& reason) {
  refuse(setting, part == setting.text ? reason : "'" + part + "': " + reason);
}

std::string generated_name(const Setting& setting, const std::string& part) {
  try {
    return to_string(parse_generated_matrix(part));
  } catch (const InputError& error) {
    refuse_part(setting, part, error.what());
  }
}

void add_set(const Setting& setting, const std::string& part, Words& names) {
  std::int64_t rows = full_set_rows;
  const std::string start = "generated:";
  if (part.starts_with(start)) {
    const char* const end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data() + start.size(), end, rows);
    if (error != std::errc() || at != end || rows < 1 || rows > most_set_rows)
      refuse_part(setting, part,
                  "ROWS of generated:ROWS must be a whole number from 1 to " + std::to_string(most_set_rows));
  }
  for (const GeneratedMatrix& matrix : generated_set(rows)) names.push_back(to_string(matrix));
}

bool is_set(const std::string& part) {
  return part == "generated" || part.starts_with("generated:");
}

Words files_of(const Setting& setting, const std::string& folder) {
  try {
    Words files = matrices_in(folder);
    if (files.empty()) refuse_part(setting, folder, "the folder has no .mtx or .mtx.gz file");
    return files;
  } catch (const fs::filesystem_error& error) {
    refuse_part(setting, folder, "the folder cannot be read (" + error.code().message() + ")");
  }
}

// What one part of the list stands for.
Words matrices_of(const Setting& setting, const std::string& part) {
  std::error_code ignored;
  Words names;
  if (part.empty()) refuse(setting, "a name is missing");
  if (is_set(part))
    add_set(setting, part, names);
  else if (names_generated_matrix(part))
    names.push_back(generated_name(setting, part));
  else if (fs::is_directory(part, ignored))
    names = files_of(setting, part);
  else if (fs::exists(part, ignored))
    names.push_back(part);
  else
    refuse_part(setting, part, why_missing(part, "there is no such file or folder" + hint(part)));
  return names;
}

// The same for two names of one file.
std::string identity(const std::string& matrix) {
  std::error_code ignored;
  const fs::path canonical = names_generated_matrix(matrix) ? fs::path() : fs::canonical(matrix, ignored);
  return canonical.empty() ? matrix : canonical.string();
}

}  // namespace

std::string read_matrix_name(const Setting& setting) {
  if (names_generated_matrix(setting.text)) return generated_name(setting, setting.text);
  std::error_code ignored;
  if (is_set(setting.text))
    refuse(setting, "is a set of matrices, for bench; name one of its kinds: " + listed(generated_kinds()));
  if (!fs::exists(setting.text, ignored))
    refuse(setting, why_missing(setting.text, "there is no such file" + hint(setting.text)));
  if (fs::is_directory(setting.text, ignored)) refuse(setting, "is a folder, not a file");
  return setting.text;
}

std::vector<std::string> read_matrix_names(const Setting& setting) {
  std::error_code ignored;
  Words names, identities;
  // A file or folder with a comma in its name may stand alone.
  const Words parts = fs::exists(setting.text, ignored) ? Words{setting.text} : comma_parts(setting.text);
  for (const std::string& part : parts) {
    bool any_new = false;
    for (const std::string& name : matrices_of(setting, part)) {
      const std::string id = identity(name);
      if (std::find(identities.begin(), identities.end(), id) != identities.end()) continue;
      identities.push_back(id);
      names.push_back(name);
      any_new = true;
    }
    if (!any_new) refuse(setting, "'" + part + "' is named twice");
  }
  return names;
}

int usual_block_size(const std::string& matrix) {
  return names_generated_matrix(matrix) ? block_size(parse_generated_matrix(matrix)) : 1;
}

}  // namespace quadrille
