#include "drivers/fields/paths.hpp"

#include <filesystem>

namespace quadrille {

namespace fs = std::filesystem;

std::string final_target(const std::string& path) {
  constexpr int most_links = 40;  // as many as Linux follows
  fs::path at = path;
  std::error_code failed;
  for (int links = 0; links < most_links && fs::is_symlink(fs::symlink_status(at, failed)); ++links) {
    const fs::path next = fs::read_symlink(at, failed);
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

std::string why_missing(const std::string& path, const std::string& otherwise) {
  std::error_code failed;
  const auto is_link = [&](const std::string& name) {
    return fs::is_symlink(fs::symlink_status(name, failed));
  };
  if (!is_link(path)) return otherwise;
  const std::string target = final_target(path);
  return is_link(target) ? "is a link that leads to itself"
                         : "is a link to " + target + ", which does not exist";
}

}  // namespace quadrille
