// Fields on disk: an HDF5 file with an XDMF file beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/ranks.hpp"
#include "grid/field.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// All fields at one time.
struct FieldStep {
  double time_s = 0;
  std::vector<Field> fields;  // the same names in every step
};

// Of a matrix that no grid belongs to: its vectors have a number per row or, where it is not square, per
// column.
struct MatrixSize {
  std::int64_t rows = 0, columns = 0;
  const char* scale_of(const Field& field) const;  // "row" or "column"
};

struct FieldFile {
  Grid grid;
  std::optional<MatrixSize> matrix;  // in place of the grid; then there is one step
  std::vector<FieldStep> steps;
  std::vector<std::pair<std::string, std::string>>
      options;  // the full resolved options, stored as attributes
  std::string version;
  // Which of a grid's nodes the values of this rank are, and who has the others; by default all of them.
  std::optional<NodeBox> part = {};
  Ranks ranks = {};

  NodeBox box() const { return part ? *part : whole_box(grid.extents); }
};

// Writes `path` (.h5) and, with the same stem, an .xdmf beside it that refers to it by a relative path.
// Datasets: /<field>[step][z][y][x][dof] with dimension scales time, z, y, x, dof; attributes units and
// long_name. Root attributes: extents and spacing_m (both x, y, z), dimension, dof, version; the options are
// string attributes of the group /options, repeated ones joined by ", ". Of a matrix: /<field>[row] or
// [column] with the dimension scales row and, where it is not square, column, and the root attributes rows
// and columns. A field is named with letters, digits and _, and not after a scale, "options" or "xdmf", what
// the .xdmf refers to: those names are taken. Both files are written under temporary names in the same folder
// and renamed, the .h5 first. The first rank lays the files out, all of them write the numbers of their boxes
// into the .h5 at once, by MPI, in a folder that they share. Collective. Throws OutputError on all ranks,
// with the path and the reason; then neither final file was touched.
void write_field_file(const std::string& path, const FieldFile& file);

// Throws OutputError at once, before any work, when `path` could not be written (no such folder, no
// permission, a directory, an extension other than .h5, a colon in the file's name: XDMF ends the name
// there).
void check_field_path(const std::string& path);

// The .xdmf that belongs to an .h5 path.
std::string xdmf_path(const std::string& path);

}  // namespace quadrille
