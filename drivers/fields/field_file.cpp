#include "drivers/fields/field_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/field_checks.hpp"
#include "drivers/fields/field_layout.hpp"
#include "drivers/fields/field_values.hpp"
#include "drivers/fields/xdmf.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

// A file about to be replaced: nothing, or a regular file we may write.
void check_target(const std::string& path, const std::string& target) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) cannot_write(path, target + " is a directory");
  if (!fs::is_regular_file(status)) cannot_write(path, target + " is not a regular file");
  if (::access(target.c_str(), W_OK) != 0)
    cannot_write(path, target + ": " + std::generic_category().message(errno));
}

}  // namespace

const char* MatrixSize::scale_of(const Field& field) const {
  return static_cast<std::int64_t>(field.values.size()) == rows ? "row" : "column";
}

std::string xdmf_path(const std::string& path) {
  return fs::path(path).replace_extension(".xdmf").string();
}

void check_field_path(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  if (name.extension() != ".h5" || name.stem().empty())
    cannot_write(path, "the name of a field file ends in .h5, for example fields.h5");
  if (name.string().find(':') != std::string::npos)
    cannot_write(path, "XDMF files cannot refer to a file with a colon in its name");
  check_output_path(path);
  check_output_path(xdmf_path(path));
  check_target(path, path);
  check_target(path, xdmf_path(path));
}

void write_field_file(const std::string& path, const FieldFile& file) {
  const Ranks& ranks = file.ranks;
  std::optional<TemporaryFile> h5, xdmf;  // of the first rank
  on_first<OutputError>(ranks, [&] { check_field_path(path); });
  on_each<OutputError>(ranks, [&] { check_content(path, file); });
  on_first<OutputError>(ranks, [&] {
    h5.emplace(path);
    xdmf.emplace(xdmf_path(path));
    writing(path, [&] {
      lay_out(*h5, file, false);
      add_room(h5->path(), path, file, 0, false);
    });
  });
  write_values(from_first(ranks, h5 ? h5->path() : ""), path, file, 0);
  on_first<OutputError>(ranks, [&] {
    h5->sync();
    xdmf->write(xdmf_text(file, fs::path(path).filename().string()));
    xdmf->sync();
    h5->rename_to_final();
    xdmf->rename_to_final();
  });
}

}  // namespace quadrille
