#include "drivers/support/field_input.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "drivers/fields/hdf5_objects.hpp"
#include "drivers/fields/paths.hpp"
#include "drivers/support/options_values.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"

namespace quadrille {
namespace {

using namespace hdf5;

[[noreturn]] void fail(const std::string& reason) {
  throw InputError(reason);
}

Handle opened(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) fail(why_missing(path, "there is no such file"));
  if (std::filesystem::is_directory(path, ignored)) fail("is a folder, not a file");
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) fail("is no HDF5 file, or cannot be read");
  return Handle(file, H5Fclose, "opening the file");
}

std::vector<std::string> names_in(hid_t file) {
  std::vector<std::string> names;
  H5Literate(
      file, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
        static_cast<std::vector<std::string>*>(data)->emplace_back(name);
        return 0;
      },
      &names);
  return names;
}

Handle dataset_of(hid_t file, const FieldPlace& place) {
  const hid_t object = H5Oopen(file, place.dataset.c_str(), H5P_DEFAULT);
  if (object < 0) {
    const std::vector<std::string> names = names_in(file);
    fail("there is no dataset '" + place.dataset + "' in it" +
         (names.empty() ? "; it is empty" : ", but " + joined(names, ", ")) +
         suggestion(place.dataset, names));
  }
  if (H5Iget_type(object) == H5I_DATASET) return Handle(object, H5Oclose, "opening the dataset");
  const Handle group(object, H5Oclose, "opening the group");
  fail("'" + place.dataset + "' is a group, not a dataset: it has " + joined(names_in(group), ", "));
}

std::vector<hsize_t> extents_of(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "the type");
  if (H5Tget_class(type) != H5T_INTEGER && H5Tget_class(type) != H5T_FLOAT) fail("holds no numbers");
  const Handle space(H5Dget_space(dataset), H5Sclose, "the extents");
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank != 2 && rank != 3 && rank != 5)
    fail("has " + std::to_string(std::max(0, rank)) +
         " axes; a field has [z][y][x], [y][x], or [step][z][y][x][dof] as this program writes it");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "the extents");
  if (std::find(extents.begin(), extents.end(), 0u) != extents.end()) fail("is empty");
  if (rank == 5 && extents[4] != 1)
    fail("has " + std::to_string(extents[4]) + " unknowns per node; a coefficient or a source has one");
  return extents;
}

// Numbers of an attribute; nothing where there is none of that name.
std::optional<std::vector<double>> attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "an attribute");
  const Handle type(H5Aget_type(attribute), H5Tclose, "an attribute"),
      space(H5Aget_space(attribute), H5Sclose, "an attribute");
  if (H5Tget_class(type) != H5T_INTEGER && H5Tget_class(type) != H5T_FLOAT) return std::nullopt;
  std::vector<double> values(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  if (!values.empty()) check(H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()), "reading an attribute");
  return values;
}

std::optional<std::array<double, 3>> spacing_of(hid_t file, hid_t dataset, int dimension) {
  std::optional<std::vector<double>> told = attribute(dataset, "spacing_m");
  if (!told) told = attribute(file, "spacing_m");
  if (!told) return std::nullopt;
  std::array<double, 3> spacing_m{1, 1, 1};
  if (told->size() != 3 && told->size() != static_cast<std::size_t>(dimension))
    fail("its attribute spacing_m has " + std::to_string(told->size()) + " numbers, not one for each axis");
  std::copy(told->begin(), told->end(), spacing_m.begin());
  for (const double h : spacing_m)
    if (!(h >= 1e-150) || !(h <= 1e150))
      fail("its attribute spacing_m has " + number_text(h) + "; lengths are positive");
  return spacing_m;
}

// What HDF5 says is the reason; `body` has reasons of its own.
template <class Body>
auto with_reasons(const Body& body) {
  const SilentErrors silent;
  try {
    return body();
  } catch (const Hdf5Error& error) {
    fail(std::string("cannot be read: ") + error.what());
  }
}

}  // namespace

std::optional<FieldPlace> field_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) return std::nullopt;
  return FieldPlace{text.substr(0, colon), text.substr(colon + 1)};
}

FieldShape field_shape(const FieldPlace& place) {
  return with_reasons([&] {
    const Handle file = opened(place.file), dataset = dataset_of(file, place);
    const std::vector<hsize_t> extents = extents_of(dataset);
    const bool ours = extents.size() == 5;
    FieldShape shape;
    const std::size_t last = extents.size() - (ours ? 2 : 1), axes = ours ? 3 : extents.size();
    for (std::size_t axis = 0; axis < axes; ++axis)
      shape.extents[axis] = static_cast<std::int64_t>(extents[last - axis]);
    shape.dimension = static_cast<int>(axes);
    if (ours) {
      const std::optional<std::vector<double>> told = attribute(file, "dimension");
      const bool flat = shape.extents[2] == 1;
      shape.dimension = flat && (!told || told->size() != 1 || told->front() == 2) ? 2 : 3;
    }
    shape.spacing_m = spacing_of(file, dataset, shape.dimension);
    return shape;
  });
}

Array<double> read_field(const FieldPlace& place) {
  return with_reasons([&] {
    const Handle file = opened(place.file), dataset = dataset_of(file, place);
    std::vector<hsize_t> count = extents_of(dataset), start(count.size(), 0);
    const Handle space(H5Dget_space(dataset), H5Sclose, "the extents");
    if (count.size() == 5) start[0] = count[0] - 1, count[0] = 1;
    std::int64_t size = 1;
    for (const hsize_t n : count) size = checked_product(size, static_cast<std::int64_t>(n), "the field");
    memory::require_host(checked_product(size, 8, "the field"));
    Array<double> values(size);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "choosing a step");
    const Handle all(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose,
                     "the extents");
    check(H5Dread(dataset, H5T_NATIVE_DOUBLE, all, space, H5P_DEFAULT, values.data()), "its numbers");
    return values;
  });
}

}  // namespace quadrille
