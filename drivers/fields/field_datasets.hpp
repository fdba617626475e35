// The datasets of a field file: those that are written whole, and those that grow by steps. Internal to the
// field file. Everything throws hdf5::Hdf5Error.
#pragma once

#include <hdf5.h>

#include "drivers/fields/field_file.hpp"
#include "drivers/fields/hdf5_objects.hpp"

namespace quadrille {

// Whether the name is that of a grid's scale.
bool is_scale(const std::string& name);

// Coordinates of a grid's axes and of time, or of a matrix's rows and columns. `grows`: more steps may come.
void write_scales(hid_t file, const FieldFile& content, bool grows = false);

// A dataset for a field of the grid, without steps yet, of which there will be `steps`, and with `grows` any
// number.
void create_field(hid_t file, const Grid& grid, const Field& field, std::size_t steps, bool grows = false);
// Room for so many steps of a dataset that has some already.
void make_room(hid_t file, const std::string& name, std::size_t steps);
// About the bytes that this takes of the disk for each step of a field, at most.
std::int64_t step_bytes(const Grid& grid);
// The values of one step, for which there is room: all ranks write their boxes, as `transfer` says.
void write_box(hid_t file, const FieldFile& content, const Field& field, std::size_t step, hid_t transfer);
void write_time(hid_t file, std::size_t step, double time_s);

void create_vector(hid_t file, const MatrixSize& matrix, const Field& field);
void write_vector(hid_t file, const Field& field);
// Sizes, version and options.
void write_metadata(hid_t file, const FieldFile& content);

}  // namespace quadrille
