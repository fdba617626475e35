#include "drivers/fields/field_datasets.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace quadrille {
namespace {

using namespace hdf5;

constexpr std::size_t max_chunk_bytes = std::size_t{4} << 20;
const std::vector<const char*> grid_scales{"time", "z", "y", "x", "dof"};

using Shape = std::array<hsize_t, 5>;  // [step][z][y][x][dof]

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

Shape shape_of(const Grid& grid, std::size_t steps) {
  const auto extent = [&](int axis) { return static_cast<hsize_t>(grid.extents[axis]); };
  return {steps, extent(2), extent(1), extent(0), static_cast<hsize_t>(grid.dof)};
}

// No chunk cache: every number is written once.
Handle without_cache() {
  const hid_t access = check(H5Pcreate(H5P_DATASET_ACCESS), "dataset properties");
  H5Pset_chunk_cache(access, 0, 0, 1.0);
  return Handle(access, H5Pclose, "dataset properties");
}

void describe(hid_t file, hid_t dataset, const Field& field, const std::vector<const char*>& scales) {
  write_attribute(dataset, "long_name", field.long_name);
  write_attribute(dataset, "units", field.units);
  attach_scales(file, dataset, scales);
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

}  // namespace

bool is_scale(const std::string& name) {
  return std::find(grid_scales.begin(), grid_scales.end(), name) != grid_scales.end();
}

void write_scales(hid_t file, const FieldFile& content, bool grows) {
  if (content.matrix) {
    write_counting_scale(file, "row", content.matrix->rows, "row of the matrix");
    if (content.matrix->columns != content.matrix->rows)
      write_counting_scale(file, "column", content.matrix->columns, "column of the matrix");
    return;
  }
  std::vector<double> times;
  for (const FieldStep& step : content.steps) times.push_back(step.time_s);
  if (grows)
    write_growing_scale(file, "time", "time", "s");
  else
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

// Room on the disk is taken with each step: where several ranks write, none of them changes anything but
// numbers.
void create_field(hid_t file, const Grid& grid, const Field& field, std::size_t steps, bool grows) {
  const Shape shape = shape_of(grid, 0), chunk = chunk_shape(shape_of(grid, 1));
  Shape most = shape_of(grid, steps);
  if (grows) most[0] = H5S_UNLIMITED;
  const Handle list = creation_list();
  check(H5Pset_chunk(list, 5, chunk.data()), "chunking");
  check(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), "chunking");
  check(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY), "chunking");
  const Handle space(H5Screate_simple(5, shape.data(), most.data()), H5Sclose, "field space");
  Handle dataset(
      H5Dcreate2(file, field.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, without_cache()),
      H5Dclose, "creating a field");
  describe(file, dataset, field, grid_scales);
  dataset.close("closing a field");
}

void make_room(hid_t file, const std::string& name, std::size_t steps) {
  Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "opening a field");
  const Handle space(H5Dget_space(dataset), H5Sclose, "field space");
  Shape shape{};
  check(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "the size of a field");
  shape[0] = steps;
  check(H5Dset_extent(dataset, shape.data()), "making room for a step");
  dataset.close("closing a field");
}

std::int64_t step_bytes(const Grid& grid) {
  const Shape shape = shape_of(grid, 1), chunk = chunk_shape(shape);
  hsize_t chunks = 1, bytes = sizeof(double);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    chunks *= (shape[axis] + chunk[axis] - 1) / chunk[axis];
    bytes *= chunk[axis];
  }
  const hsize_t of_index = 256;  // of a chunk's place: half-full nodes of a tree
  return static_cast<std::int64_t>(chunks * (bytes + of_index));
}

void write_box(hid_t file, const FieldFile& content, const Field& field, std::size_t step, hid_t transfer) {
  const Handle access = without_cache();
  Handle dataset(H5Dopen2(file, field.name.c_str(), access), H5Dclose, "opening a field");
  const Handle space(H5Dget_space(dataset), H5Sclose, "field space");
  const NodeBox box = content.box();
  Shape start{step, 0, 0, 0, 0}, count = shape_of(content.grid, 1);
  for (int axis = 0; axis < 3; ++axis) {
    start[3 - axis] = static_cast<hsize_t>(box.first[axis]);
    count[3 - axis] = static_cast<hsize_t>(box.size[axis]);
  }
  const Handle mine(H5Screate_simple(5, count.data(), nullptr), H5Sclose, "step space");
  check(box.nodes() > 0
            ? H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr)
            : H5Sselect_none(space),
        "choosing a step");
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, mine, space, transfer, field.values.data()), "writing a field");
  dataset.close("closing a field");
}

void write_time(hid_t file, std::size_t step, double time_s) {
  Handle dataset(H5Dopen2(file, "time", H5P_DEFAULT), H5Dclose, "opening the time");
  const Handle space(H5Dget_space(dataset), H5Sclose, "time space");
  const hsize_t start = step, count = 1;
  const Handle one(H5Screate_simple(1, &count, nullptr), H5Sclose, "time space");
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &count, nullptr), "choosing a time");
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &time_s), "writing the time");
  dataset.close("closing the time");
}

void create_vector(hid_t file, const MatrixSize& matrix, const Field& field) {
  const hsize_t count = field.values.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "field space");
  const Handle list = creation_list();
  Handle dataset(H5Dcreate2(file, field.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT),
                 H5Dclose, "creating a field");
  describe(file, dataset, field, {matrix.scale_of(field)});
  dataset.close("closing a field");
}

void write_vector(hid_t file, const Field& field) {
  Handle dataset(H5Dopen2(file, field.name.c_str(), H5P_DEFAULT), H5Dclose, "opening a field");
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, field.values.data()),
        "writing a field");
  dataset.close("closing a field");
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
  // What a run goes on from is read before the sum over its bits is known to be right.
  for (const auto& [name, value] : options)
    write_attribute(group, name, value, name.starts_with("checkpoint_"));
  group.close("closing a group");
}

}  // namespace quadrille
