#include "drivers/support/field_file.hpp"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "drivers/support/atomic_file.hpp"
#include "drivers/support/hdf5_objects.hpp"
#include "drivers/support/xdmf.hpp"
#include "drivers/support/xdmf_data.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;
using namespace hdf5;

constexpr std::size_t max_chunk_bytes = std::size_t{4} << 20;
const std::vector<const char*> grid_scales{"time", "z", "y", "x", "dof"};

using Shape = std::array<hsize_t, 5>;  // [step][z][y][x][dof]

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw OutputError("cannot write " + path + ": " + reason);
}

void write_scales(hid_t file, const FieldFile& content) {
  if (content.matrix) {
    write_counting_scale(file, "row", content.matrix->rows, "row of the matrix");
    if (content.matrix->columns != content.matrix->rows)
      write_counting_scale(file, "column", content.matrix->columns, "column of the matrix");
    return;
  }
  std::vector<double> times;
  for (const FieldStep& step : content.steps) times.push_back(step.time_s);
  write_scale(file, "time", times, "time", "s");
  for (const int axis : {2, 1, 0}) {
    std::vector<double> positions(content.grid.extents[axis]);
    for (std::size_t i = 0; i < positions.size(); ++i)
      positions[i] = static_cast<double>(i) * content.grid.spacing_m[axis];
    const char* names[] = {"x", "y", "z"};
    const char* long_names[] = {"x position of a node", "y position of a node", "z position of a node"};
    write_scale(file, names[axis], positions, long_names[axis], "m");
  }
  write_counting_scale(file, "dof", content.grid.dof, "unknown of a node");
}

// One step a chunk; larger steps are cut along z, then y, then x, into about equal parts.
Shape chunk_shape(const Shape& shape) {
  Shape chunk = shape;
  chunk[0] = 1;
  for (int axis = 1; axis < 4; ++axis) {
    hsize_t rest = sizeof(double);
    for (int other = axis + 1; other < 5; ++other) rest *= shape[other];
    const hsize_t fitting = std::clamp<hsize_t>(max_chunk_bytes / rest, 1, shape[axis]);
    const hsize_t parts = (shape[axis] + fitting - 1) / fitting;
    chunk[axis] = (shape[axis] + parts - 1) / parts;
  }
  return chunk;
}

void describe(hid_t file, hid_t dataset, const Field& field, const std::vector<const char*>& scales) {
  write_attribute(dataset, "long_name", field.long_name);
  write_attribute(dataset, "units", field.units);
  attach_scales(file, dataset, scales);
}

// Field `index` of all steps.
void write_field(hid_t file, const FieldFile& content, std::size_t index) {
  const Grid& grid = content.grid;
  const auto extent = [&](int axis) { return static_cast<hsize_t>(grid.extents[axis]); };
  const Shape shape{content.steps.size(), extent(2), extent(1), extent(0), static_cast<hsize_t>(grid.dof)};
  const Handle list = creation_list();
  const Shape chunk = chunk_shape(shape);
  check(H5Pset_chunk(list, 5, chunk.data()), "chunking");
  check(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), "chunking");
  // No chunk cache: every number is written once.
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "dataset properties");
  check(H5Pset_chunk_cache(access, 0, 0, 1.0), "chunk cache");

  const Field& field = content.steps.front().fields[index];
  const Handle space(H5Screate_simple(5, shape.data(), nullptr), H5Sclose, "field space");
  Handle dataset(H5Dcreate2(file, field.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, access),
                 H5Dclose, "creating a field");
  Shape start{}, count = shape;
  count[0] = 1;
  const Handle one_step(H5Screate_simple(5, count.data(), nullptr), H5Sclose, "step space");
  for (start[0] = 0; start[0] < shape[0]; ++start[0]) {
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "choosing a step");
    const double* values = content.steps[start[0]].fields[index].values.data();
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, one_step, space, H5P_DEFAULT, values), "writing a field");
  }
  describe(file, dataset, field, grid_scales);
  dataset.close("closing a field");
}

void write_vector(hid_t file, const MatrixSize& matrix, const Field& field) {
  const hsize_t count = field.values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "field space");
  const Handle list = creation_list();
  Handle dataset(H5Dcreate2(file, field.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT),
                 H5Dclose, "creating a field");
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, field.values.data()),
        "writing a field");
  describe(file, dataset, field, {matrix.scale_of(field)});
  dataset.close("closing a field");
}

void write_size(hid_t file, const MatrixSize& matrix) {
  write_attribute(file, "rows", H5T_STD_I64LE, H5T_NATIVE_INT64, &matrix.rows, 0);
  write_attribute(file, "columns", H5T_STD_I64LE, H5T_NATIVE_INT64, &matrix.columns, 0);
}

void write_size(hid_t file, const Grid& grid) {
  write_attribute(file, "extents", H5T_STD_I64LE, H5T_NATIVE_INT64, grid.extents.data(), 3);
  write_attribute(file, "spacing_m", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, grid.spacing_m.data(), 3);
  write_attribute(file, "dimension", H5T_STD_I32LE, H5T_NATIVE_INT, &grid.dimension, 0);
  write_attribute(file, "dof", H5T_STD_I32LE, H5T_NATIVE_INT, &grid.dof, 0);
}

void write_metadata(hid_t file, const FieldFile& content) {
  content.matrix ? write_size(file, *content.matrix) : write_size(file, content.grid);
  write_attribute(file, "version", content.version);

  std::map<std::string, std::string> options;
  for (const auto& [name, value] : content.options) {
    const auto [at, is_new] = options.emplace(name, value);
    if (!is_new) at->second += ", " + value;
  }
  Handle group(H5Gcreate2(file, "options", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
               "creating a group");
  for (const auto& [name, value] : options) write_attribute(group, name, value);
  group.close("closing a group");
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

void check_name(const std::string& path, const std::string& name) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (name.empty() || name.find_first_not_of(letters) != std::string::npos)
    fail(path, "the field name '" + name + "' must be of letters, digits and _");
  if (name == "options" || name == "xdmf" || name == "row" || name == "column" ||
      std::find(grid_scales.begin(), grid_scales.end(), name) != grid_scales.end())
    fail(path,
         "the field name '" + name + "' is taken by the file's own coordinates or options; choose another");
}

void check_size(const std::string& path, const FieldFile& content, const Field& field) {
  const auto size = static_cast<std::int64_t>(field.values.size());
  const auto refuse = [&](const std::string& place) {
    fail(path, "field '" + field.name + "' has " + std::to_string(size) + " values, the " + place);
  };
  if (!content.matrix && size != content.grid.rows())
    refuse("grid " + std::to_string(content.grid.rows()) + " unknowns");
  if (content.matrix && size != content.matrix->rows && size != content.matrix->columns)
    refuse("matrix " + std::to_string(content.matrix->rows) + " rows");
}

// What the layout needs: the same fields in every step, each with one number per unknown.
void check_content(const std::string& path, const FieldFile& content) {
  if (content.steps.empty() || content.steps.front().fields.empty()) fail(path, "there is no field to write");
  const std::vector<Field>& first = content.steps.front().fields;
  for (std::size_t i = 0; i < first.size(); ++i) {
    check_name(path, first[i].name);
    for (std::size_t j = 0; j < i; ++j)
      if (first[i].name == first[j].name) fail(path, "two fields are named '" + first[i].name + "'");
  }
  if (content.matrix && content.steps.size() > 1) fail(path, "products of a matrix have one step");
  for (const FieldStep& step : content.steps) {
    if (step.fields.size() != first.size()) fail(path, "every step must have the same fields");
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Field& field = step.fields[i];
      if (field.name != first[i].name) fail(path, "every step must have the same fields");
      check_size(path, content, field);
    }
  }
}

// A file about to be replaced: nothing, or a regular file we may write.
void check_target(const std::string& path, const std::string& target) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) fail(path, target + " is a directory");
  if (!fs::is_regular_file(status)) fail(path, target + " is not a regular file");
  if (::access(target.c_str(), W_OK) != 0) fail(path, target + ": " + std::generic_category().message(errno));
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
    fail(path, "the name of a field file ends in .h5, for example fields.h5");
  if (name.string().find(':') != std::string::npos)
    fail(path, "XDMF files cannot refer to a file with a colon in its name");
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
    fail(path, error.what());
  }
  h5.sync();
  xdmf.write(xdmf_text(file, fs::path(path).filename().string()));
  xdmf.sync();
  h5.rename_to_final();
  xdmf.rename_to_final();
}

}  // namespace quadrille
