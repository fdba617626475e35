// Fields that a user gives: a dataset of an HDF5 file, one number for each node of a grid.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "formats/array.hpp"
#include "grid/grid.hpp"

namespace quadrille {

// FILE.h5:DATASET, where the dataset may be in groups: run.h5:model/permx.
struct FieldPlace {
  std::string file, dataset;
};
// Nothing unless there is a colon with something on both sides; the last one counts. A text with a '?' is a
// formula.
std::optional<FieldPlace> field_place(const std::string& text);
// One, or several with commas between; none unless all parts are places.
std::vector<std::string> field_places(const std::string& text);

struct FieldShape {
  int dimension = 3;
  std::array<std::int64_t, 3> extents{1, 1, 1};    // nodes along x, y, z
  std::optional<std::array<double, 3>> spacing_m;  // where the file tells it
  std::int64_t unknowns = 1;                       // of a node
};

// Of [step][z][y][x][dof], as this program writes it, of [z][y][x][dof], [z][y][x] or [y][x]; with unknowns,
// one plane is a grid in 2D. The spacing is that of an attribute spacing_m (along x, y, z) of the dataset or
// of the file. Both throw InputError with one reason, which does not name the place.
FieldShape field_shape(const FieldPlace& place);

// [node][unknown], of the last step; any integers and floating-point numbers that the HDF5 at hand reads,
// compressed ones too. Throws MemoryError as well.
Array<double> read_field(const FieldPlace& place);

}  // namespace quadrille
