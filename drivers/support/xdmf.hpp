// The XDMF text that makes an HDF5 file of fields readable by ParaView and VTK.
#pragma once

#include <string>

#include "drivers/support/field_file.hpp"

namespace quadrille {

// One uniform grid per step, fields on the nodes, data in `h5_name`: a file name in the same folder. DoF 1 is
// a Scalar, DoF 3 a Vector; any other DoF is one Scalar <name>_<dof> each, because readers disagree on
// Matrix. Of a matrix, a line of points with its rows in order, and another with its columns where it is not square.
std::string xdmf_text(const FieldFile& content, const std::string& h5_name);

}  // namespace quadrille
