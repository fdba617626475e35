#include "drivers/fields/hdf5_reading.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "drivers/fields/paths.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"

namespace quadrille::hdf5 {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

void refuse(const std::string& reason) {
  throw InputError(reason);
}

Handle opened(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) refuse(why_missing(path, "there is no such file"));
  if (std::filesystem::is_directory(path, ignored)) refuse("is a folder, not a file");
  const bool is_hdf5 = H5Fis_hdf5(path.c_str()) > 0;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0 && is_hdf5) fail("cannot be read");
  if (file < 0) refuse("is no HDF5 file, or cannot be read");
  return Handle(file, H5Fclose, "opening the file");
}

std::vector<std::string> names_in(hid_t group) {
  std::vector<std::string> names;
  H5Literate(
      group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
        static_cast<std::vector<std::string>*>(data)->emplace_back(name);
        return 0;
      },
      &names);
  return names;
}

Handle dataset_of(hid_t file, const std::string& name) {
  const hid_t object = H5Oopen(file, name.c_str(), H5P_DEFAULT);
  if (object < 0) {
    const std::vector<std::string> names = names_in(file);
    refuse("there is no dataset '" + name + "' in it" +
           (names.empty() ? "; it is empty" : ", but " + listed(names)) + suggestion(name, names));
  }
  if (H5Iget_type(object) == H5I_DATASET) return Handle(object, H5Oclose, "opening the dataset");
  const Handle group(object, H5Oclose, "opening the group");
  const std::vector<std::string> names = names_in(group);
  refuse("'" + name + "' is a group, not a dataset: it " +
         (names.empty() ? "is empty" : "has " + listed(names)));
}

bool holds_numbers(hid_t type) {
  return H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
}

std::vector<hsize_t> extents_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "the extents");
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!extents.empty()) check(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "the extents");
  return extents;
}

std::optional<std::vector<double>> numbers_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "an attribute");
  const Handle type(H5Aget_type(attribute), H5Tclose, "an attribute"),
      space(H5Aget_space(attribute), H5Sclose, "an attribute");
  if (!holds_numbers(type)) return std::nullopt;
  std::vector<double> values(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  if (!values.empty()) check(H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()), "reading an attribute");
  return values;
}

std::vector<double> times_of(hid_t file) {
  const Handle dataset = dataset_of(file, "time");
  const std::vector<hsize_t> extents = extents_of(dataset);
  if (extents.size() != 1) refuse("its time is no line of numbers");
  std::vector<double> times(extents[0]);
  if (!times.empty())
    check(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data()), "its times");
  return times;
}

std::string text_of(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return "";
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "an attribute");
  const Handle type(H5Aget_type(attribute), H5Tclose, "an attribute");
  if (H5Tget_class(type) != H5T_STRING) return "";
  if (H5Tis_variable_str(type) <= 0) {
    std::string fixed(H5Tget_size(type), '\0');
    check(H5Aread(attribute, type, fixed.data()), "reading an attribute");
    return fixed.c_str();
  }
  char* text = nullptr;
  check(H5Aread(attribute, type, &text), "reading an attribute");
  const std::string result = text == nullptr ? "" : text;
  H5free_memory(text);
  return result;
}

}  // namespace quadrille::hdf5
