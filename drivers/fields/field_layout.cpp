#include "drivers/fields/field_layout.hpp"

#include <hdf5.h>

#include <cstddef>

#include "drivers/fields/field_checks.hpp"
#include "drivers/fields/field_datasets.hpp"
#include "drivers/fields/xdmf.hpp"
#include "drivers/fields/xdmf_data.hpp"

namespace quadrille {
namespace {

using namespace hdf5;

// Of the numbers, and at most what HDF5 adds to find them.
std::int64_t bytes_of(const FieldFile& content, std::size_t first, bool grows) {
  constexpr std::int64_t once = 1 << 16, of_step = 1 << 14, of_view = 1 << 13;
  std::int64_t bytes = once;
  for (std::size_t step = first; step < content.steps.size(); ++step) {
    if (grows) bytes += of_step;
    for (const Field& field : content.steps[step].fields) {
      if (grows) bytes += of_view * static_cast<std::int64_t>(xdmf_arrays(content, field, step).size());
      bytes += content.matrix ? static_cast<std::int64_t>(field.values.size() * sizeof(double))
                              : step_bytes(content.grid);
    }
  }
  return bytes;
}

void write_layout(hid_t file, const FieldFile& content, bool grows) {
  write_scales(file, content, grows);
  for (const Field& field : content.steps.front().fields)
    content.matrix ? create_vector(file, *content.matrix, field)
                   : create_field(file, content.grid, field, content.steps.size(), grows);
  grows ? write_xdmf_meshes(file, content) : write_xdmf_data(file, content);
  write_metadata(file, content);
}

}  // namespace

// As HDF5 lays it out, built in memory and given to `target` there: HDF5 1.10 crashes at exit after a write
// to a full disk, and so the writing is ours.
void lay_out(const TemporaryFile& target, const FieldFile& content, bool grows) {
  constexpr std::size_t growth = 1 << 20;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file properties");
  check(H5Pset_fapl_core(access, growth, false), "memory file");
  Handle file(H5Fcreate(target.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose,
              "creating the file");
  write_layout(file, content, grows);
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "flushing the file");
  const ssize_t size = check(H5Fget_file_image(file, nullptr, 0), "the file's size");
  void* image = nullptr;  // the memory driver's handle is the address of its buffer's address
  check(H5Fget_vfd_handle(file, access, &image), "the file's image");
  target.write({*static_cast<const char**>(image), static_cast<std::size_t>(size)});
  file.close("closing the file");
}

void add_room(const std::string& path, const std::string& shown, const FieldFile& content, std::size_t first,
              bool grows) {
  take_room(path, shown, bytes_of(content, first, grows));
  if (content.matrix) return;
  const std::size_t steps = content.steps.size();
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "opening the file");
  for (const Field& field : content.steps.front().fields) make_room(file, field.name, steps);
  if (grows) {
    make_room(file, "time", steps);
    for (std::size_t step = first; step < steps; ++step) {
      write_time(file, step, content.steps[step].time_s);
      const std::string views = "/xdmf/" + std::to_string(step);  // there where an earlier try failed
      if (H5Lexists(file, views.c_str(), H5P_DEFAULT) <= 0) write_xdmf_views(file, content, step);
    }
  }
  file.close("closing the file");
}

}  // namespace quadrille
