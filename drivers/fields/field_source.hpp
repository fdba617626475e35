// Field files of a grid that are read again, by boxes of nodes.
#pragma once

#include <string>
#include <vector>

#include "grid/field.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

struct FieldContents {
  Grid grid;  // dof: unknowns of a node in each field
  std::vector<double> times_s;
  std::vector<Field> fields;  // without values, by name
};

// Of a file as write_field_file() and FieldSeries write them; names and units for people by with_texts(), for
// HDF5 1.10 follows some damage to texts for ever. All throw InputError, with the path.
FieldContents field_contents(const std::string& path);
FieldContents with_texts(const std::string& path, FieldContents contents);

// The numbers of a box of nodes at a step, x fastest, unknowns innermost: those of node i begin at
// to[i * stride].
void read_box(const std::string& path, const FieldContents& contents, const std::string& field,
              std::size_t step, const NodeBox& box, double* to, int stride);

}  // namespace quadrille
