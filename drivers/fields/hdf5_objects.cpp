#include "drivers/fields/hdf5_objects.hpp"

#include <hdf5_hl.h>

#include <numeric>

namespace quadrille::hdf5 {
namespace {

void make_scale(Handle& dataset, const char* name, const char* long_name, const char* units) {
  check(H5DSset_scale(dataset, name), "making a dimension scale");
  write_attribute(dataset, "long_name", long_name);
  write_attribute(dataset, "units", units);
  dataset.close("closing a scale");
}

void write_scale(hid_t file, const char* name, hid_t file_type, hid_t memory_type, const void* values,
                 hsize_t count, const char* long_name, const char* units) {
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "scale space");
  const Handle list = creation_list();
  Handle dataset(H5Dcreate2(file, name, file_type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose,
                 "creating a scale");
  check(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "writing a scale");
  make_scale(dataset, name, long_name, units);
}

}  // namespace

void fail(const char* what) {
  std::string message;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned depth, const H5E_error2_t* error, void* data) -> herr_t {
        if (depth == 0 && error->desc) *static_cast<std::string*>(data) = error->desc;
        return 0;
      },
      &message);
  throw Hdf5Error(std::string(what) + ": " + (message.empty() ? "HDF5 gave no reason" : message));
}

SilentErrors::SilentErrors() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

SilentErrors::~SilentErrors() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

void write_attribute(hid_t object, const std::string& name, const std::string& text, bool in_place) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "string type");
  check(H5Tset_size(type, in_place ? text.size() + 1 : H5T_VARIABLE), "string type");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "string type");
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "scalar space");
  Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                   "creating an attribute");
  const char* data = text.c_str();
  check(H5Awrite(attribute, type, in_place ? static_cast<const void*>(data) : &data), "writing an attribute");
  attribute.close("closing an attribute");
}

void write_attribute(hid_t object, const char* name, hid_t file_type, hid_t memory_type, const void* data,
                     hsize_t count) {
  const Handle space(count ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR), H5Sclose,
                     "attribute space");
  Handle attribute(H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                   "creating an attribute");
  check(H5Awrite(attribute, memory_type, data), "writing an attribute");
  attribute.close("closing an attribute");
}

Handle creation_list() {
  const hid_t list = check(H5Pcreate(H5P_DATASET_CREATE), "dataset properties");
  H5Pset_obj_track_times(list, false);
  return Handle(list, H5Pclose, "dataset properties");
}

void write_scale(hid_t file, const char* name, const std::vector<double>& values, const char* long_name,
                 const char* units) {
  write_scale(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size(), long_name, units);
}

void write_growing_scale(hid_t file, const char* name, const char* long_name, const char* units) {
  const hsize_t none = 0, most = H5S_UNLIMITED, chunk = 128;
  const Handle space(H5Screate_simple(1, &none, &most), H5Sclose, "scale space");
  const Handle list = creation_list();
  check(H5Pset_chunk(list, 1, &chunk), "chunking");
  check(H5Pset_fill_time(list, H5D_FILL_TIME_ALLOC), "chunking");  // equal content gives equal bytes
  Handle dataset(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose,
                 "creating a scale");
  make_scale(dataset, name, long_name, units);
}

void write_counting_scale(hid_t file, const char* name, std::int64_t count, const char* long_name) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  write_scale(file, name, H5T_STD_I64LE, H5T_NATIVE_INT64, numbers.data(), numbers.size(), long_name, "1");
}

void attach_scales(hid_t file, hid_t dataset, const std::vector<const char*>& names) {
  for (unsigned axis = 0; axis < names.size(); ++axis) {
    const Handle scale(H5Dopen2(file, names[axis], H5P_DEFAULT), H5Dclose, "opening a scale");
    check(H5DSattach_scale(dataset, scale, axis), "attaching a scale");
    check(H5DSset_label(dataset, axis, names[axis]), "labelling a dimension");
  }
}

}  // namespace quadrille::hdf5
