#include "drivers/fields/field_source.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <functional>

#include "drivers/fields/field_datasets.hpp"
#include "drivers/fields/hdf5_reading.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

using namespace hdf5;

// The path to every reason.
void reading(const std::string& path, const std::function<void()>& body) {
  const SilentErrors silent;
  try {
    body();
  } catch (const Hdf5Error& error) {
    throw InputError("cannot read " + path + ": " + error.what());
  } catch (const InputError& error) {
    throw InputError("cannot read " + path + ": " + error.what());
  }
}

template <class Number>
std::array<Number, 3> three(hid_t file, const char* name) {
  const std::optional<std::vector<double>> numbers = numbers_of(file, name);
  if (!numbers || numbers->size() != 3)
    refuse(std::string("it has no attribute ") + name + " with three numbers, as fields of a grid have");
  return {static_cast<Number>((*numbers)[0]), static_cast<Number>((*numbers)[1]),
          static_cast<Number>((*numbers)[2])};
}

int whole(hid_t file, const char* name) {
  const std::optional<std::vector<double>> numbers = numbers_of(file, name);
  if (!numbers || numbers->size() != 1)
    refuse(std::string("it has no attribute ") + name + ", as fields of a grid have");
  return static_cast<int>(numbers->front());
}

// What has [step][z][y][x][dof] of this grid; a step without a time is one that was not written to its end.
bool is_field(hid_t dataset, const FieldContents& contents) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "the type");
  const std::array<std::int64_t, 3>& n = contents.grid.extents;
  const std::vector<hsize_t> extents = extents_of(dataset);
  if (extents.empty() || extents[0] < contents.times_s.size()) return false;
  const std::vector<hsize_t> wanted{extents[0], static_cast<hsize_t>(n[2]), static_cast<hsize_t>(n[1]),
                                    static_cast<hsize_t>(n[0]), static_cast<hsize_t>(contents.grid.dof)};
  return holds_numbers(type) && extents == wanted;
}

}  // namespace

FieldContents field_contents(const std::string& path) {
  FieldContents contents;
  reading(path, [&] {
    const Handle file = opened(path);
    contents.grid.extents = three<std::int64_t>(file, "extents");
    contents.grid.spacing_m = three<double>(file, "spacing_m");
    contents.grid.dimension = whole(file, "dimension");
    contents.grid.dof = whole(file, "dof");
    validate(contents.grid);
    contents.times_s = times_of(file);
    for (const std::string& name : names_in(file)) {
      const Handle object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose, "opening an object");
      if (H5Iget_type(object) == H5I_DATASET && !is_scale(name) && is_field(object, contents))
        contents.fields.push_back({name, "", "", {}});
    }
  });
  return contents;
}

FieldContents with_texts(const std::string& path, FieldContents contents) {
  reading(path, [&] {
    const Handle file = opened(path);
    for (Field& field : contents.fields) {
      const Handle object(H5Oopen(file, field.name.c_str(), H5P_DEFAULT), H5Oclose, "opening an object");
      field.long_name = text_of(object, "long_name");
      field.units = text_of(object, "units");
    }
  });
  return contents;
}

void read_box(const std::string& path, const FieldContents& contents, const std::string& field,
              std::size_t step, const NodeBox& box, double* to, int stride) {
  reading(path, [&] {
    const Handle file = opened(path), dataset = dataset_of(file, field);
    if (!is_field(dataset, contents)) refuse("'" + field + "' is no field of its grid and steps");
    const Handle space(H5Dget_space(dataset), H5Sclose, "the extents");
    const auto dof = static_cast<hsize_t>(contents.grid.dof), nodes = static_cast<hsize_t>(box.nodes());
    if (nodes == 0) return;
    const auto along = [](const NodePosition& p, int axis) { return static_cast<hsize_t>(p[axis]); };
    const std::array<hsize_t, 5> start{step, along(box.first, 2), along(box.first, 1), along(box.first, 0),
                                       0},
        count{1, along(box.size, 2), along(box.size, 1), along(box.size, 0), dof};
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "choosing a step");
    const std::array<hsize_t, 2> there{nodes, static_cast<hsize_t>(stride)}, from{0, 0}, taken{nodes, dof};
    const Handle mine(H5Screate_simple(2, there.data(), nullptr), H5Sclose, "the extents");
    check(H5Sselect_hyperslab(mine, H5S_SELECT_SET, from.data(), nullptr, taken.data(), nullptr),
          "choosing unknowns");
    check(H5Dread(dataset, H5T_NATIVE_DOUBLE, mine, space, H5P_DEFAULT, to), "its numbers");
  });
}

}  // namespace quadrille
