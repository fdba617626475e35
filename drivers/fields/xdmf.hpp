// The XDMF text that makes an HDF5 file of fields readable by ParaView, VTK and meshio.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/fields/field_file.hpp"

namespace quadrille {

// The points that fields of the file lie on: the nodes of a grid, or a matrix's rows or columns in a line.
struct Lattice {
  std::string name;  // "grid", "row", "column"
  std::array<std::int64_t, 3> extents;
  std::array<double, 3> spacing_m;

  std::int64_t points() const { return extents[0] * extents[1] * extents[2]; }
  // Whether the file holds its points and cells one by one as well, for readers that know no lattices. They
  // take ten times the room of a field, and so are for small lattices.
  bool has_mesh() const { return points() <= std::int64_t{1} << 20; }
  std::vector<int> cell_axes() const;         // those with more than one point
  std::array<std::int64_t, 3> cells() const;  // along each axis
  std::string mesh_path(const std::string& part) const {
    return "/xdmf/" + name + "_" + part;
  }  // "points", "cells"
};
std::vector<Lattice> lattices(const FieldFile& content);

// One array of a reader: all unknowns of a node, or one of several.
struct XdmfArray {
  std::string name, path;    // of the dataset that holds nothing but this array
  int first = 0, count = 1;  // unknowns of the field's nodes
};
// One unknown a node is a scalar, three are a vector; else each is a scalar of its own, <name>_0, <name>_1,
// ...: VTK's readers disagree, from version to version, on the component count of XDMF's "Matrix".
std::vector<XdmfArray> xdmf_arrays(const FieldFile& content, const Field& field, std::size_t step);

// One uniform grid per step, fields on the nodes, data in `h5_name`: a file name in the same folder. Where
// there is a mesh, a grid's topology and geometry are the cells and points one by one, for meshio, and refer
// to the lattice in an Information element, which is what VTK reads instead.
std::string xdmf_text(const FieldFile& content, const std::string& h5_name);

}  // namespace quadrille
