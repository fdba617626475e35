#include "grid/grid.hpp"

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "grid/error.hpp"

namespace quadrille {

void validate(const Grid& grid) {
  if (grid.dimension != 2 && grid.dimension != 3)
    throw InputError("a grid has 2 or 3 dimensions, not " + std::to_string(grid.dimension));
  for (int axis = 0; axis < 3; ++axis) {
    // Extents and lengths of two axes leave a third one of 0.
    const std::string flat = axis == 2 ? "; in 2D it is 1: {.dimension = 2, .extents = {64, 64, 1}, "
                                         ".spacing_m = {h, h, 1}}"
                                       : "";
    if (grid.extents[axis] < 1)
      throw InputError("grid " + to_string(grid) + ": every extent must be at least 1 node, and that along " +
                       "xyz"[axis] + " is " + std::to_string(grid.extents[axis]) + flat);
    if (!(grid.spacing_m[axis] > 0) || !std::isfinite(grid.spacing_m[axis]))
      throw InputError("grid spacing " + std::to_string(grid.spacing_m[axis]) + " along " + "xyz"[axis] +
                       ": must be a positive length" + flat);
  }
  if (grid.dimension == 2 && grid.extents[2] != 1)
    throw InputError("grid " + to_string(grid) + ": a 2D grid has one layer along z");
  if (grid.dof < 1 || grid.dof > max_dof)
    throw InputError("DoF " + std::to_string(grid.dof) + ": must be 1 to " + std::to_string(max_dof));
  std::int64_t rows = grid.dof;
  for (const std::int64_t extent : grid.extents)
    if (__builtin_mul_overflow(rows, extent, &rows))
      throw InputError("grid " + to_string(grid) + " with " + std::to_string(grid.dof) +
                       " DoF: the number of unknowns overflows 64 bits");
}

Grid parse_grid(const std::string& text) {
  Grid grid;
  const char* at = text.c_str();
  int axes = 0;
  while (true) {
    char* end = nullptr;
    errno = 0;
    const long long extent = std::strtoll(at, &end, 10);
    if (end == at || errno == ERANGE || axes == 3)
      throw InputError("grid '" + text + "': write NXxNY or NXxNYxNZ, for example 256x256 or 64x64x64");
    grid.extents[axes++] = extent;
    at = end;
    if (*at == '\0') break;
    if (*at != 'x')
      throw InputError("grid '" + text + "': '" + at + "' is not understood; write NXxNY or NXxNYxNZ");
    ++at;
  }
  if (axes < 2)
    throw InputError("grid '" + text + "': give two or three extents, for example " + text + "x" + text);
  grid.dimension = axes;
  validate(grid);
  return grid;
}

std::string to_string(const Grid& grid) {
  std::string text = std::to_string(grid.extents[0]) + "x" + std::to_string(grid.extents[1]);
  if (grid.dimension == 3) text += "x" + std::to_string(grid.extents[2]);
  return text;
}

}  // namespace quadrille
