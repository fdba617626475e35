// The part of a field file that only its XDMF refers to. Internal to the field file.
#pragma once

#include <hdf5.h>

#include "drivers/fields/field_file.hpp"

namespace quadrille {

// The group /xdmf: of each step and field /xdmf/<step>/<array> [node] or [node][3], views of the field's own
// dataset (HDF5's virtual datasets, which hold nothing), and of small lattices points [point][3] and cells
// [cell][corner], compressed. The fields are in the file already. Throws hdf5::Hdf5Error.
void write_xdmf_data(hid_t file, const FieldFile& content);
// The same in two parts: all but the views, and those of one step.
void write_xdmf_meshes(hid_t file, const FieldFile& content);
void write_xdmf_views(hid_t file, const FieldFile& content, std::size_t step);

}  // namespace quadrille
