#include "drivers/fields/field_file.hpp"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/field_checks.hpp"
#include "drivers/fields/field_datasets.hpp"
#include "drivers/fields/xdmf.hpp"
#include "drivers/fields/xdmf_data.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;
using namespace hdf5;

// Field `index` of all steps.
void write_field(hid_t file, const FieldFile& content, std::size_t index) {
  create_field(file, content.grid, content.steps.front().fields[index], content.steps.size());
  for (std::size_t step = 0; step < content.steps.size(); ++step)
    write_step(file, content.grid, content.steps[step].fields[index], step);
}

// The whole file as HDF5 lays it out, built in memory (as large as the fields together) and given to `target`
// there. HDF5 1.10 crashes at exit after a write to a full disk; so the only writing to disk is ours.
void write_hdf5(const TemporaryFile& target, const FieldFile& content) {
  const SilentErrors silent;
  const std::vector<Field>& fields = content.steps.front().fields;
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += content.steps.size() * field.values.size() * sizeof(double);
  const std::size_t growth = std::clamp(bytes / 8, std::size_t{1} << 16, std::size_t{1} << 28);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file properties");
  check(H5Pset_fapl_core(access, growth, false), "memory file");
  Handle file(H5Fcreate(target.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose,
              "creating the file");
  write_scales(file, content);
  for (std::size_t i = 0; i < fields.size(); ++i)
    content.matrix ? write_vector(file, *content.matrix, fields[i]) : write_field(file, content, i);
  write_xdmf_data(file, content);
  write_metadata(file, content);
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "flushing the file");
  const ssize_t size = check(H5Fget_file_image(file, nullptr, 0), "the file's size");
  void* image = nullptr;  // the memory driver's handle is the address of its buffer's address
  check(H5Fget_vfd_handle(file, access, &image), "the file's image");
  target.write({*static_cast<const char**>(image), static_cast<std::size_t>(size)});
  file.close("closing the file");
}

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
  check_field_path(path);
  check_content(path, file);
  TemporaryFile h5(path), xdmf(xdmf_path(path));
  try {
    write_hdf5(h5, file);
  } catch (const Hdf5Error& error) {
    cannot_write(path, error.what());
  }
  h5.sync();
  xdmf.write(xdmf_text(file, fs::path(path).filename().string()));
  xdmf.sync();
  h5.rename_to_final();
  xdmf.rename_to_final();
}

}  // namespace quadrille
