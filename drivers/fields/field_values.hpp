// The numbers of fields, which all ranks write at once, each those of its box. Internal to the field file.
#pragma once

#include <string>

#include "drivers/fields/field_file.hpp"

namespace quadrille {

// Of all steps of `content`, into a file at `path` that has the datasets and room for them: step i of
// `content` is step first + i there. Collective. Throws OutputError, which names `shown`.
void write_values(const std::string& path, const std::string& shown, const FieldFile& content,
                  std::size_t first);

}  // namespace quadrille
