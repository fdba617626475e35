// What the first rank does of a field file: everything but the numbers. Internal to the field file.
#pragma once

#include <string>

#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/field_file.hpp"

namespace quadrille {

// The content of `target`: datasets for the fields of the first step and all that describes them, and unless
// it grows the steps' times and views; without the steps' numbers and without room for them. Throws
// OutputError.
void lay_out(const TemporaryFile& target, const FieldFile& content, bool grows);

// Room on the disk, in a file that is laid out at `path`, for the steps of `content` from `first` on, and
// where it grows their times and views. Nothing that is written there later can meet a full disk. Throws
// OutputError, which names `shown`, where there is no room; then the file is as it was.
void add_room(const std::string& path, const std::string& shown, const FieldFile& content, std::size_t first,
              bool grows);

}  // namespace quadrille
