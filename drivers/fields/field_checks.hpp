// What a field file must be. Internal to the field file.
#pragma once

#include <functional>
#include <string>

#include "drivers/fields/field_file.hpp"

namespace quadrille {

// Throws OutputError: "cannot write PATH: reason".
[[noreturn]] void cannot_write(const std::string& path, const std::string& reason);

// body(), where what HDF5 says is such an error, and not printed.
void writing(const std::string& path, const std::function<void()>& body);

// What the layout needs: the same fields in every step, each with one number per unknown, and names that are
// not the file's own. Throws OutputError.
void check_content(const std::string& path, const FieldFile& content);

}  // namespace quadrille
