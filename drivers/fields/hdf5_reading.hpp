// HDF5 files that somebody gives, and what is wrong with them. Internal to what reads fields. Everything
// throws InputError with one reason, which does not name the file, and hdf5::Hdf5Error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drivers/fields/hdf5_objects.hpp"

namespace quadrille::hdf5 {

[[noreturn]] void refuse(const std::string& reason);

Handle opened(const std::string& path);
std::vector<std::string> names_in(hid_t group);
// With the names that there are, and the nearest one, where it is not there or is none.
Handle dataset_of(hid_t file, const std::string& name);
bool holds_numbers(hid_t type);
std::vector<hsize_t> extents_of(hid_t dataset);  // empty of a scalar
// Numbers of an attribute; nothing where there is none of that name.
std::optional<std::vector<double>> numbers_of(hid_t object, const char* name);
std::vector<double> times_of(hid_t file);  // of the steps of a field file
// A string, or "".
std::string text_of(hid_t object, const char* name);

}  // namespace quadrille::hdf5
