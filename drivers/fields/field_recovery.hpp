// A file that grows in place, and a process that dies while it does: HDF5 keeps the places of all numbers in
// trees and lists, and half of a change to them can make any later one fail. While a step is written, an
// empty file NAME.incomplete stands beside NAME; who finds it there takes the whole steps into a new file.
// Internal to FieldSeries.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "drivers/fields/field_file.hpp"
#include "drivers/fields/field_source.hpp"

namespace quadrille {

// Throws OutputError, which names `path`.
void mark_incomplete(const std::string& path);
bool is_marked_incomplete(const std::string& path);
void unmark_incomplete(const std::string& path);

// What a file has of its first steps that are whole, until a time and right then: before the first one that
// has no time, or no place for some number of these fields. Throws InputError.
FieldContents whole_steps(const std::string& path, const std::vector<Field>& fields, double until_s);

}  // namespace quadrille
